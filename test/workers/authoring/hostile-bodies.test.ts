/** F13: whatever a creator sends as a page, the answer is a page or an error in the envelope. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cases, seedOfTheDay } from "../kit/cases.ts";
import { errorOf } from "../kit/kit.ts";
import { creator } from "./authoring-kit.ts";

const MEMBERS = [
  ...["slug", "status", "locales", "time_zone", "indexed", "name", "bio", "avatar", "contact"],
  ...["look", "links", "page_id", "version", "ends_at", "__proto__", "constructor", "toString"],
  ...["ar", "en", "accent", "palette", "link_id", "kind", "label", "url", "enabled", "from"],
  ...["until", "highlight", "image", "phones", "emails", "note", ""],
];

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.constantFrom(
    ...["", "ar", "en", "published", "card", "text", "UTC", "Asia/Riyadh", "https://a.example/"],
    ...["javascript:1", "#12abef", "a/b.webp", "\ud800", "\u0000", "\u202e", "😀".repeat(200)],
  ),
);
const number = fc.oneof(fc.double(), fc.constantFrom(0, -0, -1, 1.5, 2 ** 53, 1e300, 1e-300));

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom(...MEMBERS), tie("value"), { maxKeys: 6 }),
}));

test("F13: no body is answered with a server's error, and no answer lacks the envelope", async () => {
  const me = await creator();
  const page = await me.make({ links: [{ url: "https://shop.example/" }] });
  const path = `/api/me/pages/${page.page_id}`;
  const whole = { ...page, slug: page.slug };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("PATCH", "PUT"),
      fc.constantFrom(...(["replace", "merge"] as const)),
      value,
      async (method, how, value) => {
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        const body = how === "merge" && isObject ? { ...whole, ...value } : value;
        const response = await me.send(method, path, body, { "If-Match": "*" });
        expect([200, 400, 409, 413]).toContain(response.status);
        if (response.ok) {
          expect(await response.json()).toMatchObject({
            ok: true,
            page: { page_id: page.page_id },
          });
          return;
        }
        const error = await errorOf(response);
        expect(error).toMatchObject({ ok: false, code: expect.any(String) });
        // Nothing of D1 or of a stack is in an answer.
        expect(JSON.stringify(error)).not.toMatch(/SQLITE|D1_|constraint|\.ts:\d/);
      },
    ),
    { numRuns: cases(1_000, 1 / 10), seed: seedOfTheDay() },
  );
});
