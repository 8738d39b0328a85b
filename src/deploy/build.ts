/** The Worker as it would be uploaded, and a name made of its contents, by which a later run knows it. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import release from "../../package.json" with { type: "json" };
import type { Configuration } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { withFolder } from "./scratch.ts";
import { ROOT, type Wrangler } from "./wrangler.ts";

/** Hex digits; the platform takes tags of at most 25 characters. */
const DIGITS = 12;

export interface Built {
  tag: string;
  /** Bytes of the Worker's modules, compressed as the platform's limit counts them. */
  gzip_bytes: number;
}

/** Makes what browsers load; wrangler.toml's `[build]` command. */
export async function buildFiles(): Promise<void> {
  const child = spawn(process.execPath, ["--no-warnings", "src/client/build.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  if (code !== 0)
    throw new DeployError(`The build failed:\n${output.trim()}`, "Run: npm ci, then try again.");
}

/**
 * Bundles without uploading, which also checks the configuration.
 *
 * @param config path of the environment's configuration, with absolute paths
 */
export function buildWorker(
  wrangler: Wrangler,
  configuration: Configuration,
  config: string,
): Promise<Built> {
  return withFolder(async (folder) => {
    await wrangler.run(["deploy", "--dry-run", "--config", config, "--outdir", folder]);
    const hash = createHash("sha256").update(JSON.stringify(configuration));
    const modules = await readdir(folder);
    const bytes: Buffer[] = [];
    for (const name of modules.sort()) {
      // The map holds paths of this machine, and the README a date.
      if (name.endsWith(".map") || name === "README.md") continue;
      bytes.push(await readFile(join(folder, name)));
      hash.update(`\0${name}\0`).update(bytes.at(-1) ?? "");
    }
    const files = join(ROOT, configuration.assets?.directory ?? "");
    for (const name of (await readdir(files, { recursive: true })).sort()) {
      // A name holds the hash of its content, except these.
      hash.update(`\0${name}`);
      if (!name.includes("/") && name !== "assets") hash.update(await readFile(join(files, name)));
    }
    return {
      tag: `${release.version}-${hash.digest("hex").slice(0, DIGITS)}`,
      gzip_bytes: gzipSync(Buffer.concat(bytes)).length,
    };
  });
}
