import { statfs } from "node:fs/promises";
import { resolve } from "node:path";

/** A start writes workerd's configuration with all code, and an empty database of each kind. */
export const START_BYTES = 10 * 2 ** 20;
const MB = 2 ** 20;
const FORBIDDEN = new Set(["EACCES", "EPERM", "EROFS"]);

interface SystemError extends NodeJS.ErrnoException {
  dest?: string;
  /** A socket's path, without a port or with -1, or its host. */
  address?: string;
  port?: number;
}

/**
 * Says whether an error comes of permissions or of a full disk. SQLite and workerd name no reason,
 * but the work in this folder fails without the bytes `needed`.
 */
export async function sentenceOf(error: unknown, folder: string, needed = 0): Promise<string> {
  if (!(error instanceof Error)) return `${error}`;
  const { message, code = "", path, dest, address, port = -1 }: SystemError = error;
  if (code === "ENOSPC") return `no room is left on the disk of ${folder} (${message})`;
  const named = [path, dest, port < 0 ? address : undefined];
  const files = named.filter((file) => file !== undefined).map((file) => resolve(file));
  if (FORBIDDEN.has(code) && files.length > 0) {
    return `${files.join(" or ")} is not this user's to read and write, or its disk is read-only (${code})`;
  }
  const left = await bytesLeft(folder);
  if (left >= needed) return message;
  const [has, takes] = [left, needed].map((bytes) => Math.floor(bytes / MB));
  return `the disk of ${folder} has ${has} MB left, and ${takes} are needed (${message})`;
}

async function bytesLeft(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
