/** Moving links in the editor, where the row of icons and the list are two. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Draft, type LinkKind, newLink } from "../../../src/client/editor/draft.ts";
import { listOf, movedTo, placeOf } from "../../../src/client/editor/links/order.ts";

const kind = fc.constantFrom<LinkKind>("link", "card", "social", "heading", "text");
const draft = fc
  .array(kind, { minLength: 1, maxLength: 12 })
  .map((kinds) => ({ links: kinds.map((each) => newLink(each)) }) as unknown as Draft);

it("a moved link is at its place of its list, and all others keep their order", () => {
  fc.assert(
    fc.property(draft, fc.nat(), fc.integer({ min: -2, max: 14 }), (before, nth, to) => {
      const link = before.links[nth % before.links.length];
      if (link === undefined) return;
      const { links } = movedTo(before, link.link_id, to);
      const size = listOf(before.links, link.kind).length;
      expect(placeOf(links, link.link_id)).toEqual({
        at: Math.min(Math.max(to, 0), size - 1),
        of: size,
      });
      expect(links.filter((each) => each !== link)).toEqual(
        before.links.filter((each) => each !== link),
      );
    }),
  );
});

it("a link that stays where it is leaves the draft the same object", () => {
  fc.assert(
    fc.property(draft, fc.nat(), (before, nth) => {
      const { link_id } = before.links[nth % before.links.length] ?? { link_id: "" };
      expect(movedTo(before, link_id, placeOf(before.links, link_id)?.at ?? 0)).toBe(before);
      expect(movedTo(before, "none", 0)).toBe(before);
    }),
  );
});
