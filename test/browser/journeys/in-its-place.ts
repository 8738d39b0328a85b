/** What carriers and captive portals answer in the place of the service. */
import type { Page as Tab } from "playwright-core";

const PORTAL = {
  contentType: "text/html",
  body: "<!DOCTYPE html><title>Portal</title><form>Sign in to the Wi-Fi</form>",
};

export const FOREIGN_ANSWERS = [
  { status: 200 },
  { status: 204 },
  { status: 200, ...PORTAL },
  { status: 401 },
  { status: 403, ...PORTAL },
  { status: 404 },
];

/** Does this once for each of these answers, which come at once to all that the tab asks at this address. */
export async function withForeignAnswers(
  tab: Tab,
  address: string,
  act: () => Promise<void>,
): Promise<void> {
  for (const answer of FOREIGN_ANSWERS) {
    await tab.route(address, (route) => route.fulfill(answer));
    await act();
    await tab.unroute(address);
  }
}
