/** The history of a page in its editor: sittings, what a click rate is worth, and differences. */
import { describe, expect, test } from "vitest";
import type { Draft, Link } from "../../../src/client/editor/draft.ts";
import { differencesOf } from "../../../src/client/editor/history/differences.ts";
import {
  joined,
  judge,
  type Listed,
  sittingsOf,
  type Version,
} from "../../../src/client/editor/history/sittings.ts";
import { USUAL_LOOK } from "../../../src/views/look-values.ts";

/** A version saved at this minute of a day. */
function version(number: number, minute: number, views: number | null, clicks = 0): Version {
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const totals = views === null ? null : { views, clicks };
  return { version: number, at, what: [number % 2 === 0 ? "bio" : "links"], totals };
}

describe("sittings", () => {
  test("join saves with pauses of at most ten minutes", () => {
    const versions = [version(4, 31, 0), version(3, 20, 0), version(2, 10, 0), version(1, 0, 0)];
    const sittings = sittingsOf(versions, null).map((sitting) =>
      sitting.versions.map(({ version }) => version),
    );
    expect(sittings).toEqual([[4], [3, 2, 1]]);
  });

  test("name each change once, and the newest version first", () => {
    const [sitting] = sittingsOf([version(3, 2, 0), version(2, 1, 0), version(1, 0, 0)], null);
    expect(sitting?.newest.version).toBe(3);
    expect(sitting?.what).toEqual(["links", "bio"]);
  });

  test("count the views before them from the sitting before, and after them until the next", () => {
    const versions = [
      version(4, 90, 900, 90),
      version(3, 61, 500, 20),
      version(2, 60, 400, 10),
      version(1, 0, 100, 0),
    ];
    const [last, middle, first] = sittingsOf(versions, { views: 1_000, clicks: 95 });
    expect([last?.before, last?.after]).toEqual([
      { views: 400, clicks: 70 },
      { views: 100, clicks: 5 },
    ]);
    expect([middle?.before, middle?.after]).toEqual([
      { views: 300, clicks: 10 },
      { views: 400, clicks: 70 },
    ]);
    expect([first?.before, first?.after]).toEqual([null, { views: 300, clicks: 10 }]);
  });

  test("say nothing of views where a version's totals are not known", () => {
    const [last, first] = sittingsOf([version(2, 60, null), version(1, 0, 5)], {
      views: 9,
      clicks: 1,
    });
    expect([last?.before, last?.after, first?.after]).toEqual([null, null, null]);
  });
});

describe("click rates", () => {
  test("with fewer than 100 views on either side are not compared", () => {
    const many = { views: 10_000, clicks: 5_000 };
    expect(judge({ views: 99, clicks: 0 }, many)).toBe("few");
    expect(judge(many, { views: 99, clicks: 0 })).toBe("few");
    expect(judge({ views: 100, clicks: 1 }, many)).toBe("up");
  });

  test("rise or fall only beyond what chance explains", () => {
    const before = { views: 1_000, clicks: 100 };
    expect(judge(before, { views: 1_000, clicks: 110 })).toBe("same");
    expect(judge(before, { views: 1_000, clicks: 140 })).toBe("up");
    expect(judge(before, { views: 1_000, clicks: 60 })).toBe("down");
    expect(judge({ views: 1_000, clicks: 0 }, { views: 1_000, clicks: 0 })).toBe("same");
  });
});

describe("differences", () => {
  const link = (link_id: string, members: Partial<Link> = {}): Link => ({
    link_id,
    kind: "link",
    label: { ar: link_id },
    url: `https://${link_id}.example/`,
    enabled: true,
    from: null,
    until: null,
    highlight: false,
    image: null,
    ...members,
  });
  const page = (members: Partial<Draft> = {}): Draft => ({
    slug: "layan",
    status: "published",
    locales: ["ar"],
    time_zone: "Asia/Riyadh",
    indexed: true,
    name: { ar: "ليان" },
    bio: {},
    avatar: null,
    contact: null,
    look: USUAL_LOOK,
    links: [link("a"), link("b"), link("c")],
    ...members,
  });
  const paths = (old: Draft, now: Draft) => differencesOf(old, now).map(({ path }) => path);

  test("are named by language, by axis of the look and by member of a link", () => {
    const now = page({
      name: { ar: "ليان", en: "Layan" },
      look: { ...USUAL_LOOK, palette: "ink" },
      links: [link("a", { label: { ar: "متجر" }, enabled: false }), link("b"), link("c")],
    });
    expect(paths(page(), now)).toEqual([
      "name.en",
      "look.palette",
      "links.a.label.ar",
      "links.a.enabled",
    ]);
  });

  test("are whole links where one version lacks them, and the order of the others", () => {
    const now = page({ links: [link("c"), link("a"), link("d")] });
    expect(differencesOf(page(), now)).toEqual([
      { path: "links.b", old: link("b"), now: null },
      { path: "links.d", old: null, now: link("d") },
      { path: "order", old: null, now: null },
    ]);
  });

  test("leave out what a restore leaves as it is", () => {
    expect(paths(page(), page({ slug: "other", status: "draft" }))).toEqual([]);
  });
});

describe("the list of versions", () => {
  const versions = (from: number, to: number): Version[] =>
    Array.from({ length: from - to + 1 }, (_, i) => version(from - i, 0, null));
  const numbers = ({ versions }: Listed) => versions.map((each) => each.version);

  test("has older ones when they are asked for, and keeps them when there is a newer one", () => {
    const first = joined(null, { before: null, revisions: versions(130, 31), now: null });
    expect([numbers(first).length, first.has_more]).toEqual([100, true]);
    const all = joined(first, { before: 31, revisions: versions(30, 1), now: null });
    expect(numbers(all)).toEqual(versions(130, 1).map((each) => each.version));
    expect(all.has_more).toBe(false);
    const later = joined(all, { before: null, revisions: versions(131, 32), now: null });
    expect(numbers(later)).toEqual(versions(131, 1).map((each) => each.version));
    expect(later.has_more).toBe(false);
  });
});
