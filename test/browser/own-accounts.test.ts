/**
 * Accounts in the box, in a real browser with virtual authenticators: the ways of people through the pages. What routes
 * refuse is in `test/workers/identity`. All have one service, whose first owner invites the others.
 */
import type { Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { START_TEXTS } from "../../src/authoring/editor/texts.ts";
import { FRAME_TEXTS } from "../../src/dashboard/texts.ts";
import { PASSKEY_SCRIPT_TEXTS } from "../../src/identity/script-texts.ts";
import { PUBLIC_TEXTS } from "../../src/identity/texts.ts";
import { DESKTOP, HAS_CHROMIUM, PHONE } from "./browser-kit.ts";
import { START_TIMEOUT_MS, TEST_TIMEOUT_MS } from "./in-browser.ts";
import { eventually } from "./journeys/eventually.ts";
import {
  ACCOUNT,
  accept,
  type Box,
  complaintsOf,
  faultsOf,
  moveOn,
  type Person,
  person,
  press,
  refusedWith,
  setFinger,
  signIn,
  startBox,
  sync,
  USERS,
} from "./own-accounts-kit.ts";

const ARABIC = { ...DESKTOP, locale: "ar-EG" };
const ENGLISH = { ...DESKTOP, locale: "en-GB" };
const ENGLISH_PHONE = { ...PHONE, locale: "en-GB" };
/** Playwright's own address of a tab may be of before. */
const withoutFragment = (tab: Tab) => tab.waitForFunction(() => location.hash === "");

const SAID = PASSKEY_SCRIPT_TEXTS.en;

describe.skipIf(!HAS_CHROMIUM)("accounts in the box", { timeout: TEST_TIMEOUT_MS }, () => {
  let box: Box;
  let owner: Person;

  beforeAll(async () => {
    box = await startBox();
    owner = await person(box, ARABIC);
    await owner.tab.goto(`/setup#${box.setup_code}`);
    // The code is gone from the address, and goes along to the other language.
    await withoutFragment(owner.tab);
    await owner.tab.locator("[data-other-language]").click();
    await owner.tab.waitForURL(/setup[?]lang=en/);
    await withoutFragment(owner.tab);
    await eventually(() => owner.tab.locator("#code").inputValue(), box.setup_code);
    expect(await faultsOf(owner.tab)).toEqual([]);
    await owner.tab.locator("#name").fill("نورة");
    await press(owner.tab, PUBLIC_TEXTS.en.setup.button);
    await owner.tab.waitForURL("**/dashboard");
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await owner?.[Symbol.asyncDispose]();
    await box?.close();
  }, START_TIMEOUT_MS);

  /** The operator's link, without its page. */
  async function invitation(plan = "free"): Promise<string> {
    await owner.tab.goto("/admin/users?lang=en");
    return owner.tab.evaluate(async (plan) => {
      const token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
      const answer = await fetch("/api/admin/invitations", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
        body: JSON.stringify({ plan }),
      });
      return ((await answer.json()) as { link: string }).link;
    }, plan);
  }

  async function user(name: string): Promise<Person> {
    const somebody = await person(box, ENGLISH);
    await accept(somebody, await invitation(), name);
    return somebody;
  }

  async function openUser(name: string): Promise<Tab> {
    await owner.tab.goto(`/admin/users?lang=en&q=${name}`);
    await owner.tab.getByRole("link", { name, exact: true }).first().click();
    await owner.tab.locator("h1", { hasText: name }).waitFor();
    return owner.tab;
  }

  const statusAt = async ({ tab }: Person, path: string) => (await tab.goto(path))?.status();

  test("the first owner makes their page and is an operator; the code makes nobody else", async () => {
    const { tab } = owner;
    await tab.goto("/dashboard?lang=en");
    await tab.locator('a[href^="/dashboard/new"]').click();
    await tab.locator("#name").fill("Noura");
    await expect.poll(() => tab.locator("#slug").inputValue()).toMatch(/^noura/);
    await press(tab, START_TEXTS.en.next);
    await tab.locator(".photo-step").waitFor();
    await tab.goto("/dashboard?lang=en");
    await tab.getByText("Noura").first().waitFor();
    expect(await statusAt(owner, "/admin/users?lang=en")).toBe(200);
    await tab.getByRole("link", { name: "نورة" }).first().waitFor();
    expect(await complaintsOf(owner)).toEqual([]);

    await using late = await person(box, ENGLISH);
    await late.tab.goto(`/setup#${box.setup_code}`);
    await eventually(() => late.tab.locator("h1").textContent(), PUBLIC_TEXTS.en.setup.done);
    expect(await late.tab.locator("form").count()).toBe(0);
    expect(await complaintsOf(late)).toEqual([]);
  });

  test("an invitation is shown once, makes one account of its plan, and no second one", async () => {
    const { tab, context } = owner;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await tab.goto("/admin/users?lang=en");
    await tab.locator("#invite-plan").selectOption("pro");
    await press(tab, USERS.invite_button);
    await press(tab, FRAME_TEXTS.en.copy);
    await tab.getByRole("button", { name: FRAME_TEXTS.en.copied }).waitFor();
    const link = await tab.evaluate(() => navigator.clipboard.readText());
    await eventually(() => tab.getByLabel(USERS.link).inputValue(), link);
    await tab.getByRole("button", { name: USERS.take_back }).first().waitFor();
    await eventually(() => tab.getByLabel(USERS.link).inputValue(), link);
    await tab.reload();
    expect(await tab.content()).not.toContain(new URL(link).hash.slice(1));

    await using invited = await person(box, ENGLISH_PHONE);
    const asked: string[] = [];
    invited.context.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await invited.tab.goto(link);
    await withoutFragment(invited.tab);
    await invited.tab.locator("#name").fill("Salem");
    // The browser's dialog ends without a passkey. The same challenge serves the next try.
    await setFinger(invited, false);
    await press(invited.tab, PUBLIC_TEXTS.en.invite.button);
    await invited.tab.getByText(SAID.not_made).waitFor();
    expect(await faultsOf(invited.tab)).toEqual([]);
    await setFinger(invited, true);
    await press(invited.tab, PUBLIC_TEXTS.en.invite.button);
    await invited.tab.waitForURL("**/dashboard");
    expect(asked.filter((path) => path.endsWith("/options"))).toHaveLength(1);
    await invited.tab.goto("/account");
    await invited.tab.getByText(ACCOUNT.plans.pro ?? "", { exact: true }).waitFor();
    expect(await statusAt(invited, "/admin/users")).toBe(404);

    await using second = await person(box, ENGLISH);
    await second.tab.goto(link);
    await second.tab.locator("#name").fill("Late");
    await press(second.tab, PUBLIC_TEXTS.en.invite.button);
    await second.tab.getByText(SAID.bad_invitation).waitFor();
    expect(await complaintsOf(second)).toEqual([refusedWith("403 (Forbidden)")]);
    expect(await complaintsOf(invited)).toEqual([refusedWith("404 (Not Found)")]);
  });

  test("a passkey signs in with one tap, on each device that has it, until the session is ended there", async () => {
    await using first = await user("Layan");
    const { tab } = first;
    await tab.locator("details.account > summary").click();
    await press(tab, FRAME_TEXTS.en.sign_out);
    await tab.waitForURL(`${box.origin}/`);
    expect(await statusAt(first, "/dashboard/wallet")).toBe(401);
    await tab.locator('main a[href*="login"]').click();
    await press(tab, PUBLIC_TEXTS.en.sign_in.button);
    await tab.waitForURL("**/dashboard/wallet");

    await moveOn(first);
    await using second = await person(box, ENGLISH_PHONE);
    expect(await statusAt(second, "/account/sign-in?return_to=https://evil.example/")).toBe(400);
    await sync(first, second);
    await signIn(second);
    await second.tab.waitForURL("**/dashboard");
    await tab.goto("/dashboard/notifications");
    await tab.getByText("signed in to on a new device").waitFor();
    await tab.goto("/account");
    await tab.getByRole("button", { name: /^Sign out: / }).click();
    await tab.locator("[data-said]", { hasText: ACCOUNT.ended }).waitFor();
    const answered = second.tab.waitForResponse("**/dashboard/new*");
    await second.tab.locator('a[href^="/dashboard/new"]').click();
    expect((await answered).status()).toBe(401);
    expect(await complaintsOf(first)).toEqual([refusedWith("401 (Unauthorized)")]);
  });

  test("a recovery code is shown once, and lets in a browser that then gets a passkey of its own", async () => {
    await using first = await user("Huda");
    const { tab } = first;
    await tab.goto("/account");
    await press(tab, ACCOUNT.add);
    await tab.getByText(SAID.already).waitFor();
    await press(tab, ACCOUNT.make_codes);
    const shown = tab.locator("[data-codes] li");
    await expect.poll(() => shown.count()).toBe(10);
    const [code = ""] = await shown.allTextContents();
    expect(await faultsOf(tab)).toEqual([]);
    await tab.reload();
    expect(await tab.content()).not.toContain(code);

    await using second = await person(box, ENGLISH_PHONE);
    await second.tab.goto("/account/sign-in");
    await second.tab.getByRole("link", { name: PUBLIC_TEXTS.en.sign_in.lost }).click();
    const enter = async (typed: string) => {
      await second.tab.locator("#code").fill(typed);
      await press(second.tab, PUBLIC_TEXTS.en.recover.button);
    };
    await enter(`${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`);
    await second.tab.getByText(SAID.bad_code).waitFor();
    await enter(code.toLowerCase().replaceAll("-", " "));
    await second.tab.getByText(PUBLIC_TEXTS.en.recover.is_in, { exact: true }).waitFor();
    expect(await faultsOf(second.tab)).toEqual([]);
    await press(second.tab, PUBLIC_TEXTS.en.recover.add);
    await second.tab.waitForURL("**/account?lang=en");
    const rows = second.tab.locator("#passkeys ~ ul > li");
    await expect.poll(() => rows.count()).toBe(2);
    // The lost one goes; the last one cannot.
    await rows.first().getByText(ACCOUNT.remove, { exact: true }).click();
    await press(second.tab, ACCOUNT.remove_yes);
    await second.tab.locator("[data-said]", { hasText: ACCOUNT.removed }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await second.tab.getByText(ACCOUNT.last, { exact: true }).waitFor();
    expect(await second.tab.getByText(ACCOUNT.remove, { exact: true }).count()).toBe(0);
    expect(await complaintsOf(second)).toEqual([refusedWith("401 (Unauthorized)")]);

    await moveOn(first);
    await tab.goto("/account/sign-in");
    await press(tab, PUBLIC_TEXTS.en.sign_in.button);
    await tab.getByText(SAID.unknown).waitFor();
    await using thief = await person(box, ENGLISH);
    await thief.tab.goto("/account/recover");
    await thief.tab.locator("#code").fill(code);
    await press(thief.tab, PUBLIC_TEXTS.en.recover.button);
    await thief.tab.getByText(SAID.bad_code).waitFor();
  });

  test("an account that is being deleted is kept by whoever signs in meanwhile", async () => {
    await using somebody = await user("Maha");
    const { tab } = somebody;
    await tab.goto("/account");
    await tab.getByText(ACCOUNT.delete_open, { exact: true }).click();
    await press(tab, ACCOUNT.delete_yes);
    await tab.getByText(ACCOUNT.deleted, { exact: true }).waitFor();
    expect(await faultsOf(tab)).toEqual([]);
    await tab.getByRole("link", { name: ACCOUNT.sign_in }).click();
    await press(tab, PUBLIC_TEXTS.en.sign_in.button);
    await tab.waitForURL("**/account");
    expect(await faultsOf(tab)).toEqual([]);
    await press(tab, ACCOUNT.keep);
    await tab.getByText(ACCOUNT.delete_open, { exact: true }).waitFor();
    expect(await tab.getByRole("button", { name: ACCOUNT.keep }).count()).toBe(0);
    expect(await complaintsOf(somebody)).toEqual([]);
  });

  test("a suspended user is out and does not get in again before they are reinstated", async () => {
    await using somebody = await user("Rami");
    const operator = await openUser("Rami");
    await operator.locator("#reason").fill("spam");
    await press(operator, USERS.suspend);
    await operator.getByRole("button", { name: USERS.reinstate }).waitFor();
    expect(await statusAt(somebody, "/dashboard")).toBe(401);
    await somebody.tab.goto("/account/sign-in");
    await press(somebody.tab, PUBLIC_TEXTS.en.sign_in.button);
    await somebody.tab.getByText(SAID.unknown).waitFor();
    await press(operator, USERS.reinstate);
    await operator.getByRole("button", { name: USERS.suspend }).waitFor();
    await press(somebody.tab, PUBLIC_TEXTS.en.sign_in.button);
    await somebody.tab.waitForURL("**/dashboard");
    expect(await complaintsOf(somebody)).toEqual([
      refusedWith("401 (Unauthorized)"),
      refusedWith("401 (Unauthorized)"),
    ]);
  });
});
