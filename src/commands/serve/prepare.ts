/**
 * The work of a start that takes more memory than the service, in a process that ends then: builds
 * changed sources and prepares the build (`prepared.ts`). Prints a `Prepared` as a line of JSON.
 * The working directory is the data folder, which the caller has locked.
 */
import release from "../../../package.json" with { type: "json" };
import { readBuilt } from "./built.ts";
import { runNode } from "./bundle.ts";
import { openAs } from "./data-folder.ts";
import { START_BYTES, sentenceOf } from "./refusal.ts";

const statePath = process.cwd();
try {
  await openAs(statePath, release.version);
  let built = await readBuilt();
  if (built === null) {
    console.error("  Building …");
    await runNode(["--no-warnings", "src/commands/serve/build.ts"]);
    built = await readBuilt();
  }
  if (built === null) throw new Error("the sources changed during the build: start again");
  const { prepared } = await import("./prepared.ts");
  console.log(JSON.stringify(await prepared(built, statePath)));
  process.exit(0);
} catch (error) {
  console.error(`✗ ${await sentenceOf(error, statePath, START_BYTES)}`);
  process.exit(1);
}
