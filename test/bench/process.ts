/** What the system says about a running workerd. */
import { readFile } from "node:fs/promises";

/** USER_HZ, the same on every Linux. */
const TICKS_PER_S = 100;
const KIB = 1_024;

/** CPU seconds of a process, to 0.01 s; null where the system does not report them. */
export async function cpuOf(pid: number | undefined): Promise<number | null> {
  try {
    // Fields 14 and 15 of proc(5); the name in field 2 has no space.
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S;
  } catch {
    return null;
  }
}

/** Bytes of a process that are in memory; null where the system does not report them. */
export async function memoryOf(pid: number | undefined): Promise<number | null> {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1];
    return kib === undefined ? null : Number(kib) * KIB;
  } catch {
    return null;
  }
}
