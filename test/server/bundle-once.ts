/** Builds the Workers' bundle once, for all tests that start a server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleForAll } from "../../src/commands/serve/bundle.ts";

export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sila-bundle-"));
  await bundleForAll(folder);
  return () => rm(folder, { recursive: true, force: true });
}
