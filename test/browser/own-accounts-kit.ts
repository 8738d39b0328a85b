/** For walks through accounts in the box: the service without an account hub, and people with authenticators. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page as Tab,
} from "playwright-core";
import { expect } from "vitest";
import { startServer } from "../../src/commands/serve/server.ts";
import { ACCOUNT_TEXTS } from "../../src/identity/account-texts.ts";
import { USERS_TEXTS } from "../../src/identity/users-texts.ts";
import { mailTo } from "../demo/neighbours/neighbours.ts";
import { freePair } from "../server/ports.ts";
import { breaches } from "./axe.ts";
import {
  CHROMIUM_ARGS,
  chromiumPath,
  FLUSH_SECONDS,
  freshAddress,
  NOTHING_ELSE,
  type Visitor,
  visitor,
} from "./browser-kit.ts";

export type Box = Awaited<ReturnType<typeof startBox>>;

/**
 * The service as it is after a deployment: nobody has an account yet.
 *
 * @param settings besides those of every deployment
 * @param mailbox origin of where its mails go
 */
export async function startBox(settings: Record<string, string> = {}, mailbox = "") {
  await using starting = new AsyncDisposableStack();
  const statePath = await mkdtemp(join(tmpdir(), "sila-accounts-"));
  starting.defer(() => rm(statePath, { recursive: true, force: true }));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no two ports in a row are free");
  const { port } = pair;
  // Passkeys are for the name of a host, and 127.0.0.1 is none.
  const origin = `http://localhost:${port}`;
  const setup_code = crypto.randomUUID();
  const server = await startServer({
    ...{ statePath, port, ...(mailbox !== "" && { mail: mailTo(mailbox) }) },
    vars: {
      ...{ FLUSH_SECONDS, QUIET_FLUSH_SECONDS: FLUSH_SECONDS },
      ...{ SITE_ORIGIN: origin, SETUP_CODE: setup_code, ...settings },
    },
  });
  starting.defer(() => server.dispose());
  const browser = await chromium.launch({
    executablePath: await chromiumPath(),
    args: [...CHROMIUM_ARGS, `--host-resolver-rules=${NOTHING_ELSE}`],
  });
  starting.defer(() => browser.close());
  const started = starting.move();
  return {
    ...{ origin, setup_code, browser },
    close: () => started.disposeAsync(),
  };
}

export interface Person extends Visitor {
  devtools: CDPSession;
  authenticator: string;
}

export async function person(box: Box, device: BrowserContextOptions): Promise<Person> {
  const someone = await visitor(box, device);
  const devtools = await someone.context.newCDPSession(someone.tab);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", ctap2Version: "ctap2_1", transport: "internal" },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      automaticPresenceSimulation: true,
      // As of a password manager, which syncs what it keeps.
      ...{ defaultBackupEligibility: true, defaultBackupState: true },
    },
  });
  return { ...someone, devtools, authenticator: authenticatorId };
}

/** Whether the person's finger is known to their device: otherwise the browser's dialog ends without a passkey. */
export async function setFinger({ devtools, authenticator }: Person, known: boolean) {
  await devtools.send("WebAuthn.setUserVerified", {
    authenticatorId: authenticator,
    isUserVerified: known,
  });
}

/** Gives a second device the passkeys of the first one, as a password manager does. */
export async function sync(from: Person, to: Person): Promise<void> {
  const { credentials } = await from.devtools.send("WebAuthn.getCredentials", {
    authenticatorId: from.authenticator,
  });
  expect(credentials.length).toBeGreaterThan(0);
  for (const credential of credentials) {
    await to.devtools.send("WebAuthn.addCredential", {
      authenticatorId: to.authenticator,
      credential,
    });
  }
}

/** From another address, where the next requests are more than a sender has in a minute. */
export async function moveOn({ context }: Person): Promise<void> {
  await context.setExtraHTTPHeaders({ "CF-Connecting-IP": freshAddress() });
}

export async function complaintsOf(someone: Person): Promise<string[]> {
  return (await someone.complaints()).filter((one) => !one.startsWith("cookie "));
}

export const refusedWith = (status: string) =>
  `Failed to load resource: the server responded with a status of ${status}`;

export const press = (tab: Tab, name: string) =>
  tab.getByRole("button", { name, exact: true }).click();

/** Pages of most people here are in English. */
export const ACCOUNT = ACCOUNT_TEXTS.en;
export const USERS = USERS_TEXTS.en;

export async function accept(someone: Person, link: string, name: string): Promise<void> {
  const { tab } = someone;
  await tab.goto(link);
  await tab.locator("#name").fill(name);
  await tab.locator("form[data-step=sign-up] button").click();
  await tab.waitForURL("**/dashboard*");
}

export async function signIn({ tab }: Person, return_to?: string): Promise<void> {
  const query = return_to === undefined ? "" : `?${new URLSearchParams({ return_to })}`;
  await tab.goto(`/account/sign-in${query}`);
  await tab.locator("form[data-step=sign-in] button").click();
  await tab.waitForURL(`**${return_to ?? "/dashboard"}`);
}

export async function faultsOf(tab: Tab): Promise<unknown[]> {
  const before = tab.viewportSize();
  await tab.setViewportSize({ width: 360, height: 800 });
  const wider_px = await tab.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  const broken = await breaches(tab);
  if (before !== null) await tab.setViewportSize(before);
  return wider_px > 0 ? [...broken, `wider by ${wider_px} px`] : broken;
}
