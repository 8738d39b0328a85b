/** `node src/commands/serve/build.ts`: `npm run serve` runs it where sources changed. */
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { oneMachine } from "./around.ts";
import { BUILDS, CHECKOUT, hashOfSources, ONE_MACHINE } from "./built.ts";
import { bundleWorker } from "./bundle.ts";

const name = await hashOfSources();
const part = join(BUILDS, `part-${process.pid}`);
const before = await namesIn(BUILDS);
await mkdir(part, { recursive: true });
try {
  await bundleWorker(part);
  await writeFile(join(part, ONE_MACHINE), await oneMachine());
  // Loaded late, because it loads wrangler, whose part in the bundling was in other processes.
  const { readCheckout } = await import("./checkout.ts");
  await writeFile(join(part, CHECKOUT), JSON.stringify(await readCheckout()));
  try {
    await rename(part, join(BUILDS, name));
  } catch (error) {
    // Another process may have built the same meanwhile.
    if (!(await namesIn(BUILDS)).includes(name)) throw error;
  }
  const old = before.filter((one) => one !== name && !one.startsWith("part-"));
  for (const one of old) await rm(join(BUILDS, one), { recursive: true, force: true });
} finally {
  await rm(part, { recursive: true, force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
