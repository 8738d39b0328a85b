/** Finds a folder on a disk for the bench's state: in memory a commit costs nothing. */
import { access, constants, mkdir, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";

/** Types of statfs(2): tmpfs and ramfs. */
const MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

export interface Place {
  folder: string;
  in_memory: boolean;
}

export async function diskFolder(): Promise<Place> {
  if (process.env.TMPDIR) return { folder: tmpdir(), in_memory: await isInMemory(tmpdir()) };
  const cache = join(ROOT, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  for (const folder of [tmpdir(), "/var/tmp", cache]) {
    try {
      await access(folder, constants.W_OK);
      if (!(await isInMemory(folder))) return { folder, in_memory: false };
    } catch {
      // There is no such folder, or it cannot be written.
    }
  }
  return { folder: tmpdir(), in_memory: true };
}

async function isInMemory(folder: string): Promise<boolean> {
  return MEMORY.has((await statfs(folder)).type);
}
