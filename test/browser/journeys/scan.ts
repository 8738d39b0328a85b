import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

const READER = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");

export async function scanned(picture: Uint8Array): Promise<string | undefined> {
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(READER)).buffer } });
  const [code] = await readBarcodes(new Uint8Array(picture));
  return code?.text;
}
