/** Builds the Workers as a deployment does, in processes: wrangler has no call for bundling. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { ROOT } from "../root.ts";
import { IDENTITY_FOLDER, WORKSHOP_FOLDER } from "./modules.ts";

/** Wrangler's settings, in this process and in children: no banner, log files, telemetry or network. */
export const QUIET_WRANGLER = {
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
} as const;

/** A run of many tests has bundled the Worker here once for all of them. */
export const BUNDLED = "SILA_BUNDLED";

/** The other Workers' configurations; the first has wrangler's own default. */
export const WORKSHOP_CONFIG = join(ROOT, "src/workshop/wrangler.toml");
export const IDENTITY_CONFIG = join(ROOT, "src/identity/wrangler.toml");

/** Bundles the Workers for every `bundledWorker` of this process and its children from now on. */
export async function bundleForAll(folder: string): Promise<void> {
  process.env[BUNDLED] = await bundleWorker(folder);
}

export async function bundledWorker(folder: string): Promise<string> {
  return process.env[BUNDLED] ?? bundleWorker(folder);
}

/**
 * Bundles into `folder`, each Worker after the `[build]` command, as a deployment does. Answers the
 * first Worker's script. `entry` replaces wrangler.toml's `main`. @throws with wrangler's output
 */
export async function bundleWorker(folder: string, entry?: string): Promise<string> {
  const wrangler = createRequire(import.meta.url).resolve("wrangler");
  const module = entry === undefined ? [] : [entry];
  const deploy = (args: string[], outdir: string) =>
    runNode(["--no-warnings", wrangler, "deploy", ...args, "--dry-run", "--outdir", outdir]);
  await deploy(["--config", WORKSHOP_CONFIG], join(folder, WORKSHOP_FOLDER));
  await deploy(["--config", IDENTITY_CONFIG], join(folder, IDENTITY_FOLDER));
  await deploy(module, folder);
  return join(folder, "index.js");
}

/** Runs a script from the root by this process's node. @throws with all that it printed */
export async function runNode(args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      ...QUIET_WRANGLER,
      // A test runner's value would be compiled into the bundle.
      NODE_ENV: undefined,
      // The `[build]` command finds `node` here; an older one cannot read TypeScript.
      PATH: dirname(process.execPath) + delimiter + process.env.PATH,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => child.kill();
  process.once("exit", kill);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  try {
    const code = await new Promise((resolve, reject) => {
      child.once("error", reject).once("close", resolve);
    });
    if (code !== 0) throw new Error(`the build failed:\n${output.trim()}`);
  } finally {
    process.off("exit", kill);
  }
}
