/**
 * All of a start that needs Miniflare, in a process that ends then, because it takes more memory than the service: builds
 * where the sources changed, checks the settings, migrates, and writes workerd's configuration into `run/config`. Prints one
 * line of JSON, a `Prepared`.
 *
 * The working directory is the data folder, which the caller has locked.
 */
import release from "../../package.json" with { type: "json" };
import { BUILT_FOLDER, readBuilt } from "./built.ts";
import { runNode } from "./bundle.ts";
import { openAs, readOwnSecrets } from "./data-folder.ts";
import { serviceOptions } from "./miniflare-options.ts";
import { withOldIds } from "./old-stores.ts";
import { CONFIG, MAIL_SOCKET } from "./run-folder.ts";
import { madeOf, prepareState } from "./server.ts";
import { readVars } from "./vars.ts";
import { recordConfig } from "./workerd.ts";

export interface Prepared {
  /** SITE_ORIGIN, or `''`. */
  origin: string;
  crons: string[];
}

const statePath = process.cwd();
const mail = process.env.SMTP_URL
  ? { url: "http://mail/", service: { external: { address: `unix:${MAIL_SOCKET}`, http: {} } } }
  : undefined;
try {
  await openAs(statePath, release.version);
  let built = await readBuilt();
  if (built === null) {
    console.error("  Building …");
    await runNode(["--no-warnings", "src/serve/build.ts"]);
    built = await readBuilt();
  }
  if (built === null) throw new Error("the sources changed during the build: start again");
  const checkout = await withOldIds(built.checkout, statePath);
  const vars = readVars(
    process.env,
    checkout.service.bindings as Record<string, string>,
    await readOwnSecrets(statePath),
    mail !== undefined,
  );
  await prepareState(checkout, statePath, {});
  const made = await madeOf(BUILT_FOLDER, built.bundle);
  const outbound = (process.env.OUTBOUND || "public").split(",").map((one) => one.trim());
  await recordConfig(
    serviceOptions({ checkout, statePath, port: 0, vars, mail, outbound, ...made }),
    CONFIG,
  );
  const prepared: Prepared = { origin: vars.SITE_ORIGIN ?? "", crons: checkout.crons };
  console.log(JSON.stringify(prepared));
  process.exit(0);
} catch (error) {
  console.error(`✗ ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
