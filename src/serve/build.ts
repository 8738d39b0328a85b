/** Builds what `npm run serve` serves: `node src/serve/build.ts`. It does so by itself where the sources changed. */
import { rm, writeFile } from "node:fs/promises";
import { oneMachine } from "./around.ts";
import { BUILT_FOLDER, CHECKOUT, ONE_MACHINE, STAMP, stampOf } from "./built.ts";
import { bundleWorker } from "./bundle.ts";
import { readCheckout } from "./checkout.ts";

await rm(BUILT_FOLDER, { recursive: true, force: true });
const stamp = await stampOf();
await bundleWorker(BUILT_FOLDER);
await writeFile(ONE_MACHINE, await oneMachine());
await writeFile(CHECKOUT, JSON.stringify(await readCheckout()));
await writeFile(STAMP, stamp);
