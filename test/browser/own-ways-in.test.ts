/**
 * Codes by mail and accounts of an issuer, in a real browser: the ways of people through the pages. What routes refuse is
 * in `test/workers/identity/identity-mail.test.ts` and `test/workers/identity/identity-issuers.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCOUNT_TEXTS } from "../../src/identity/account-texts.ts";
import { PASSKEY_SCRIPT_TEXTS } from "../../src/identity/script-texts.ts";
import { PUBLIC_TEXTS } from "../../src/identity/texts.ts";
import type { Locale } from "../../src/views/locale.ts";
import { DESKTOP, HAS_CHROMIUM, PHONE } from "./browser-kit.ts";
import { START_TIMEOUT_MS, TEST_TIMEOUT_MS } from "./in-browser.ts";
import { type Outside, settingsOf, startOutside } from "./issuer-and-mailbox.ts";
import { hasFocus } from "./journeys/editor-parts.ts";
import { eventually } from "./journeys/eventually.ts";
import {
  type Box,
  complaintsOf,
  faultsOf,
  moveOn,
  type Person,
  person,
  press,
  refusedWith,
  startBox,
} from "./own-accounts-kit.ts";

const DEVICES = {
  ar: { ...PHONE, viewport: { width: 390, height: 844 }, locale: "ar-EG" },
  en: { ...DESKTOP, locale: "en-GB" },
};
const READERS: readonly Locale[] = ["ar", "en"];
const ISSUER = "Example ID";

describe.skipIf(!HAS_CHROMIUM)("ways in beside passkeys", { timeout: TEST_TIMEOUT_MS }, () => {
  let outside: Outside;
  let box: Box;
  let owner: Person;

  beforeAll(async () => {
    outside = await startOutside();
    box = await startBox({ SIGN_UP: "open", ...settingsOf(outside) }, outside.origin);
    owner = await person(box, DEVICES.en);
    await owner.tab.goto(`/setup#${box.setup_code}`);
    await owner.tab.locator("#name").fill("Noura");
    await press(owner.tab, PUBLIC_TEXTS.en.setup.button);
    await owner.tab.waitForURL("**/dashboard");
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await owner?.[Symbol.asyncDispose]();
    await box?.close();
    await outside?.[Symbol.asyncDispose]();
  }, START_TIMEOUT_MS);

  async function codeTo(address: string, n: number): Promise<string> {
    await expect.poll(() => outside.mailTo(address, n)).not.toBeNull();
    return /^\d{6}$/m.exec(outside.mailTo(address, n)?.text ?? "")?.[0] ?? "";
  }
  const wrong = (code: string) => `${code.slice(0, 5)}${code.endsWith("0") ? "1" : "0"}`;

  test.each(READERS)(
    "a code by mail makes an account, and signs in another browser (%s)",
    async (locale) => {
      const texts = PUBLIC_TEXTS[locale];
      const address = `layla-${locale}@example.com`;
      const askFor = async ({ tab }: Person) => {
        await tab.goto("/account/sign-in");
        await tab.getByLabel(texts.mail.email, { exact: true }).fill(address);
        await press(tab, texts.mail.send);
        await tab.getByText(texts.mail.sent, { exact: true }).waitFor();
      };
      await using first = await person(box, DEVICES[locale]);
      const { tab } = first;
      await askFor(first);
      expect(await faultsOf(tab)).toEqual([]);
      const code = await codeTo(address, 1);
      const field = tab.getByLabel(texts.mail.code, { exact: true });
      await field.fill(wrong(code));
      await field.press("Enter");
      await tab.getByText(PASSKEY_SCRIPT_TEXTS[locale].bad_mail_code).waitFor();
      await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
      await field.press("Enter");
      const name = tab.locator("#mail-name");
      await name.waitFor();
      await hasFocus(name);
      expect(await faultsOf(tab)).toEqual([]);
      await name.fill("ليلى");
      await name.press("Enter");
      await tab.waitForURL("**/dashboard");
      expect(await complaintsOf(first)).toEqual([refusedWith("401 (Unauthorized)")]);

      await using second = await person(box, DEVICES[locale]);
      await askFor(second);
      await codeTo(address, 2);
      // The one before is of another request.
      await press(second.tab, texts.mail.again);
      const again = await codeTo(address, 3);
      await second.tab.getByLabel(texts.mail.code, { exact: true }).fill(again);
      await press(second.tab, PASSKEY_SCRIPT_TEXTS[locale].go_on);
      await second.tab.waitForURL("**/dashboard");
      // The address is the only way in, so nothing offers to remove it.
      await second.tab.goto("/account");
      await second.tab.getByText(address, { exact: true }).waitFor();
      expect(await second.tab.locator("#email ~ ul summary").count()).toBe(0);
      expect(await faultsOf(second.tab)).toEqual([]);
      expect(await complaintsOf(second)).toEqual([]);
    },
  );

  test("an address is added to an account with a passkey, when it is proven, and removed", async () => {
    const { tab } = owner;
    const texts = ACCOUNT_TEXTS.en;
    const address = "noura@example.com";
    await moveOn(owner);
    await tab.goto("/account");
    await tab.locator("#own-email").fill(address);
    await press(tab, texts.email_send);
    const code = await codeTo(address, 1);
    const field = tab.getByLabel(texts.email_code, { exact: true });
    await hasFocus(field);
    expect(await faultsOf(tab)).toEqual([]);
    await field.fill(wrong(code));
    await field.press("Enter");
    await tab.getByText(PASSKEY_SCRIPT_TEXTS.en.bad_mail_code).waitFor();
    await field.fill(code);
    await field.press("Enter");
    await tab.locator("[data-said]", { hasText: texts.email_done }).waitFor();
    const row = tab.locator("li", { hasText: address });
    await eventually(() => tab.locator("#email ~ ul summary").count(), 1);
    await row.getByText(texts.remove, { exact: true }).click();
    expect(await faultsOf(tab)).toEqual([]);
    await press(tab, texts.email_remove_yes);
    await tab.locator("[data-said]", { hasText: texts.email_removed }).waitFor();
    expect(await row.count()).toBe(0);
    expect(await complaintsOf(owner)).toEqual([refusedWith("401 (Unauthorized)")]);
  });

  test.each(READERS)(
    "an account of an issuer makes an account, and signs in another browser (%s)",
    async (locale) => {
      const texts = PUBLIC_TEXTS[locale];
      const button = texts.with(ISSUER);
      await using first = await person(box, DEVICES[locale]);
      const { tab } = first;
      outside.person = null;
      await tab.goto("/account/sign-in?return_to=/dashboard/new");
      await press(tab, button);
      // The person turned back, and can go on from here.
      await tab.waitForURL("**/account/sign-in?problem=cancelled*");
      const alert = tab.locator("main [role=alert]").first();
      await eventually(() => alert.textContent(), expect.stringMatching(/\S/));
      expect(await faultsOf(tab)).toEqual([]);
      outside.person = { sub: locale, name: "سلمى" };
      await press(tab, button);
      await tab.waitForURL("**/dashboard/new");
      await using second = await person(box, DEVICES[locale]);
      await second.tab.goto("/account/sign-in");
      await press(second.tab, button);
      await second.tab.waitForURL("**/dashboard");
      await second.tab.goto("/account");
      await second.tab.locator("li", { hasText: ISSUER }).getByText("سلمى").waitFor();
      expect(await second.tab.locator("#identities ~ ul summary").count()).toBe(0);
      expect(await faultsOf(second.tab)).toEqual([]);
      expect([...(await complaintsOf(first)), ...(await complaintsOf(second))]).toEqual([]);
    },
  );

  test("an account of an issuer is connected to one with a passkey, signs in to it, and is disconnected", async () => {
    const { tab } = owner;
    const texts = ACCOUNT_TEXTS.en;
    await moveOn(owner);
    outside.person = { sub: "noura", name: "Noura at work" };
    await tab.goto("/account");
    await press(tab, texts.connect(ISSUER));
    const row = tab.locator("li", { hasText: "Noura at work" });
    await row.waitFor();
    expect(await faultsOf(tab)).toEqual([]);
    await using other = await person(box, DEVICES.en);
    const button = PUBLIC_TEXTS.en.with(ISSUER);
    await other.tab.goto("/account/sign-in");
    await press(other.tab, button);
    await other.tab.waitForURL("**/dashboard");
    await other.tab.goto("/account");
    await eventually(() => other.tab.locator("input[name=name]").first().inputValue(), "Noura");
    await row.getByText(texts.remove, { exact: true }).click();
    await press(tab, texts.identity_remove_yes);
    await tab.locator("[data-said]", { hasText: texts.identity_removed }).waitFor();
    expect(await row.count()).toBe(0);
  });
});
