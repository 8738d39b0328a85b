/** The editor's panel for name, bio and contact card in a real browser. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { BIO_CHARS_MAX, CONTACT_ENTRIES_MAX } from "../../src/http/limits.ts";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, PHONE } from "../browser/browser-kit.ts";
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

const PROFILE = { panel: "profile" } as const;
const BOTH = { locales: ["ar", "en"] as ["ar", "en"] };
const CONTACT = {
  name: "ليان",
  organisation: null,
  title: null,
  phones: ["+44 7700 900142", "+44 20 7946 0142"],
  emails: [],
  address: null,
  note: null,
};

const field = (tab: Tab, id: string) => tab.locator(`#profile-${id}`);
const aboutOf = (tab: Tab, id: string) => tab.locator(`#profile-${id}-hint`);
const card = (tab: Tab) => tab.getByRole("switch", { name: "بطاقة جهة الاتصال" });
const phones = (tab: Tab) => tab.locator('.entries input[type="tel"]');

inBrowser("the panel for the profile", (world) => {
  test("two languages stand side by side where there is room, and below each other on a phone", async () => {
    const page = await ownPage(world, BOTH);
    for (const [device, is_beside] of [
      [DESKTOP, true],
      [PHONE, false],
    ] as const) {
      await using owner = await creator(world, device);
      await openEditor(owner.tab, page.page_id, PROFILE);
      const [ar, en] = await Promise.all(
        ["name-ar", "name-en"].map((id) => field(owner.tab, id).boundingBox()),
      );
      expect(ar?.y === en?.y).toBe(is_beside);
      // Arabic comes first: at the right, or above.
      if (is_beside) expect(ar?.x).toBeGreaterThan(en?.x ?? 0);
      else expect(ar?.y).toBeLessThan(en?.y ?? 0);
    }
  });

  test("a text that is missing in one language says what is shown in its place", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { ...BOTH, bio: {} });
    await openEditor(tab, page_id, PROFILE);
    await expect.poll(() => aboutOf(tab, "name-en").textContent()).toContain("ليان الحوراني");
    // A page without any bio lacks nothing.
    await expect.poll(() => aboutOf(tab, "bio-en").count()).toBe(0);
    await field(tab, "name-en").fill("Layan");
    await aboutOf(tab, "name-en").waitFor({ state: "detached" });
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).name).toEqual({ ar: "ليان الحوراني", en: "Layan" });
    await expectNoComplaints(owner);
  });

  test("an empty name says so in place, and the saved one stays while other fields are saved", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, PROFILE);
    await field(tab, "name-ar").fill("  ");
    await expect.poll(() => field(tab, "name-ar").getAttribute("aria-invalid")).toBe("true");
    await tab.locator("#profile-name-ar-error").waitFor();
    await field(tab, "bio-ar").fill("نبذة جديدة");
    await tab.locator('[data-saving="waiting"]').waitFor();
    await isSaved(tab);
    const { name, bio } = await savedPage(tab, page_id);
    expect(name).toEqual({ ar: "ليان الحوراني" });
    expect(bio).toEqual({ ar: "نبذة جديدة" });
  });

  test("near its limit a field says how much is written, and takes no more than the limit", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, PROFILE);
    const bio = field(tab, "bio-ar");
    await bio.fill("ا".repeat(BIO_CHARS_MAX * 0.8 - 1));
    await expect.poll(() => aboutOf(tab, "bio-ar").textContent()).not.toMatch(/[\d٠-٩]/);
    await bio.press("End");
    await tab.keyboard.insertText("ب");
    await tab.waitForFunction(() =>
      /[\d٠-٩]/.test(document.querySelector("#profile-bio-ar-hint")?.textContent ?? ""),
    );
    await tab.keyboard.insertText("ج".repeat(BIO_CHARS_MAX));
    expect((await bio.inputValue()).length).toBe(BIO_CHARS_MAX);
  });

  test("the contact card is switched on, filled, seen in the preview and saved", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, PROFILE);
    await card(tab).check();
    await previewOf(tab).locator(".contact").waitFor();
    await tab.getByLabel("المسمّى الوظيفي").fill("خزّافة");
    await tab.getByRole("button", { name: "أضف رقمًا" }).click();
    // The focus is in the new field.
    await tab.keyboard.type("+966 50 000 0000");
    await tab.getByRole("button", { name: "أضف عنوان بريد" }).click();
    await tab.keyboard.type("layan");
    await tab.getByText("لا يبدو هذا عنوان بريد").waitFor();
    await tab.keyboard.type("@example.com");
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).contact).toEqual({
      ...CONTACT,
      name: "",
      title: "خزّافة",
      phones: ["+966 50 000 0000"],
      emails: ["layan@example.com"],
    });
    await expectNoComplaints(owner);
  });

  test("a number that is removed, and a card that is switched off, come back by undo", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { contact: CONTACT });
    await openEditor(tab, page_id, PROFILE);
    await tab
      .getByRole("button", { name: /^احذف رقم الهاتف/ })
      .first()
      .click();
    await expect.poll(() => phones(tab).count()).toBe(1);
    const focused = await tab.evaluate(() => document.activeElement?.textContent);
    expect(focused).toBe("أضف رقمًا");
    await tab.locator(".notice-action").click();
    await expect.poll(() => phones(tab).first().inputValue()).toBe(CONTACT.phones[0]);
    await card(tab).uncheck();
    await expect.poll(() => previewOf(tab).locator(".contact").count()).toBe(0);
    await tab.locator(".notice-action").click();
    await previewOf(tab).locator(".contact").waitFor();
    await expect.poll(() => card(tab).isChecked()).toBe(true);
    // Switched off and on again, it is as it was, after a look at another panel as well.
    await card(tab).uncheck();
    await tab.locator('a[href="#links"]').click();
    await tab.locator(".links-panel").waitFor();
    await tab.locator('a[href="#profile"]').click();
    await card(tab).check();
    await expect.poll(() => phones(tab).count()).toBe(2);
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).contact).toEqual(CONTACT);
    await expectNoComplaints(owner);
  });

  test("undoing a removal takes back the removal alone: what was typed since then stays", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { contact: CONTACT });
    await openEditor(tab, page_id, PROFILE);
    const remove = tab.getByRole("button", { name: /^احذف رقم الهاتف/ }).first();
    await remove.click();
    await tab.getByLabel("المسمّى الوظيفي").fill("خزّافة");
    await tab.locator(".notice-action").click();
    await expect.poll(() => phones(tab).first().inputValue()).toBe(CONTACT.phones[0]);
    await expect.poll(() => tab.getByLabel("المسمّى الوظيفي").inputValue()).toBe("خزّافة");
    // A removal that is already undone is not undone twice.
    await remove.click();
    await tab.locator(".editor-tools").getByRole("button", { name: "تراجع" }).click();
    await tab.locator(".notice-action").click();
    await expect.poll(() => phones(tab).count()).toBe(CONTACT.phones.length);
    await card(tab).uncheck();
    await field(tab, "name-ar").fill("ليان");
    await tab.locator(".notice-action").click();
    await isSaved(tab);
    expect(await savedPage(tab, page_id)).toMatchObject({
      name: { ar: "ليان" },
      contact: { ...CONTACT, title: "خزّافة" },
    });
    await expectNoComplaints(owner);
  });

  test("a card has room for ten numbers, and takes no eleventh", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const numbers = Array.from({ length: CONTACT_ENTRIES_MAX - 1 }, (_, i) => `+96650000000${i}`);
    const { page_id } = await ownPage(world, { contact: { ...CONTACT, phones: numbers } });
    await openEditor(tab, page_id, PROFILE);
    const add = tab.getByRole("button", { name: "أضف رقمًا" });
    await add.click();
    await expect.poll(() => phones(tab).count()).toBe(CONTACT_ENTRIES_MAX);
    await expect.poll(() => add.isDisabled()).toBe(true);
  });

  for (const lang of ["ar", "en"] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`axe finds nothing in ${lang}, ${colorScheme}`, async () => {
        await using owner = await creator(world, { ...DESKTOP, bypassCSP: true, colorScheme });
        const { tab } = owner;
        const { page_id } = await ownPage(world, { ...BOTH, contact: CONTACT });
        await openEditor(tab, page_id, { panel: "profile", lang });
        await field(tab, "name-ar").fill("");
        await tab.locator("#profile-name-ar-error").waitFor();
        expect(await breaches(tab)).toEqual([]);
      });
    }
  }
});
