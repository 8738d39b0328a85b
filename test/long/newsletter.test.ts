/**
 * A newsletter in a real browser, in both languages: a visitor subscribes without a script, confirms from the
 * mailbox and leaves, while the creator looks on; the creator searches, deletes and downloads.
 */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import type { Locale } from "../../src/views/locale.ts";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, freshAddress, PHONE, visitor, type World } from "../browser/browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  openEditor,
  ownPage,
  previewOf,
} from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";

/** From the form to the mail in the mailbox, and from a confirmation to the creator's number. */
const MAIL_DEADLINE_MS = 20_000;

const WORDS = {
  ar: {
    subscribe: "اشترك",
    asked: "انظر في بريدك",
    confirm: "أكّد الاشتراك",
    confirmed: /^أنت الآن مشترك في نشرة ليان الحوراني$/,
    unsubscribe: "ألغِ الاشتراك",
    unsubscribed: /^لست مشتركًا في نشرة/,
    none: "لا مشتركين بعد",
    one: "مشترك واحد",
  },
  en: {
    subscribe: "Subscribe",
    asked: "Check your mail",
    confirm: "Confirm the subscription",
    confirmed: /^You are subscribed to the newsletter of Layan$/,
    unsubscribe: "Unsubscribe",
    unsubscribed: /^You are not subscribed to/,
    none: "0 subscribers",
    one: "1 subscriber",
  },
} as const;

/** A page in both languages with a newsletter's block. */
const pageWithBlock = (world: World) =>
  ownPage(world, {
    locales: ["ar", "en"],
    name: { ar: "ليان الحوراني", en: "Layan" },
    links: [
      {
        link_id: "news",
        kind: "newsletter",
        label: { ar: "رسالة كل خميس", en: "A letter each Thursday" },
        block: {},
      },
    ],
  });

/** Writes the address into the page's form and sends it. */
async function subscribe(tab: Tab, path: string, locale: Locale, email: string): Promise<void> {
  await tab.goto(path);
  await tab.getByRole("textbox").fill(email);
  await tab.getByRole("button", { name: WORDS[locale].subscribe }).click();
  await tab.getByRole("heading", { level: 1, name: WORDS[locale].asked }).waitFor();
}

/** Opens the newest mail to this address in the mailbox, once there are `n`, and follows its first link there. */
async function followMail(
  world: World,
  tab: Tab,
  email: string,
  n: number,
  kind: "confirm" | "unsubscribe" = "confirm",
): Promise<void> {
  const mailbox = new URL(`/mailbox?to=${encodeURIComponent(email)}`, world.hub.url);
  const mails = tab.locator(".mails a");
  await expect
    .poll(
      async () => {
        await tab.goto(mailbox.href);
        return mails.count();
      },
      { timeout: MAIL_DEADLINE_MS, interval: 300 },
    )
    .toBe(n);
  await mails.first().click();
  await tab.locator(`.mail a[href*="/newsletter/${kind}?"]`).first().click();
}

const subscribersPath = (page_id: string, locale: Locale) =>
  `/dashboard/${page_id}/subscribers?lang=${locale}`;

inBrowser("a newsletter", (world) => {
  test.each(["ar", "en"] as const)(
    "is subscribed to, confirmed from the mail and left without a script, and its creator sees it live (%s)",
    async (locale) => {
      const words = WORDS[locale];
      const { page_id } = await pageWithBlock(world);
      await using owner = await creator(world);
      await owner.tab.goto(subscribersPath(page_id, locale));
      const number = owner.tab.locator("[data-subscribers]");
      expect(await number.textContent()).toBe(words.none);

      await using someone = await visitor(world, { ...PHONE, javaScriptEnabled: false });
      const { tab } = someone;
      const email = `Reader.${locale}@Example.com`;
      await subscribe(tab, `/${page_id}${locale === "en" ? "/en" : ""}`, locale, email);
      expect(await tab.locator("html").getAttribute("lang")).toBe(locale);

      await followMail(world, tab, email, 1);
      const confirm = tab.getByRole("button", { name: words.confirm });
      await confirm.waitFor();
      expect(await tab.locator("html").getAttribute("lang")).toBe(locale);
      // Opened by a scanner, the link has changed nothing.
      expect(await number.textContent()).toBe(words.none);
      await confirm.click();
      await tab.getByRole("heading", { level: 1, name: words.confirmed }).waitFor();
      await expect.poll(() => number.textContent(), { timeout: MAIL_DEADLINE_MS }).toBe(words.one);
      await owner.tab.locator("[data-fresh]").click();
      await owner.tab.getByRole("rowheader", { name: /^reader\./i }).waitFor();

      await followMail(world, tab, email, 2, "unsubscribe");
      await tab.getByRole("button", { name: words.unsubscribe }).click();
      await tab.getByRole("heading", { level: 1, name: words.unsubscribed }).waitFor();
      await expect.poll(() => number.textContent(), { timeout: MAIL_DEADLINE_MS }).toBe(words.none);
      await expectNoComplaints(owner);
    },
  );

  test.each(["ar", "en"] as const)(
    "shows its creator who subscribes, finds one, and deletes one after a question (%s)",
    async (locale) => {
      const { page_id } = await pageWithBlock(world);
      const names = ["amal", "badr", "chadi"];
      for (const name of names) {
        await using someone = await visitor(world);
        const email = `${name}-${page_id}@example.com`;
        await subscribe(someone.tab, `/${page_id}/en`, "en", email);
        await followMail(world, someone.tab, email, 1);
        await someone.tab.getByRole("button", { name: WORDS.en.confirm }).click();
        await someone.tab.getByRole("heading", { name: WORDS.en.confirmed }).waitFor();
      }
      await using owner = await creator(world, { ...DESKTOP, bypassCSP: true });
      const { tab } = owner;
      await tab.goto(`/dashboard/${page_id}?lang=${locale}`);
      const link = tab.locator(`a[href^="/dashboard/${page_id}/subscribers"]`);
      await link.getByText(locale === "ar" ? "٣" : "3").waitFor();
      await link.click();
      const rows = tab.locator("tbody tr");
      await expect.poll(() => rows.count()).toBe(3);
      expect(await breaches(tab)).toEqual([]);

      await tab.getByRole("searchbox").fill("badr");
      await tab.keyboard.press("Enter");
      await expect.poll(() => rows.count()).toBe(1);
      expect(await rows.textContent()).toContain("badr-");

      // By the keyboard: kept once, then deleted.
      const remove = rows.getByRole("button");
      await remove.press("Enter");
      await tab.keyboard.press("Escape");
      expect(await rows.count()).toBe(1);
      await remove.press("Enter");
      expect(await breaches(tab)).toEqual([]);
      await tab.locator("[data-sure] button[value=yes]").press("Enter");
      await expect.poll(() => rows.count()).toBe(0);
      await expect
        .poll(() => tab.locator("[data-subscribers]").getAttribute("data-subscribers"))
        .toBe("2");

      await tab.goto(subscribersPath(page_id, locale));
      const csv = await tab.locator("a[download]").getAttribute("href");
      const file = await tab.request.get(csv ?? "", {
        headers: { "CF-Connecting-IP": freshAddress() },
      });
      const text = await file.text();
      expect(text).toContain("amal-");
      expect(text).toContain("chadi-");
      expect(text).not.toContain("badr-");
    },
  );

  test("is shown in the editor's preview, and takes no address there", async () => {
    const { page_id } = await pageWithBlock(world);
    await using owner = await creator(world);
    await openEditor(owner.tab, page_id);
    const block = previewOf(owner.tab).locator("form.block");
    await block.waitFor();
    expect(await block.textContent()).toContain("رسالة كل خميس");
    expect(await block.getAttribute("action")).toBeNull();
    expect(await block.evaluate((form) => (form as HTMLElement).inert)).toBe(true);
  });
});
