/**
 * The part of a start that needs Miniflare: checks settings, migrates, writes workerd's
 * `run/config`. A module of its own, because `prepare.ts` loads it after a build: beside one it
 * takes memory that may not be there.
 */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { secretIn } from "../../../objects/platform/secrets.ts";
import type { Built } from "./built.ts";
import { readOwnSecrets } from "./data-folder.ts";
import { serviceOptions } from "./miniflare-options.ts";
import { withOldIds } from "./old-stores.ts";
import { CONFIG, MAIL_SOCKET } from "./run-folder.ts";
import { madeOf, ONE_MACHINE_VARS, prepareState } from "./server.ts";
import { readVars } from "./vars.ts";
import { recordConfig } from "./workerd.ts";

export interface Prepared {
  origin: string;
  /** The first owner makes their account with it; `''`: there is one. */
  setup_code: string;
  crons: string[];
  files: string[];
}

export async function prepared(built: Built, statePath: string): Promise<Prepared> {
  const mail = process.env.SMTP_URL
    ? { url: "http://mail/", service: { external: { address: `unix:${MAIL_SOCKET}`, http: {} } } }
    : undefined;
  const checkout = await withOldIds(built.checkout, statePath);
  // Miniflare changes pictures in its own process, which ends here.
  checkout.service.images = undefined;
  const vars = readVars(
    process.env,
    { ...(checkout.service.bindings as Record<string, string>), ...ONE_MACHINE_VARS },
    await readOwnSecrets(statePath),
    mail !== undefined,
  );
  let isNew = false;
  await prepareState(checkout, statePath, {
    async seed(db) {
      isNew = (await db.prepare("SELECT 1 FROM auth_users LIMIT 1").first()) === null;
    },
  });
  const made = await madeOf(built.folder, built.bundle);
  const outbound = (process.env.OUTBOUND || "public").split(",").map((one) => one.trim());
  await recordConfig(
    serviceOptions({ checkout, statePath, port: 0, vars, mail, outbound, ...made }),
    CONFIG,
  );
  return {
    origin: vars.SITE_ORIGIN ?? "",
    setup_code: isNew && !vars.HUB_URL ? (secretIn(vars, "SETUP_CODE") ?? "") : "",
    crons: checkout.crons,
    files: await pathsIn(checkout.service.assets),
  };
}

async function pathsIn(assets: unknown): Promise<string[]> {
  const { directory } = assets as { directory: string };
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(directory, join(entry.parentPath, entry.name))}`);
}
