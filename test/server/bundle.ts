/**
 * Builds the Worker exactly as a deployment would and reads what wrangler.toml binds to it.
 *
 * `wrangler deploy --dry-run` is a process of its own: wrangler has no bundling call to import.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, whatever the working directory is. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** No banner, no log files, no telemetry, no look at the network: for wrangler, here and in children. */
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

/** The Worker's only module: that of `bundleForAll`, or one that is made now, in `folder`. */
export async function bundledWorker(folder: string): Promise<string> {
  return process.env[BUNDLED] ?? bundleWorker(folder);
}

/**
 * Runs wrangler.toml's `[build]` command and bundles the Worker into `folder`.
 *
 * @param entry another module than wrangler.toml's `main`, from the root
 * @returns the bundle's only module
 * @throws with wrangler's own words when the build fails
 */
export async function bundleWorker(folder: string, entry?: string): Promise<string> {
  const wrangler = createRequire(import.meta.url).resolve("wrangler");
  const child = spawn(
    process.execPath,
    [
      "--no-warnings",
      wrangler,
      "deploy",
      ...(entry === undefined ? [] : [entry]),
      "--dry-run",
      "--outdir",
      folder,
    ],
    {
      cwd: ROOT,
      // The build command says `node`, and must get the one that runs us: an older one cannot read TypeScript.
      env: {
        ...process.env,
        ...QUIET_WRANGLER,
        // A test runner's would be baked into the bundle.
        NODE_ENV: undefined,
        PATH: dirname(process.execPath) + delimiter + process.env.PATH,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const kill = () => child.kill();
  process.once("exit", kill);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  process.off("exit", kill);
  if (code !== 0) throw new Error(`the Worker does not build:\n${said}`);
  return join(folder, "index.js");
}
