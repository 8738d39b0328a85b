/** What an isolate loads before its first answer: the weight of the Worker's bundle, compressed. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { bundledWorker } from "../server/bundle.ts";

/**
 * A KB is 1,000 bytes. Tips, downloads, newsletters and suggestions are 37 of them; operators' pages, webhooks
 * and backups 50; what keeps strangers from harming others, and what outlives restores, 8 more since 3.1.
 */
const SCRIPT_BYTES_MAX = 283_000;
/** Of the renderer of pictures. */
const WASM_BYTES_MAX = 1_750_000;

/** In the bundle, these would be most of it: the build uses them, or tests do. */
const LEFT_OUT = ["openapi: ", "x-description-ar", "temporal-polyfill", "ipaddr: ", "bowser"];

test("the Worker weighs at most 283 KB, and its WebAssembly 1,750 KB", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sila-weight-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = await bundledWorker(folder);
  const script = await readFile(path, "utf8");
  const weightOf = (content: string | Uint8Array) => gzipSync(content, { level: 9 }).length;
  const names = (await readdir(dirname(path))).filter((name) => name.endsWith(".wasm"));
  const wasm = await Promise.all(names.map((name) => readFile(join(dirname(path), name))));
  const wasm_bytes = wasm.reduce((sum, content) => sum + weightOf(content), 0);
  console.info(`the Worker: ${weightOf(script)} bytes, its WebAssembly ${wasm_bytes}`);
  for (const words of LEFT_OUT) expect(script).not.toContain(words);
  expect(weightOf(script)).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
  expect(wasm_bytes).toBeLessThanOrEqual(WASM_BYTES_MAX);
});
