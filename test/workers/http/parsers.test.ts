/** Parsers accept or refuse any input: none throws another error, hangs, or returns malformed values. */
import { assert, expect, test } from "vitest";
import { Beacon } from "../../../src/counting/beacon-schema.ts";
import { ErrorReport, toSample } from "../../../src/counting/errors/error-report.ts";
import { fingerprintOf } from "../../../src/counting/errors/fingerprint.ts";
import { BEACON_BYTES_MAX } from "../../../src/counting/limits.ts";
import { ApiError } from "../../../src/http/api-error.ts";
import { readJson } from "../../../src/http/body.ts";
import { utf8 } from "../../../src/http/bytes.ts";
import { canonicalSlug } from "../../../src/http/ids.ts";
import { decodeSegment } from "../../../src/http/path-segment.ts";
import { slugOf } from "../../../src/pages/cache/rendition.ts";
import { pick, type Random } from "../../random.ts";
import { damagedBytes, fuzz, hostile, INPUTS } from "../kit/hostile.ts";
import { ORIGIN } from "../kit/kit.ts";

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The code of the error with which a parser may refuse; any other error is a bug. */
function codeOf(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  // The details are sent to the client.
  JSON.stringify(error.details);
  return error.code;
}

test("a beacon's body is a beacon or one of four errors, for any bytes, type and length", async () => {
  const fields = new Set(Object.keys(Beacon.shape));
  const inherited = Reflect.ownKeys(Object.prototype);
  const ways = await fuzz(
    [
      '{"page_id":"demo"}',
      '{"page_id":"demo","link_id":"demo-shop","event_id":"0-_Z"}',
      '{"page_id":"p","referrer":"https://a.example/?x","utm_source":"😀","utm_campaign":"عرض"}',
      '{"page_id":"demo","__proto__":{"page_id":"x"},"constructor":{"prototype":{}},"n":[[[{}]]]}',
      `{"page_id":"demo","pad":"${"x".repeat(BEACON_BYTES_MAX - 27)}"}`,
    ],
    async (text, random) => {
      const body = random() < 0.1 ? damagedBytes(utf8(`${text} `), random) : utf8(text);
      const headers = new Headers();
      if (random() < 0.8) headers.set("Content-Type", pick(TYPES, random));
      // With a declared length the body is read at once, otherwise as a stream.
      if (random() < 0.7) headers.set("Content-Length", String(body.length));
      else if (random() < 0.2) headers.set("Content-Length", pick(LENGTHS, random));
      const request = new Request(ORIGIN, { method: "POST", body, headers });
      try {
        const beacon = await readJson(request, Beacon, BEACON_BYTES_MAX);
        assert(body.length <= BEACON_BYTES_MAX, "too large");
        new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
        for (const id of [beacon.page_id, beacon.link_id ?? "x", beacon.event_id ?? "x"]) {
          assert(ID.test(id), "no id");
        }
        for (const key of Reflect.ownKeys(beacon)) {
          assert(typeof key === "string" && fields.has(key), `unknown key ${String(key)}`);
        }
        return "taken";
      } catch (error) {
        return codeOf(error);
      }
    },
  );
  expect(Object.keys(ways).sort()).toEqual([
    "INVALID_JSON",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "VALIDATION_FAILED",
    "taken",
  ]);
  expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited);
  expect(Math.min(...Object.values(ways))).toBeGreaterThan(INPUTS / 1_000);
});

const TYPES = [
  ...(["application/json", "APPLICATION/JSON; charset=utf-8", "text/plain", "text/plain"] as const),
  ...["text/plain;charset=UTF-8", "", ";", "text/html", "a/b/c"],
] as const;
const LENGTHS = ["0", "8192", "8193", "-1", "NaN", "1e9", "0x10", " ", "9".repeat(20)] as const;

const STACKS = [
  "TypeError: x is undefined\n    at record (https://sila.example/assets/beacon-eb7371b7dc.js:1:20)",
  "at async HTMLAnchorElement.<anonymous> (https://me:pw@a.example/app.js?v=1#x:1:900)",
  "record/<@https://sila.example/assets/beacon-eb7371b7dc.js:1:20\nasync*@https://a.example/:9:9",
  "at eval (eval at f (https://a.example/x.js:1:2), <anonymous>:1:1)\n at new X (native)\n@\n@@\nat ",
  "layla@example.com from 203.0.113.7, 2001:db8::7: Bearer abc.def, eyJhbGciOiJI.eyJzdWIi.x /a?b=c",
  "no session 6f9619ff-8b86-d011-b42d-00c04fc964ff after 3.5 s, 0x0a1b2c3d4e5f",
] as const;

test("an error report is refused, or kept well-formed with a fingerprint of 32 hex digits", async () => {
  const field = (random: Random) => (random() < 0.5 ? undefined : hostile(STACKS, random));
  const ways = await fuzz(STACKS, async (text, random) => {
    const report = ErrorReport.safeParse({
      message: text,
      stack: field(random),
      url: field(random),
      page_id: random() < 0.9 ? undefined : hostile(["demo"], random),
    });
    if (!report.success) return "refused";
    const sample = toSample(report.data);
    for (const kept of [sample.message, sample.stack, sample.url]) {
      assert(kept.isWellFormed(), "half a character");
      assert(!/[^\P{Cc}\t\n]|\p{Bidi_Control}/u.test(kept), "controls");
    }
    assert(!/[?#]/.test(sample.url.replaceAll("?[redacted]", "")), "query");
    assert(/^[0-9a-f]{32}$/.test(await fingerprintOf(sample)), "fingerprint");
    return "kept";
  });
  expect(ways.kept).toBeGreaterThan(INPUTS / 2);
  expect(ways.refused).toBeGreaterThan(INPUTS / 1_000);
});

test("S13: a slug is 404, or has a canonical spelling of letters and digits that is its own", async () => {
  const samples = [
    ...(["layla.art-01", "%D9%84%D9%8A%D9%84%D9%89", "ليلى", "مُحَمَّد", "ﻣﺤﻤﺪ"] as const),
    ...["ＬＡＹＬＡ", "straße", "کتاب-٣", "a".repeat(64), "%41%2f%2e%2e", "کلیّات.۴"],
  ] as const;
  const ways = await fuzz(samples, (text) => {
    const spelled = decodeSegment(text);
    const slug = canonicalSlug(text);
    if (slug !== null) {
      assert(/^[\p{L}\p{Nd}](?:[\p{L}\p{Nd}._-]{0,62}[\p{L}\p{Nd}])?$/u.test(slug), slug);
      assert(canonicalSlug(slug) === slug, "not its own");
    }
    try {
      const found = slugOf(text);
      assert(found.spelled === spelled && canonicalSlug(found.slug) === found.slug, "another");
      return "found";
    } catch (error) {
      return codeOf(error);
    }
  });
  expect(Object.keys(ways).sort()).toEqual(["PAGE_NOT_FOUND", "found"]);
  expect(Math.min(...Object.values(ways))).toBeGreaterThan(INPUTS / 10);
});
