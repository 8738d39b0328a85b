/** Files for wrangler that end with the run, readable by the user alone: the secrets to upload are among them. */
import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** Runs with a new folder, and removes it, also where the run is interrupted: Ctrl-C must leave no secret behind. */
export async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  // mkdtemp makes it with mode 0700.
  const folder = await mkdtemp(join(tmpdir(), "sila-deploy-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // What is registered for the exit runs: other folders are removed, and wrangler ends.
  const interrupt = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);
  process.once("exit", remove);
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await run(folder);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
    process.off("exit", remove);
    remove();
  }
}

/** Answers the path. */
export async function writeJson(path: string, content: object): Promise<string> {
  await writeFile(path, JSON.stringify(content), { mode: 0o600 });
  return path;
}
