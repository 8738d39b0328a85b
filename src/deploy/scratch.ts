/** Files for wrangler that end with the run, readable by the user alone: the secrets to upload are among them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs with a new folder, and removes it. */
export async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  // mkdtemp makes it with mode 0700.
  const folder = await mkdtemp(join(tmpdir(), "sila-deploy-"));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Answers the path. */
export async function writeJson(path: string, content: object): Promise<string> {
  await writeFile(path, JSON.stringify(content), { mode: 0o600 });
  return path;
}
