import { link, mkdtemp, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { lockState } from "../../../src/commands/serve/lock.ts";
import { LOCK } from "../../../src/commands/serve/run-folder.ts";

/** A lock is taken over in fewer turns of the event loop, and the second one begins in each of them. */
const TURNS = 20;
const ROUNDS = 100;

/** A socket of a process that was killed. */
async function leaveLock(folder: string): Promise<void> {
  const path = join(folder, LOCK);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  // Closing it removes its path.
  await link(path, `${path}.left`);
  await new Promise((resolve) => server.close(resolve));
  await rename(`${path}.left`, path);
}

test("of two that find the lock of a killed process at the same time one gets it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sila-lock-"));
  for (let round = 0; round < ROUNDS; round += 1) {
    await leaveLock(folder);
    const later = async () => {
      for (let i = 0; i < round % TURNS; i += 1) await setImmediate();
      return lockState(folder);
    };
    const both = await Promise.allSettled([lockState(folder), later()]);
    const taken = both.filter((one) => one.status === "fulfilled");
    expect(taken).toHaveLength(1);
    for (const { value: unlock } of taken) await unlock();
  }
  await rm(folder, { recursive: true });
});
