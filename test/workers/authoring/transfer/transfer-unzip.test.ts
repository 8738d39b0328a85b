/** A stranger's zip is read whole and bounded, or refused (docs/security.md S26, S27). */
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { ImportRefused } from "../../../../src/authoring/transfer/import-reasons.ts";
import { UNZIPPED_BYTES_MAX, ZIP_ENTRIES_MAX } from "../../../../src/authoring/transfer/limits.ts";
import { type ZipEntry, ZipFile } from "../../../../src/authoring/transfer/unzip.ts";
import { zipped } from "../../../../src/authoring/transfer/zip-stream.ts";
import { utf8 } from "../../../../src/http/bytes.ts";
import { cases } from "../../kit/cases.ts";
import { joined, type MadeEntry, makeZip } from "./zip-maker.ts";

const PAGE: MadeEntry = { name: "page.json", content: '{"a":1}' };

/** The content of each entry, which is the same, or refused alike, whole and in pieces. */
async function contents(file: Uint8Array<ArrayBuffer>): Promise<Record<string, string>> {
  const zip = new ZipFile(file);
  const made: Record<string, string> = {};
  for (const entry of zip.entries.values()) {
    const pieces = piecesOf(zip, entry).then(joined);
    const whole = (async () => zip.read(entry))();
    const [first, second] = await Promise.allSettled([pieces, whole]);
    expect(first).toEqual(second);
    made[entry.name] = new TextDecoder().decode(await whole);
  }
  return made;
}

async function piecesOf(zip: ZipFile, entry: ZipEntry): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of zip.pieces(entry)) pieces.push(piece);
  return pieces;
}

test("stored and deflated entries are read, folders are skipped", async () => {
  const text = "سطر\n".repeat(10_000);
  const file = makeZip(
    [
      PAGE,
      { name: "pictures/", content: "" },
      { name: "pictures/أ.jpg", content: text, is_deflated: true },
      { name: "empty", content: "" },
    ],
    "a comment",
  );
  expect(await contents(file)).toEqual({
    "page.json": '{"a":1}',
    "pictures/أ.jpg": text,
    empty: "",
  });
});

test("what another program writes is read, and the other way round", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?$/),
        fc.uint8Array({ maxLength: 5_000 }),
        { maxKeys: 6 },
      ),
      fc.boolean(),
      async (files, is_deflated) => {
        const theirs = new ZipFile(new Uint8Array(zipSync(files)));
        const read = (zip: ZipFile) =>
          Object.fromEntries(
            [...zip.entries.values()].map((entry) => [entry.name, zip.read(entry)]),
          );
        expect(read(theirs)).toEqual({ ...files });

        const parts: Uint8Array[] = [];
        const all = (async function* () {
          for (const [name, content] of Object.entries(files)) {
            yield { name, is_deflated, content: inTwo(content) };
          }
        })();
        for await (const part of zipped(all, new Date("2026-11-22T00:00:00Z"))) parts.push(part);
        const ours = joined(parts);
        expect(unzipSync(ours)).toEqual({ ...files });
        expect(read(new ZipFile(ours))).toEqual({ ...files });
      },
    ),
    { numRuns: 60 },
  );
});

async function* inTwo(content: Uint8Array) {
  yield content.subarray(0, 100);
  yield content.subarray(100);
}

const zeros = new Uint8Array(4_000_000);

test.each<[string, () => Uint8Array<ArrayBuffer>]>([
  ["no zip", () => utf8("page.json")],
  ["a zip that is cut off", () => makeZip([PAGE]).slice(0, -1)],
  ["something after the end", () => joined([makeZip([PAGE]), utf8("x")])],
  ["a wrong checksum", () => makeZip([{ ...PAGE, crc: 1 }])],
  ["fewer bytes than declared", () => makeZip([{ ...PAGE, bytes: 8 }])],
  ["more bytes than declared", () => makeZip([{ ...PAGE, bytes: 6 }])],
  ["a bomb", () => makeZip([{ name: "a", content: zeros, is_deflated: true, bytes: 10 }])],
  ["deflated data that is none", () => makeZip([{ ...PAGE, method: 8 }])],
  ["another method", () => makeZip([{ ...PAGE, method: 12 }])],
  ["an encrypted entry", () => makeZip([{ ...PAGE, flags: 0x0801 }])],
  ["a path upwards", () => makeZip([{ ...PAGE, name: "a/../../b" }])],
  ["an absolute path", () => makeZip([{ ...PAGE, name: "/etc/passwd" }])],
  ["a backslash", () => makeZip([{ ...PAGE, name: "..\\page.json" }])],
  ["a NUL in a name", () => makeZip([{ ...PAGE, name: "page.json\0.jpg" }])],
  ["a name twice", () => makeZip([PAGE, PAGE])],
  ["entries that share bytes", () => makeZip([PAGE, { ...PAGE, name: "page.json", same_as: 0 }])],
  ["two names in one entry", () => makeZip([{ ...PAGE, local_name: "page.txt!" }])],
  [
    "overlapping entries",
    () => {
      const inner = makeZip([{ name: "inner", content: "x".repeat(100) }]).slice(0, 135);
      return makeZip([
        { name: "outer", content: inner },
        { name: "inner", content: "x".repeat(100), same_as: 0 },
      ]);
    },
  ],
  [
    "too many entries",
    () =>
      makeZip(
        Array.from({ length: ZIP_ENTRIES_MAX + 1 }, (_, i) => ({ name: `${i}`, content: "" })),
      ),
  ],
  [
    "too many bytes",
    () =>
      makeZip([
        { name: "a", content: "", bytes: UNZIPPED_BYTES_MAX },
        { name: "b", content: "b" },
      ]),
  ],
])("%s is refused", async (_, make) => {
  await expect(contents(make())).rejects.toThrow(ImportRefused);
});

test("in pieces, no more is given out than what is declared, and a reader may leave", async () => {
  const declared = 200_000;
  const zip = new ZipFile(
    makeZip([{ name: "a", content: zeros, is_deflated: true, bytes: declared }]),
  );
  const [entry] = zip.entries.values();
  if (entry === undefined) throw new Error("the zip has no entry");
  let bytes = 0;
  const readAll = async () => {
    for await (const piece of zip.pieces(entry)) bytes += piece.length;
  };
  await expect(readAll()).rejects.toThrow(ImportRefused);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(declared);
  for await (const piece of zip.pieces(entry)) {
    expect(piece.length).toBeLessThanOrEqual(declared);
    break;
  }
});

test("as many entries as allowed are read", async () => {
  const entries = Array.from({ length: ZIP_ENTRIES_MAX }, (_, i) => ({
    name: `${i}`,
    content: `${i}`,
  }));
  expect(Object.keys(await contents(makeZip(entries)))).toHaveLength(ZIP_ENTRIES_MAX);
});

test("whatever bytes come, the answer is the entries or a refusal", async () => {
  const whole = makeZip([PAGE, { name: "b", content: "b".repeat(500), is_deflated: true }]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      async (changes) => {
        const file = whole.slice();
        for (const [at, byte] of changes) file[at] = byte;
        try {
          await contents(file);
        } catch (error) {
          expect(error).toBeInstanceOf(ImportRefused);
        }
      },
    ),
    { numRuns: cases(2_000) },
  );
});
