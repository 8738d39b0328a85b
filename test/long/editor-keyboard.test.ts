/** The whole editor with the keyboard alone, and what a screen reader is told of it. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, PHONE } from "../browser/browser-kit.ts";
import { creator, isSaved, openEditor, ownPage, savedPage } from "../browser/editor-kit.ts";
import { inBrowser, TEST_TIMEOUT_MS } from "../browser/in-browser.ts";

/** More presses of Tab than any panel of the page has stops. */
const STOPS_MAX = 200;
const PANELS = ["links", "look", "profile", "settings", "history"] as const;

/** Presses Tab until the element with the focus fits. */
async function tabTo(tab: Tab, selector: string): Promise<void> {
  for (let i = 0; i < STOPS_MAX; i += 1) {
    if (await tab.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await tab.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${selector}`);
}

const said = (tab: Tab) => tab.locator("#announcer").textContent();

inBrowser("the editor", { timeout: 2 * TEST_TIMEOUT_MS }, (world) => {
  test("is used with the keyboard alone: a link added, moved and removed, the look, the name, sharing", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    const { tab } = owner;
    await openEditor(tab, page.page_id);
    const saved = () => savedPage(tab, page.page_id);

    await tabTo(tab, ".add-links textarea");
    await tab.keyboard.type("كتابي https://books.example.com/");
    await tab.keyboard.press("Enter");
    await expect.poll(async () => (await saved()).links.length).toBe(4);

    await tabTo(tab, ".row-grip");
    const before = (await saved()).links.map(({ link_id }) => link_id);
    await tab.keyboard.press("Space");
    await tab.keyboard.press("ArrowDown");
    expect(await said(tab)).toMatch(/[٠-٩]/);
    await tab.keyboard.press("Space");
    await expect
      .poll(async () => (await saved()).links.map(({ link_id }) => link_id))
      .not.toEqual(before);

    await tabTo(tab, 'a[href="#profile"]');
    await tab.keyboard.press("Enter");
    await tab.locator("#profile-name-ar").waitFor();
    await tabTo(tab, "#profile-name-ar");
    await tab.keyboard.press("ControlOrMeta+A");
    await tab.keyboard.type("بلوحة المفاتيح");
    await expect.poll(async () => (await saved()).name).toEqual({ ar: "بلوحة المفاتيح" });

    await tab.keyboard.press("Home");
    await tab.locator('a[href="#look"]').focus();
    await tab.keyboard.press("Enter");
    await tab.locator('input[name="look-preset"]').first().waitFor();
    await tabTo(tab, 'input[name="look-preset"]');
    await tab.keyboard.press("ArrowDown");
    await expect.poll(async () => (await saved()).look).not.toEqual(page.look);

    await isSaved(tab);
    await tab.locator(".editor-tools .primary").focus();
    await tab.keyboard.press("Enter");
    await tab.locator("dialog.share").waitFor();
    // The focus is in the dialog, and Escape gives it back to the button.
    expect(await tab.evaluate(() => document.activeElement?.closest("dialog") !== null)).toBe(true);
    await tab.keyboard.press("Escape");
    await expect.poll(() => tab.locator("dialog.share").count()).toBe(0);
    expect(
      await tab.evaluate(() => document.activeElement?.matches(".editor-tools .primary")),
    ).toBe(true);
  });

  test.for([
    ["ar", PHONE],
    ["en", DESKTOP],
  ] as const)("breaks no rule of accessibility in any panel, in %s", async ([lang, device]) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await using owner = await creator(world, { ...device, colorScheme, bypassCSP: true });
      const page = await ownPage(world, { locales: ["ar", "en"] });
      for (const panel of PANELS) {
        await openEditor(owner.tab, page.page_id, { panel, lang });
        await expect.poll(() => owner.tab.locator(".panel .editor-loading").count()).toBe(0);
        expect(await breaches(owner.tab), `${panel} ${colorScheme}`).toEqual([]);
        await owner.tab.goto("about:blank");
      }
    }
  });
});
