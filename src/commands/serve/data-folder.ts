/** Beside Miniflare's stores, a data folder has the secrets' key and the last writer's version. */
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";

/** Generated once for a folder: 32 random bytes in base64. */
export async function readSecret(folder: string, name: string): Promise<string> {
  const secret = (await readOptional(folder, name)) ?? randomBytes(32).toString("base64");
  await write(folder, name, secret);
  return secret;
}

/** One key for all, and those of 3.1. New ones would reset every limit and end every session. */
export async function readOwnSecrets(folder: string): Promise<Record<string, string>> {
  const secrets: Record<string, string> = { SILA_KEY: await readSecret(folder, "key") };
  const own = { SENDER_KEY: "sender-key", SESSION_KEY: "session-key", BACKUP_KEY: "backup-key" };
  for (const [name, file] of Object.entries(own)) {
    const value = await readOptional(folder, file);
    if (value !== undefined) secrets[name] = value;
  }
  return secrets;
}

/** @throws where a newer version wrote the folder: this one may not know all its tables */
export async function openAs(folder: string, version: string): Promise<void> {
  const before = (await readOptional(folder, "version")) ?? "0.0.0";
  const [newer = 0] = [0, 1]
    .map((i) => partOf(before, i) - partOf(version, i))
    .filter((n) => n !== 0);
  if (newer > 0) {
    throw new Error(
      `${folder} was written by version ${before}, and this is ${version}. Serve it with ${before} or later.`,
    );
  }
  await write(folder, "version", version);
}

function partOf(version: string, i: number): number {
  return Number(version.split(".")[i]);
}

async function readOptional(folder: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, name), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Renames the file when it is on disk: half a key would be the service's for ever. */
async function write(folder: string, name: string, text: string): Promise<void> {
  if ((await readOptional(folder, name)) === text) return;
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  const part = await open(`${file}.part`, "w", 0o600);
  try {
    await part.writeFile(text);
    await part.sync();
  } finally {
    await part.close();
  }
  await rename(`${file}.part`, file);
}
