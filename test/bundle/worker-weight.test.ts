/** What isolates load before their first answer: the weight of the three Workers' bundles, compressed. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { bundledWorker } from "../../src/commands/serve/bundle.ts";
import { readBundle } from "../../src/commands/serve/modules.ts";

/** A KB is 1,000 bytes. */
const SCRIPT_BYTES_MAX = 242_000;
/** Most of it is the WebAssembly that draws pictures. */
const WORKSHOP_BYTES_MAX = 1_820_000;

/** More than half of it reads passkeys (`MissingWebCrypto` is in it), of which the Worker that counts has nothing. */
const IDENTITY_BYTES_MAX = 210_000;

/** In the bundle, these would be most of it: the build uses them, or tests do. */
const LEFT_OUT = [
  "openapi: ",
  "x-description-ar",
  "temporal-polyfill",
  "ipaddr: ",
  "bowser",
  "MissingWebCrypto",
];

test("no description of a route is in the Worker: the build alone reads it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sila-weight-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const map = await readFile(`${await bundledWorker(folder)}.map`, "utf8");
  const { sources }: { sources: string[] } = JSON.parse(map);
  expect(sources.filter((name) => name.endsWith("-route.ts")).length).toBeGreaterThan(20);
  expect(sources.filter((name) => name.endsWith(".openapi.ts"))).toEqual([]);
});

test("the Worker weighs at most 242 KB and has no WebAssembly, the workshop 1,820 KB, accounts 210 KB", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sila-weight-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { workshop, identity, ...sila } = await readBundle(await bundledWorker(folder));
  const weightOf = (content: string | Uint8Array) => gzipSync(content, { level: 9 }).length;
  const of_workshop = [workshop.script, ...workshop.wasm.values()]
    .map(weightOf)
    .reduce((sum, bytes) => sum + bytes);
  const of_identity = weightOf(identity.script);
  console.info(
    `the Worker: ${weightOf(sila.script)} bytes, the workshop ${of_workshop}, accounts ${of_identity}`,
  );
  for (const words of LEFT_OUT) expect(sila.script).not.toContain(words);
  expect(sila.wasm.size).toBe(0);
  expect(weightOf(sila.script)).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
  expect(of_workshop).toBeLessThanOrEqual(WORKSHOP_BYTES_MAX);
  expect(identity.wasm.size).toBe(0);
  expect(of_identity).toBeLessThanOrEqual(IDENTITY_BYTES_MAX);
});
