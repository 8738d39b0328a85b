/** Tips in a real browser: the block in the editor, and a visitor who sends one. */
import { expect, test } from "vitest";
import { breaches } from "../browser/axe.ts";
import { PHONE, visitor, type World } from "../browser/browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  isSaved,
  openEditor,
  ownPage,
  previewOf,
  savedPage,
} from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { row } from "../browser/links-kit.ts";

const EDITOR_WORDS = {
  ar: { tip: "إكرامية", amounts: "المبالغ، بالنقاط", wrong: "مبالغ مختلفة" },
  en: { tip: "Tip jar", amounts: "Amounts, in points", wrong: "different amounts" },
} as const;

inBrowser("tips", (world) => {
  test.each(["ar", "en"] as const)(
    "a creator adds a tip jar with amounts of their own, in %s",
    async (lang) => {
      await using someone = await creator(world, { ...PHONE, bypassCSP: true });
      const { tab } = someone;
      const { page_id } = await ownPage(world, { links: [], locales: [lang] });
      const words = EDITOR_WORDS[lang];
      await openEditor(tab, page_id, { lang });
      await tab.getByRole("button", { name: words.tip }).click();
      const field = row(tab, words.tip).getByLabel(words.amounts);
      // What is not right is not saved: the page keeps the amounts before it.
      await field.fill("5 5");
      await field.blur();
      await expect.poll(() => tab.locator(".row-form .error").textContent()).toContain(words.wrong);
      await field.fill("٥، 20 ٣٠");
      await field.blur();
      await isSaved(tab);
      await expect
        .poll(async () => (await savedPage(tab, page_id)).links)
        .toMatchObject([{ kind: "tip", url: null, block: { amounts: [5, 20, 30] } }]);
      await expect.poll(() => previewOf(tab).locator(".block .amount").count()).toBe(4);
      expect(await breaches(tab)).toEqual([]);
      await expectNoComplaints(someone);
    },
  );

  test.each(["ar", "en"] as const)(
    "a visitor signs in on the way to a tip and loses nothing, and its owner sees it live, in %s",
    async (lang) => {
      await using someone = await visitor(world, { ...PHONE, bypassCSP: true });
      const { tab } = someone;
      const { page_id } = await jarPage(world, lang);
      const words = VISITOR_WORDS[lang];
      await tab.goto(`/${page_id}`);
      expect(await breaches(tab)).toEqual([]);
      await tab.getByText(words.other, { exact: true }).click();
      await tab.getByLabel(words.own).fill("١٢");
      await tab.getByLabel(words.message).fill(MESSAGE);
      await tab.getByRole("button", { name: words.proceed }).click();
      await expect.poll(() => tab.locator("h1").textContent()).toBe(words.title);
      expect(await tab.locator(".tip-message").textContent()).toBe(MESSAGE);
      expect(await breaches(tab)).toEqual([]);
      await tab.getByRole("link", { name: words.sign_in }).click();
      await tab.getByRole("button", { name: SENDER }).click();
      await tab.waitForURL("**/tip?**");
      expect(await tab.locator("h1").textContent()).toBe(words.title);
      expect(await tab.locator(".tip-message").textContent()).toBe(MESSAGE);
      expect(await breaches(tab)).toEqual([]);
      // The owner looks on, and sees it without doing anything.
      await using owner = await creator(world, { ...PHONE, bypassCSP: true });
      await owner.tab.goto(`/dashboard/${page_id}?lang=${lang}`);
      const seen = owner.tab.locator("[data-tips-total]");
      await expect.poll(() => seen.textContent()).toBe(words.none);
      await owner.tab.locator('[data-live-state="live"]').waitFor();
      await tab.getByRole("button", { name: words.send }).click();
      await expect.poll(() => tab.locator("h1").textContent()).toBe(words.sent);
      expect(await breaches(tab)).toEqual([]);
      // Sent again by a reload, it is the same tip.
      await tab.reload();
      await expect.poll(() => tab.locator("h1").textContent()).toBe(words.sent);
      await expect.poll(() => seen.textContent(), SOON).toBe(words.one);
      const listed = owner.tab.locator("[data-tips] li");
      await expect.poll(() => listed.count(), SOON).toBe(1);
      expect(await listed.textContent()).toContain(SENDER);
      expect(await listed.locator(".tip-message").textContent()).toBe(MESSAGE);
      expect(await breaches(owner.tab)).toEqual([]);
      await owner.tab.getByRole("link", { name: words.all }).click();
      await expect.poll(() => listed.count()).toBe(1);
      expect(await breaches(owner.tab)).toEqual([]);
      await tab.goto(`/dashboard/wallet?lang=${lang}`);
      expect(await tab.locator(".tips li").first().textContent()).toContain(words.to);
      expect(await breaches(tab)).toEqual([]);
    },
  );
});

const SENDER = "سلمى العطار";
/** A flush, and a request for the list. */
const SOON = { timeout: 10_000 };
const MESSAGE = `شكرًا 🌸 for the & "tile" ${"😀".repeat(120)}`;

async function jarPage(world: World, lang: "ar" | "en") {
  return await ownPage(world, {
    locales: [lang],
    name: { [lang]: lang === "ar" ? "ليان الحوراني" : "Layan" },
    bio: {},
    links: [{ link_id: "jar", kind: "tip", block: { amounts: [5, 20, 50] } }],
  });
}

const VISITOR_WORDS = {
  ar: {
    other: "مبلغ آخر",
    own: "عدد النقاط",
    message: "رسالة (اختيارية)",
    proceed: "تابع",
    title: "ترسل ١٢ نقطة إلى \u2068ليان الحوراني\u2069",
    sign_in: "سجّل الدخول",
    send: "أرسل الآن",
    sent: "وصلت إكراميتك. شكرًا لك!",
    none: "لا إكراميات بعد",
    one: "إكرامية واحدة مجموعها ١٢ نقطة",
    all: "كل الإكراميات",
    to: "١٢ نقطة إلى ليان الحوراني",
  },
  en: {
    other: "Another amount",
    own: "Number of points",
    message: "Message (optional)",
    proceed: "Continue",
    title: "Send 12 points to \u2068Layan\u2069",
    sign_in: "Sign in",
    send: "Send now",
    sent: "Your tip has arrived. Thank you!",
    none: "No tips yet",
    one: "1 tip · 12 points",
    all: "All tips",
    to: "12 points to Layan",
  },
} as const;
