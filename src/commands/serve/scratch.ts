import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

/** A file system in memory, on Linux, and the bytes that must be free in it. */
const MEMORY = "/dev/shm";
const MEMORY_FREE_MIN = 2 ** 30;

/**
 * workerd's log, and test servers' state: in memory, where that is possible and `TMPDIR` is not
 * set. What a killed process has written survives there as on disk, because the system keeps
 * running; and workerd does not block on a slow disk, as no deployed object does.
 */
export async function scratchFolder(): Promise<string> {
  if (process.env.TMPDIR) return tmpdir();
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize < MEMORY_FREE_MIN ? tmpdir() : MEMORY;
  } catch {
    return tmpdir();
  }
}
