/** A new block is off until its row is closed once, so that visitors do not see it half made. */
import { beforeEach, expect, test, vi } from "vitest";
import { newLink } from "../../../src/client/editor/draft.ts";
import { Editing } from "../../../src/client/editor/editing.ts";
import { FakePages, plainSavedPage, savedLink, USER } from "./fake-pages.ts";

// As the build and the page define them.
vi.stubGlobal("LOCALE", "en");
vi.stubGlobal("document", { getElementById: () => null, querySelector: () => null });
const { atHand, forgetNewBlock, takeInHand } = await import(
  "../../../src/client/editor/at-hand.ts"
);
const { newBlock } = await import("../../../src/client/editor/blocks/new-block.ts");
const { Desk } = await import("../../../src/client/editor/links/desk.ts");

const PAGE = plainSavedPage([savedLink("a", "الأول")]);

function desk() {
  const { who, call } = new FakePages(PAGE);
  const editing = new Editing(structuredClone(PAGE), {
    api: { who, call },
    user_id: USER,
    drafts: { write: async () => true, clear: () => {}, flush: () => {} },
    now: () => 0,
    after: () => () => {},
    is_online: () => true,
    report: () => {},
  });
  const made = new Desk(editing, () => {});
  const first = () => editing.state.draft.links[0] ?? newLink("link");
  return { desk: made, editing, first };
}

beforeEach(() => takeInHand(null));

test("a new block is off while its row is open, and on when it is closed, as one step of undo", () => {
  const { desk: rows, editing, first } = desk();
  rows.add([newBlock("newsletter")]);
  expect([first().kind, first().enabled, rows.open]).toEqual([
    "newsletter",
    false,
    rows.keyOf(first()),
  ]);
  expect(atHand().place).toEqual({ row_key: rows.keyOf(first()) });
  rows.change(first(), { label: { ar: "نشرتي" } });
  expect(first().enabled).toBe(false);
  rows.close(rows.keyOf(first()));
  expect(first().enabled).toBe(true);
  editing.undo();
  expect([first().enabled, first().label]).toEqual([false, { ar: "نشرتي" }]);
  // Only the first time: now the creator has switched it off.
  rows.toggle(first(), false);
  rows.close(rows.keyOf(first()));
  expect(first().enabled).toBe(false);
});

test("another row that is opened and a panel that is left close the row, too", () => {
  for (const leave of ["open another", "leave"] as const) {
    const { desk: rows, editing, first } = desk();
    rows.add([newBlock("tip")]);
    const other = editing.state.draft.links[1] ?? first();
    if (leave === "leave") rows.leave();
    else rows.toggle(other, false);
    expect([leave, first().kind, first().enabled]).toEqual([leave, "tip", true]);
  }
});

test("a block that lacks something stays off when its row is closed, and is on when it is complete", () => {
  const { desk: rows, first } = desk();
  rows.add([newBlock("download")]);
  rows.close(rows.keyOf(first()));
  expect(first().enabled).toBe(false);
  rows.toggle(first(), false);
  rows.change(first(), { block: { file_id: "f", access: "free", uses_max: null } });
  rows.close(rows.keyOf(first()));
  expect(first().enabled).toBe(true);
});

test("a switch that is used by hand is what counts", () => {
  const { desk: rows, first } = desk();
  rows.add([newBlock("newsletter")]);
  rows.setEnabled(first(), true);
  expect(first().enabled).toBe(true);
  rows.setEnabled(first(), false);
  rows.close(rows.keyOf(first()));
  expect(first().enabled).toBe(false);
});

test("a removed block that comes back is still off, and an editor that is opened anew leaves it so", () => {
  const { desk: rows, editing, first } = desk();
  rows.add([newBlock("newsletter")]);
  rows.remove(first());
  expect(first().kind).toBe("link");
  editing.undo();
  expect([first().kind, first().enabled]).toEqual(["newsletter", false]);
  const again = new Desk(editing, () => {});
  const key = again.keyOf(first());
  // As after a reload, which forgets which blocks were new.
  for (const each of atHand().new_blocks) forgetNewBlock(each);
  again.toggle(first(), false);
  again.close(key);
  expect(first().enabled).toBe(false);
});

test("a link, a heading and a text are on as soon as they are added", () => {
  const { desk: rows, first } = desk();
  for (const kind of ["link", "heading", "text"] as const) {
    rows.add([newLink(kind)]);
    expect([kind, first().kind, first().enabled]).toEqual([kind, kind, true]);
  }
});
