/** Readers for whom the editor must be right: of Arabic, of large text, with forced colours, with a finger. */
import type { BrowserContextOptions, Locator } from "playwright-core";
import { expect, test } from "vitest";
import { NOTICE_MS } from "../../../src/client/editor/notice-place.ts";
import { EVERY_KIND } from "../../every-kind.ts";
import { PHONE, type World } from "../browser-kit.ts";
import { editing, expectNoComplaints, openEditor } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { row } from "../links-kit.ts";
import { BOTH_LANGUAGES, button, openRow } from "./editor-parts.ts";
import { eventually } from "./eventually.ts";

const { EDITOR_TEXTS, LINKS_TEXTS } = EDITOR.ar;
const { page_id: _id, slug: _slug, owner_id: _owner, ...FULL } = EVERY_KIND;

const WIDE = { ...PHONE, viewport: { width: 390, height: 844 } };

const boxOf = async (place: Locator) => {
  const box = await place.boundingBox();
  if (box === null) throw new Error(`${place} is not shown`);
  return { ...box, bottom: box.y + box.height };
};

const overlap = async (one: Locator, other: Locator): Promise<boolean> => {
  const [a, b] = [await boxOf(one), await boxOf(other)];
  return a.y < b.bottom && b.y < a.bottom && a.x < b.x + b.width && b.x < a.x + a.width;
};

const phone = (device: BrowserContextOptions, panel: string) => ({
  device,
  panel,
  page: { ...FULL, ...BOTH_LANGUAGES },
});

export function readerJourneys(world: World): void {
  test("a notice stands where nothing was just done, and covers neither that nor what has the focus", async () => {
    await using owner = await editing(world, phone(WIDE, "links"));
    const { tab } = owner;
    const notice = tab.locator(".notice");
    const rows = tab.locator(".row");
    for (const block of ["start", "end"] as const) {
      const at = block === "start" ? rows.nth(1) : rows.last();
      await at.locator(".row-open").click();
      const remove = at.locator(".remove");
      await remove.evaluate((element, block) => element.scrollIntoView({ block }), block);
      const { y } = await boxOf(remove);
      await remove.click();
      await notice.waitFor();
      const { y: top, bottom } = await boxOf(notice);
      expect([block, top > y || bottom < y]).toEqual([block, true]);
      const next = tab.locator(":focus");
      await eventually(() => next.count(), 1);
      expect([block, await overlap(notice, next)]).toEqual([block, false]);
      expect([block, await overlap(notice, tab.locator(".panels"))]).toEqual([block, false]);
      await notice.locator(".notice-action").click();
      await notice.waitFor({ state: "detached" });
    }
    await expectNoComplaints(owner);
  });

  test("a notice stays six seconds, and longer while it is pointed at or has the focus", async () => {
    await using owner = await editing(world);
    const { tab, page_id } = owner;
    await tab.clock.install();
    await tab.goto("about:blank");
    await openEditor(tab, page_id);
    const notice = tab.locator(".notice");
    const remove = async (name: string) => {
      await openRow(tab, name);
      await row(tab, name).locator(".remove").click();
      await notice.getByText(LINKS_TEXTS.removed(name)).waitFor();
    };
    await remove("المتجر");
    await notice.hover();
    await tab.clock.fastForward(10 * NOTICE_MS);
    expect(await notice.count()).toBe(1);
    await tab.mouse.move(0, 0);
    await notice.locator(".notice-action").focus();
    await tab.clock.fastForward(10 * NOTICE_MS);
    expect(await notice.count()).toBe(1);
    await tab.locator("#add-links").focus();
    await tab.clock.fastForward(NOTICE_MS);
    await notice.waitFor({ state: "detached" });
    // What it offered is still there.
    await button(tab.locator(".editor-tools"), EDITOR_TEXTS.undo).click();
    await row(tab, "المتجر").waitFor();
  });
}
