/** The languages of the editor's fields, and that a page shows no text of one that it does not list. */
import { expect, test, vi } from "vitest";
import { type ByLocale, type Draft, draftOf, newLink } from "../../../src/client/editor/draft.ts";
import { Editing } from "../../../src/client/editor/editing.ts";
import { languagesOf } from "../../../src/client/editor/languages.ts";
import { merge } from "../../../src/client/editor/merge.ts";
import { shownWords, textIn } from "../../../src/pages/document/page-words.ts";
import { FakePages, plainSavedPage, savedLink, USER } from "./fake-pages.ts";

const PAGE = plainSavedPage([savedLink("a", "الأول"), savedLink("b", "الثاني")]);
const DRAFT = draftOf(PAGE);
const ENGLISH: Draft = { ...DRAFT, name: { ...DRAFT.name, en: "Sara" } };

const keyOf = (link_id: string) => link_id;

function editingOf(page: typeof PAGE): Editing {
  const { who, call } = new FakePages(page);
  return new Editing(structuredClone(page), {
    api: { who, call },
    user_id: USER,
    drafts: { write: async () => true, clear: () => {}, flush: () => {} },
    now: () => 0,
    after: () => () => {},
    is_online: () => true,
    report: () => {},
  });
}

test("a language is prepared by its first text: in the name, a bio, a label or words of a picture", () => {
  const picture = newLink("card", { image: "p/x", alt: { en: "A bowl" } });
  for (const [draft, languages] of [
    [DRAFT, ["ar"]],
    [ENGLISH, ["ar", "en"]],
    [{ ...DRAFT, bio: { en: "Potter" } }, ["ar", "en"]],
    [{ ...DRAFT, links: [newLink("link", { label: { en: "Shop" } })] }, ["ar", "en"]],
    [{ ...DRAFT, links: [picture] }, ["ar", "en"]],
    [{ ...DRAFT, bio: { en: " " } }, ["ar"]],
    [{ ...ENGLISH, locales: ["en"] }, ["en", "ar"]],
    [{ ...ENGLISH, locales: ["en", "ar"] }, ["en", "ar"]],
  ] as const) {
    expect(languagesOf(draft as Draft)).toEqual(languages);
  }
});

test("a language that is prepared stays while its only text is typed anew, and after a reload if it has one", () => {
  const editing = editingOf(PAGE);
  const { languages } = editing.state;
  editing.edit((draft) => ({ ...draft, bio: { ar: "خزّافة" } }));
  // The same list, by which rows know that they need not render.
  expect(editing.state.languages).toBe(languages);
  editing.prepare("en");
  expect(editing.state.languages).toEqual(["ar", "en"]);
  expect(editing.state.draft.locales).toEqual(["ar"]);
  for (const en of ["Sara", "", "S"]) {
    editing.edit((draft) => ({ ...draft, name: { ...draft.name, en } }), "name.en");
    expect(editing.state.languages).toEqual(["ar", "en"]);
  }
  const { page_id } = PAGE;
  expect(editingOf({ ...PAGE, ...editing.state.draft, page_id }).state.languages).toEqual([
    "ar",
    "en",
  ]);
  editing.unprepare("en");
  expect(editing.state.languages).toEqual(["ar", "en"]);
  editing.undo();
  editing.unprepare("en");
  expect(editing.state.languages).toEqual(["ar"]);
});

test("texts that one tab prepares and the showing of their language by another are both kept", () => {
  const shown: Draft = { ...DRAFT, locales: ["ar", "en"] };
  const { draft, conflicts } = merge(DRAFT, ENGLISH, shown);
  expect([draft, conflicts]).toEqual([{ ...ENGLISH, locales: ["ar", "en"] }, []]);
});

test("deleted texts come back to where they were, but not over newer ones", async () => {
  // As the build and the page define them.
  vi.stubGlobal("LOCALE", "en");
  vi.stubGlobal("document", { getElementById: () => null });
  const { changedTexts } = await import("../../../src/client/editor/settings/text-rows.ts");
  const [first = newLink("link")] = DRAFT.links;
  const former = { ...ENGLISH, links: [{ ...first, label: { ...first.label, en: "First" } }] };
  const deleted = changedTexts(former, keyOf, ({ en: _, ...text }) => text);
  expect([deleted.name, deleted.links[0]?.label]).toEqual([{ ar: "سارة" }, { ar: "الأول" }]);
  const newer = { ...deleted, name: { ...deleted.name, en: "Sarah" } };
  const back = (text: ByLocale, { en }: ByLocale) =>
    text.en === undefined && en !== undefined ? { ...text, en } : text;
  const restored = changedTexts(newer, keyOf, back, former);
  expect([restored.name.en, restored.links[0]?.label.en]).toEqual(["Sarah", "First"]);
});

test("a page shows no text of a language that it does not list, and links without one stay the same objects", () => {
  const [first = newLink("link"), second] = DRAFT.links;
  const both = { ...first, label: { en: "First" }, alt: { ar: "وعاء", en: "A bowl" } };
  const page = { ...ENGLISH, bio: { en: "Potter" }, links: [both, ...DRAFT.links.slice(1)] };
  const shown = shownWords(page);
  expect([shown.name, shown.bio]).toEqual([{ ar: "سارة" }, {}]);
  expect(shown.links[0]).toEqual({ ...both, label: {}, alt: { ar: "وعاء" } });
  expect(textIn(shown.links[0]?.label ?? {}, "en")).toBe("");
  expect(shown.links[1]).toBe(second);
  // The preview renders an entry again only for another object.
  expect(shownWords({ ...page }).links[0]).toBe(shown.links[0]);
  const listed = { ...page, locales: ["ar", "en"] as Draft["locales"] };
  expect(shownWords(listed)).toBe(listed);
});
