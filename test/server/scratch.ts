/** Where the simulator, the bench and the tests of distance keep what their servers store. */
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

/** Where Linux keeps files in memory, and the bytes that must be free there. */
const MEMORY = "/dev/shm";
const MEMORY_FREE_MIN = 2 ** 30;

/**
 * In memory, where that is possible and `TMPDIR` does not say otherwise. SIGKILL ends a process, not the
 * system under it, which keeps what it was given either way; and workerd stands still while this machine's
 * disk turns, which no deployed object does.
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
