/** What the editor sends for suggestions, and what it saves of them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AI_TEXTS_CHARS_MAX, AI_TEXTS_MAX } from "../../../src/blocks/ai/limits.ts";
import { TranslateRequest } from "../../../src/blocks/ai/suggestion-schema.ts";
import { leftOf, requestsOf } from "../../../src/client/editor/ai/wire.ts";
import { type Draft, type Link, newLink } from "../../../src/client/editor/draft.ts";
import { cleaned } from "../../../src/client/editor/wire.ts";
import { LINK_TEXT_CHARS_MAX } from "../../../src/pages/document/limits.ts";

describe("texts to translate", () => {
  it("go in as few requests as hold them, and the service accepts each", () => {
    const text = fc
      .integer({ min: 1, max: LINK_TEXT_CHARS_MAX })
      .chain((n) => fc.constantFrom("ا", "x", "🏺").map((character) => character.repeat(n)));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 2 * AI_TEXTS_MAX }), (texts) => {
        const requests = requestsOf(texts);
        expect(requests.flat()).toEqual(texts);
        for (const each of requests) {
          expect(TranslateRequest.safeParse({ from: "ar", to: "en", texts: each }).success).toBe(
            true,
          );
        }
        for (const [i, each] of requests.entries()) {
          const next = requests[i + 1]?.[0];
          if (next === undefined) continue;
          const characters = [...(each.join("") + next)].length;
          expect(each.length === AI_TEXTS_MAX || characters > AI_TEXTS_CHARS_MAX).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("fill a request to the limit, and one past it begins another", () => {
    const many = (n: number) => Array.from({ length: n }, () => "x");
    expect(requestsOf([])).toEqual([]);
    expect(requestsOf(many(AI_TEXTS_MAX))).toHaveLength(1);
    expect(requestsOf(many(AI_TEXTS_MAX + 1))).toHaveLength(2);
    const quarter = "🏺".repeat(AI_TEXTS_CHARS_MAX / 4);
    expect(requestsOf([quarter, quarter, quarter, quarter])).toHaveLength(1);
    expect(requestsOf([quarter, quarter, quarter, quarter, "x"])).toHaveLength(2);
  });
});

describe("what is left", () => {
  it("is read from the headers, also where they name other limits, too", () => {
    const headers = new Headers({
      RateLimit: '"private";r=59;t=60, "ai";r=9;t=86400',
      "RateLimit-Policy": '"private";q=60;w=60, "ai";q=10;w=86400',
    });
    expect(leftOf(headers)).toEqual({ n: 9, of: 10 });
  });

  it("is not known from those of another limit alone", () => {
    const headers = new Headers({ RateLimit: '"private";r=59;t=60' });
    expect(leftOf(headers)).toBeNull();
  });
});

describe("the description of a picture", () => {
  const saved = (members: Partial<Link>): Link | undefined => {
    const link = newLink("card", { image: "pictures/p/a.webp", ...members });
    return cleaned({ name: {}, bio: {}, contact: null, links: [link] } as unknown as Draft)
      .links[0];
  };

  it("is saved as plain text, without the languages that have none", () => {
    expect(saved({ alt: { ar: " إبريق\u202e ", en: "  " } })?.alt).toEqual({ ar: "إبريق" });
    expect(saved({ alt: { ar: "" } })).not.toHaveProperty("alt");
    expect(saved({})).not.toHaveProperty("alt");
  });

  it("goes with the picture, and with the card", () => {
    const alt = { ar: "إبريق" };
    expect(saved({ alt, image: null })).not.toHaveProperty("alt");
    expect(saved({ alt, kind: "link" })).not.toHaveProperty("alt");
  });
});
