/** The editor as a whole in a real browser: its preview, and saving where the world is unkind. */

import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { EVERY_KIND } from "../every-kind.ts";
import { storePage } from "../plain-page.ts";
import { PHONE } from "./browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  isSaved,
  openEditor,
  ownPage,
  previewOf,
  savedPage,
  signIn,
} from "./editor-kit.ts";
import { inBrowser } from "./in-browser.ts";

inBrowser("the editor", (world) => {
  /** The field of the page's name in Arabic. */
  const name = (tab: Tab) => tab.locator("#profile-name-ar");

  test("shows in its preview the HTML that the server renders, to the byte", async () => {
    await using owner = await creator(world);
    const page = { ...EVERY_KIND, page_id: "every-kind-preview", slug: "every-kind-preview" };
    await storePage(await world.server.db(), page);
    for (const lang of ["ar", "en"] as const) {
      await openEditor(owner.tab, page.page_id);
      if (lang === "en")
        await owner.tab.locator(".preview .choice", { hasText: "English" }).click();
      const shown = await previewOf(owner.tab).locator("body").innerHTML();
      const rendered = await owner.tab.evaluate(async (path) => {
        const html = await (await fetch(path)).text();
        return new DOMParser().parseFromString(html, "text/html").body.innerHTML;
      }, `/api/me/pages/${page.page_id}/preview?lang=${lang}`);
      expect(shown).toBe(rendered);
    }
    await expectNoComplaints(owner);
  });

  test("has no script and no beacon in its preview's frame", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    await openEditor(owner.tab, page.page_id);
    const response = await owner.tab.request.get("/dashboard/preview-frame");
    const policy = response.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("script-src");
    expect(policy).toContain("frame-ancestors 'self'");
    await expect.poll(() => previewOf(owner.tab).locator("script").count()).toBe(0);
  });

  test("shows every keystroke in the preview in the same frame", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world, { page_id: `keys-${crypto.randomUUID().slice(0, 8)}` });
    await openEditor(owner.tab, page.page_id, { panel: "profile" });
    await name(owner.tab).waitFor();
    const late = await owner.tab.evaluate(async () => {
      const field = document.querySelector<HTMLInputElement>("#profile-name-ar");
      const frame = document.querySelector<HTMLIFrameElement>(".preview iframe");
      const heading = () => frame?.contentDocument?.querySelector("h1")?.textContent;
      const painted = () => new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
      const missed: string[] = [];
      for (const word of ["س", "سا", "سار", "سارة", "سارة ع", "سارة عل", "سارة علي"]) {
        await painted();
        if (field === null) break;
        field.value = word;
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        // The next callback runs before this frame is painted.
        await painted();
        if (heading() !== word) missed.push(`${word}: ${heading()}`);
      }
      return missed;
    });
    expect(late).toEqual([]);
  });

  test("saves by itself, and the public page has it", async () => {
    await using owner = await creator(world, PHONE);
    const page = await ownPage(world);
    await openEditor(owner.tab, page.page_id, { panel: "profile" });
    await name(owner.tab).fill("ليان من صور");
    await owner.tab.locator('[data-saving="waiting"]').waitFor();
    // Screen readers hear what is saved, not each step to it.
    const said = owner.tab.locator('.save-state [role="status"]');
    await expect.poll(() => said.textContent()).toBe("كل شيء محفوظ");
    await isSaved(owner.tab);
    await expect.poll(() => said.textContent()).toMatch(/^حُفظ/);
    expect((await savedPage(owner.tab, page.page_id)).name).toEqual({ ar: "ليان من صور" });
    await expectNoComplaints(owner);
  });

  test("keeps what is typed offline, and saves it when the network is back", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    await openEditor(owner.tab, page.page_id, { panel: "profile" });
    await name(owner.tab).waitFor();
    await owner.context.setOffline(true);
    await name(owner.tab).fill("بلا شبكة");
    await owner.tab.locator('[data-saving="retrying"]').waitFor();
    await owner.context.setOffline(false);
    await isSaved(owner.tab);
    expect((await savedPage(owner.tab, page.page_id)).name).toEqual({ ar: "بلا شبكة" });
  });

  /**
   * Opens the editor, types a name that does not arrive, and returns the tab. Playwright's offline mode ends
   * before the tab that is closed does, so a save could still arrive.
   */
  async function unsaved(tab: Tab, page_id: string): Promise<Tab> {
    await tab.addInitScript(() => {
      const ask = window.fetch.bind(window);
      window.fetch = (...call) =>
        "isCut" in window ? Promise.reject(new TypeError("no network")) : ask(...call);
    });
    await openEditor(tab, page_id, { panel: "profile" });
    await name(tab).waitFor();
    await tab.evaluate(() => Object.assign(window, { isCut: true }));
    await name(tab).fill("قبل الإغلاق");
    await tab.locator('[data-saving="retrying"]').waitFor();
    return tab;
  }

  async function isTakenUp(tab: Tab, page_id: string): Promise<void> {
    await tab.locator(".notice").waitFor();
    await expect.poll(() => name(tab).inputValue()).toBe("قبل الإغلاق");
    await expect
      .poll(async () => (await savedPage(tab, page_id)).name)
      .toEqual({ ar: "قبل الإغلاق" });
  }

  test("restores what a closed tab had not saved", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    await unsaved(owner.tab, page.page_id);
    await owner.tab.close({ runBeforeUnload: false });
    const tab = await owner.context.newPage();
    await openEditor(tab, page.page_id, { panel: "profile" });
    await isTakenUp(tab, page.page_id);
  });

  test("takes nothing from a tab that is open, and restores it when that tab is closed", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    await unsaved(owner.tab, page.page_id);
    const tab = await owner.context.newPage();
    await openEditor(tab, page.page_id, { panel: "profile" });
    await name(tab).waitFor();
    // Its editor waits for the lock.
    const pending = () =>
      tab.evaluate(async () => (await navigator.locks.query()).pending?.length ?? 0);
    await expect.poll(pending).toBe(1);
    expect(await name(tab).inputValue()).toBe("ليان الحوراني");
    await owner.tab.close({ runBeforeUnload: false });
    await isTakenUp(tab, page.page_id);
  });

  test("keeps what is typed when the session ends, and saves it after signing in again", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    await openEditor(owner.tab, page.page_id, { panel: "profile" });
    await name(owner.tab).waitFor();
    await owner.context.clearCookies({ name: "hub_session" });
    await name(owner.tab).fill("بعد انتهاء الجلسة");
    await owner.tab.locator('[data-saving="signed_out"]').waitFor();
    await signIn(world, owner);
    // As when the creator comes back from the sign-in page in another tab.
    await owner.tab.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await isSaved(owner.tab);
    expect((await savedPage(owner.tab, page.page_id)).name).toEqual({ ar: "بعد انتهاء الجلسة" });
  });

  test("merges what two tabs change, and asks only about the field that both changed", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    const [one, two] = [owner.tab, await owner.context.newPage()];
    for (const tab of [one, two]) await openEditor(tab, page.page_id, { panel: "profile" });
    await name(one).fill("من الأول");
    await isSaved(one);
    await two.locator("#profile-bio-ar").fill("نبذة من الثاني");
    await expect
      .poll(async () => (await savedPage(two, page.page_id)).bio)
      .toEqual({ ar: "نبذة من الثاني" });
    await expect.poll(() => name(two).inputValue()).toBe("من الأول");
    await name(one).fill("من الأول ثانية");
    await name(two).fill("من الثاني");
    await Promise.race([
      one.locator('[data-saving="conflict"]').waitFor(),
      two.locator('[data-saving="conflict"]').waitFor(),
    ]);
  });

  test("shows the page again when its preview was led elsewhere", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    await openEditor(owner.tab, page.page_id);
    await previewOf(owner.tab).locator(".footer a").click();
    await expect
      .poll(() => owner.tab.evaluate(() => document.querySelector("iframe")?.contentDocument?.URL))
      .toMatch(/preview-frame$/);
    await previewOf(owner.tab).locator("h1", { hasText: "ليان الحوراني" }).waitFor();
  });

  test("loses no focus to a dialog or a message that is closed", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const page = await ownPage(world);
    await openEditor(tab, page.page_id, { panel: "settings" });
    const share = tab.locator(".editor-toolbar button.primary");
    await share.click();
    const address = tab.locator("dialog.share .share-shown");
    await address.waitFor();
    // A text is selected from inside to outside.
    await tab.locator("dialog.share .hint").last().hover();
    await tab.mouse.down();
    await tab.mouse.move(2, 2, { steps: 3 });
    await tab.mouse.up();
    await expect.poll(() => address.isVisible()).toBe(true);
    await tab.keyboard.press("Escape");
    await address.waitFor({ state: "detached" });
    expect(await share.evaluate((button) => button === document.activeElement)).toBe(true);

    await tab.locator(".setting button", { hasText: "أضف الإنجليزية" }).click();
    await tab.locator(".languages-list button", { hasText: "أزل" }).last().click();
    await tab.locator(".notice-action").focus();
    await tab.keyboard.press("Enter");
    await tab.locator(".notice").waitFor({ state: "detached" });
    await expect.poll(() => tab.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
  });

  test("opens a part that was not loaded when it is asked for again", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const page = await ownPage(world);
    // The file of the parts is asked for after the first paint, sooner or later.
    let is_down = true;
    await tab.route("**/assets/editor-*.js*", async (route) => {
      const file = await route.fetch();
      const has_parts = (await file.text()).includes("contact-form");
      return is_down && has_parts ? route.abort() : route.fulfill({ response: file });
    });
    await openEditor(tab, page.page_id);
    await tab.locator('.panels a[href="#profile"]').click();
    const retry = tab.locator(".editor-loading button");
    await retry.waitFor();
    is_down = false;
    await retry.click();
    await name(tab).waitFor();
  });

  test("keeps its panel when the skip link is used", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    await openEditor(owner.tab, page.page_id, { panel: "profile" });
    await name(owner.tab).waitFor();
    // What is loaded later is not announced at the end of the page.
    await expect.poll(() => owner.tab.locator("#editor .editor-loading").count()).toBe(0);
    await owner.tab.locator(".skip").focus();
    await owner.tab.keyboard.press("Enter");
    await expect.poll(() => owner.tab.evaluate(() => location.hash)).toBe("#main");
    const shown = owner.tab.locator(".panels [aria-current=page]");
    await expect.poll(() => shown.getAttribute("href")).toBe("#profile");
    await expect.poll(() => name(owner.tab).count()).toBe(1);
  });

  test("undoes with the keys of an Arabic keyboard", async () => {
    await using owner = await creator(world);
    const page = await ownPage(world);
    await openEditor(owner.tab, page.page_id, { panel: "profile" });
    await name(owner.tab).fill("اسم آخر");
    await owner.tab.locator('[data-saving="waiting"]').waitFor();
    await owner.tab.evaluate(() => {
      const keys = { key: "ئ", code: "KeyZ", ctrlKey: true, bubbles: true };
      document.body.dispatchEvent(new KeyboardEvent("keydown", keys));
    });
    await expect.poll(() => name(owner.tab).inputValue()).toBe("ليان الحوراني");
  });

  test("sends a change at once when the tab is left", async () => {
    await using owner = await creator(world, PHONE);
    const page = await ownPage(world);
    await openEditor(owner.tab, page.page_id, { panel: "profile" });
    await name(owner.tab).waitFor();
    const saving = await owner.tab.evaluate(async () => {
      const field = document.querySelector<HTMLInputElement>("#profile-name-ar");
      if (field === null) return null;
      field.value = "قبل أن أغادر";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
      await new Promise((resolve) => setTimeout(resolve));
      return document.querySelector<HTMLElement>("[data-saving]")?.dataset.saving;
    });
    expect(["sending", "saved"]).toContain(saving);
    await isSaved(owner.tab);
    expect((await savedPage(owner.tab, page.page_id)).name).toEqual({ ar: "قبل أن أغادر" });
  });
});
