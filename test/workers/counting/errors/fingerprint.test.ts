/** The fingerprint of an error depends on its cause, and not on deploy, visitor or page. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ErrorReport, toSample } from "../../../../src/counting/errors/error-report.ts";
import { fingerprintOf } from "../../../../src/counting/errors/fingerprint.ts";
import { cases } from "../../kit/cases.ts";

/** As the route computes it, from the stored sample. */
function fingerprint(message: string, stack = ""): Promise<string> {
  return fingerprintOf(toSample(ErrorReport.parse({ message, stack })));
}

async function expectAlike(...reports: [message: string, stack?: string][]): Promise<void> {
  const ids = await Promise.all(reports.map((report) => fingerprint(...report)));
  expect(new Set(ids)).toEqual(new Set([ids[0]]));
}

async function expectAllDifferent(...reports: [message: string, stack?: string][]): Promise<void> {
  const ids = await Promise.all(reports.map((report) => fingerprint(...report)));
  expect(new Set(ids).size).toBe(reports.length);
}

const MESSAGE = "Cannot read properties of undefined (reading 'dataset')";

/** One error in three browsers, in a build with this hash; minifiers rename functions in each build. */
const STACKS: Record<string, (hash: string, name: string, position: string) => string> = {
  Chrome: (hash, name, position) =>
    [
      `TypeError: ${MESSAGE}`,
      `    at ${name} (https://sila.example/assets/beacon-${hash}.js:1:${position})`,
      `    at recordClick [as onclick] (https://sila.example/assets/beacon-${hash}.js:1:${position}0)`,
      "    at Array.forEach (<anonymous>)",
      `    at new ${name} (https://sila.example/assets/beacon-${hash}.js:1:${position}1)`,
      `    at async HTMLAnchorElement.<anonymous> (https://sila.example/assets/beacon-${hash}.js:1:${position}2)`,
    ].join("\n"),
  "Chrome, evaluated code": (hash, name, position) =>
    [
      `TypeError: ${MESSAGE}`,
      `    at eval (eval at ${name} (https://sila.example/assets/beacon-${hash}.js:1:${position}), <anonymous>:1:1)`,
      `    at https://sila.example/assets/beacon-${hash}.js?v=${position}:1:${position}`,
    ].join("\n"),
  Firefox: (hash, name, position) =>
    [
      `${name}@https://sila.example/assets/beacon-${hash}.js:1:${position}`,
      `recordClick/<@https://sila.example/assets/beacon-${hash}.js:1:${position}0`,
      `setTimeout handler*${name}@https://sila.example/assets/beacon-${hash}.js:1:${position}1`,
      `async*@https://sila.example/assets/beacon-${hash}.js:1:${position}2`,
      `@https://sila.example/assets/beacon-${hash}.js line ${position} > eval:1:1`,
      "",
    ].join("\n"),
  Safari: (hash, name, position) =>
    [
      `${name}@https://sila.example/assets/beacon-${hash}.js:1:${position}`,
      `https://sila.example/assets/beacon-${hash}.js:1:${position}0`,
      "forEach@[native code]",
      `global code@https://sila.example/assets/beacon-${hash}.js:1:${position}1`,
    ].join("\n"),
};

describe("the fingerprint of an error", () => {
  test.each(Object.entries(STACKS))(
    "is the same before and after a deploy: %s",
    async (_, stack) => {
      const reports = [
        stack("eb7371b7dc", "m", "20"),
        stack("0123456789", "Qe", "4711"),
        stack("a123456789", "_", "9"),
        stack("abcdefabcd", "$", "100"),
      ];
      await expectAlike(...reports.map((text): [string, string] => [MESSAGE, text]));
      await expectAllDifferent([MESSAGE], [MESSAGE, stack("eb7371b7dc", "recordView", "20")]);
    },
  );

  const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const drawn = (alphabet: string, length: number) =>
    fc
      .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
      .map((characters) => characters.join(""));
  const hex = (length: number) => drawn("0123456789abcdef", length);
  /** File names with a build's hash, as bundlers write them. */
  const BUNDLERS: Record<string, { hash: fc.Arbitrary<string>; name: (hash: string) => string }> = {
    ours: { hash: hex(10), name: (hash) => `app-settings-${hash}.js` },
    // Without a capital inside, a hash may look like a word and is taken for one. Six or seven hex
    // digits after a dash are a hash themselves, and what is before the dash stays.
    Vite: {
      hash: drawn(base64url, 8).filter(
        (hash) => /.[A-Z]/.test(hash) && !/-[0-9a-f]{6,7}$/i.test(hash),
      ),
      name: (hash) => `app.settings-${hash}.mjs`,
    },
    webpack: { hash: hex(20), name: (hash) => `vendors.${hash}.chunk.js` },
    "a hash alone": { hash: hex(12), name: (hash) => `${hash}.js` },
    "a query": { hash: hex(6), name: (hash) => `app.js?v=${hash}` },
  };

  test.each(Object.entries(BUNDLERS))("recognizes the files of %s", async (_, { hash, name }) => {
    const position = fc.tuple(fc.integer({ min: 1, max: 99_999 }), fc.nat(999_999));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(hash, position), { minLength: 2, maxLength: 2 }),
        (builds) =>
          expectAlike(
            ...builds.map(([built, [line, column]]): [string, string] => [
              `Failed to load https://a.example/v${line}/${name(built)}, again`,
              `at loadPage (https://a.example/v${line}/${name(built)}:${line}:${column})`,
            ]),
          ),
      ),
      { numRuns: cases(1_000) },
    );
  });

  test("leaves words in names of files alone", async () => {
    await expectAllDifferent(
      ...[
        ...["app.js", "app-settings.js", "app-i18next.js", "app-list-v12.js", "base64url.js"],
        ...["i18next.js", "app.es2015.js", "app-Settings.js", "decade.js", "facade.js", "app.css"],
      ].map((file): [string, string] => ["x", `at run (https://a.example/${file}:1:2)`]),
    );
  });

  test("leaves numbers and ids out of the message, however long they are, and keeps its words", async () => {
    await expectAlike(
      ...["7", "-2041", "1763703600000", "1,234,567.8", "٤٢"].map((n): [string] => [
        `Page not found after ${n} s`,
      ]),
    );
    await expectAlike(
      ...["0a1b2c3d4e5f", "V1StGXR8_Z5jdHi6B-myT", "0x0a1b2c3d", "'a8xk2'", '"k-9"'].map(
        (id): [string] => [`no page ${id} here`],
      ),
      ["no page 6f9619ff-8b86-d011-b42d-00c04fc964ff here"],
    );
    await expectAllDifferent(
      ["no page 'alpha' here"],
      ["no page 'omega' here"],
      ["no page here"],
      ["no defaced page here"],
      ["no link 'alpha' here"],
    );
  });

  test("leaves out what was scrubbed, and of addresses all but the file", async () => {
    await expectAlike(
      ["Failed to load https://a.example/x/app.js?u=1 for layla@example.com"],
      ["Failed to load https://b.example/y/app-eb7371b7dc.js#top for nour@example.org"],
      ["Failed to load /assets/app-0123456789.js:1:20 for omar@example.net"],
    );
  });

  test("does not treat a line of the message as a frame", async () => {
    const frames = "    at run (https://a.example/app.js:1:1)";
    await expectAlike(
      ["no user @a1b2c3: 7", `Error: no user @a1b2c3: 7\n${frames}`],
      ["no user @d4e5f6: 8", `Error: no user @d4e5f6: 8\n${frames}`],
    );
  });

  test("separates files of other hosts by name, not by version", async () => {
    await expectAlike(
      ["x", "run@https://cdn.example/npm/vue@3.2.1/dist/vue.js:1:2"],
      ["x", "run@https://other.example/npm/vue@3.4.0/dist/vue.js:7:8"],
    );
  });

  test("separates errors at other places of the code, by the first five frames", async () => {
    const frame = (name: string) => `at ${name} (https://a.example/app.js:1:1)`;
    const deep = ["one", "two", "three", "four", "five"].map(frame);
    await expectAlike(["x", deep.join("\n")], ["x", [...deep, frame("six")].join("\n")]);
    await expectAllDifferent(
      ["x", deep.join("\n")],
      ["x", [frame("zero"), ...deep].join("\n")],
      ["x", deep.slice(0, 4).join("\n")],
      ["x", deep.join("\n").replaceAll("app.js", "other.js")],
      ["y", deep.join("\n")],
    );
  });

  test("does not depend on page, address or severity", async () => {
    const body = { message: "x", stack: "at run (https://a.example/app.js:1:1)" };
    const other = { ...body, page_id: "p", url: "https://sila.example/p", severity: "debug" };
    expect(await fingerprintOf(toSample(ErrorReport.parse(other)))).toBe(
      await fingerprint(body.message, body.stack),
    );
  });
});
