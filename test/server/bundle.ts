/**
 * Builds the Worker exactly as a deployment would, in a process of its own: wrangler has no bundling call
 * to import.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, whatever the working directory is. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Wrangler's settings, in this process and in children: no banner, log files, telemetry or network. */
export const QUIET_WRANGLER = {
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
} as const;

/** Where a run of many tests has bundled the Worker once for all of them. */
export const BUNDLED = "SILA_BUNDLED";

/** Bundles the Worker for every `bundledWorker` of this process and its children from now on. */
export async function bundleForAll(folder: string): Promise<void> {
  process.env[BUNDLED] = await bundleWorker(folder);
}

/**
 * The Worker's script, beside which are the modules it imports: that of `bundleForAll`, or one that is made
 * now, in `folder`.
 */
export async function bundledWorker(folder: string): Promise<string> {
  return process.env[BUNDLED] ?? bundleWorker(folder);
}

/**
 * Runs wrangler.toml's `[build]` command and bundles the Worker into `folder`.
 *
 * @param entry another module than wrangler.toml's `main`, from the root
 * @returns the path of the bundle's script
 * @throws with wrangler's output when the build fails
 */
export async function bundleWorker(folder: string, entry?: string): Promise<string> {
  const wrangler = createRequire(import.meta.url).resolve("wrangler");
  const module = entry === undefined ? [] : [entry];
  await runNode(["--no-warnings", wrangler, "deploy", ...module, "--dry-run", "--outdir", folder]);
  return join(folder, "index.js");
}

/**
 * Runs a script from the root, with this process's version of node.
 *
 * @throws with all that it printed when it fails
 */
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
