/** Signed-in pages that the workshop draws, while it fails and beside one of another build. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { signIn } from "../kit/hub-kit.ts";
import { call, expectErrors, loseWorkshop } from "../kit/kit.ts";

async function wallet() {
  const headers = { Cookie: await signIn("demo-free"), Accept: "text/html" };
  const { status, headers: answered } = await call("/dashboard/wallet", { headers });
  return [status, answered.get("Content-Type"), answered.get("Retry-After")];
}

const DRAWN = [200, "text/html; charset=UTF-8", null];
const DOWN = [503, "text/html; charset=UTF-8", "1"];

test("a page is a 503 page while the workshop fails", async () => {
  expect(await wallet()).toEqual(DRAWN);
  loseWorkshop();
  const events = expectErrors();
  expect(await wallet()).toEqual(DOWN);
  expect(events()).toEqual(["draw_failed"]);
});

test("a page is a 503 page where the two Workers are of two builds", async () => {
  const { WORKSHOP } = env;
  const drawPage: typeof WORKSHOP.drawPage = (build, ...page) =>
    WORKSHOP.drawPage(`${build} and more`, ...page);
  Object.assign(env, { WORKSHOP: { drawPage } });
  const events = expectErrors();
  expect(await wallet()).toEqual(DOWN);
  expect(events()).toEqual(["draw_failed"]);
});
