/**
 * Memory of a page's event ids and of a limiter's windows, measured on the product's classes in plain
 * Node after a garbage collection. `memory.ts` runs it in a process of its own.
 */
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { SlidingWindow } from "../../objects/limiter/sliding-window.ts";
import { RecentIds } from "../../objects/tables/recent-ids.ts";
import { generator } from "../random.ts";
import { IDS, type Memory, TIMES, WINDOWS } from "./memory.ts";

const COLLECTIONS = 3;
const COLLECTION_MS = 20;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Buffers are freed in the background, some time after the collection. */
async function used(): Promise<number> {
  for (let i = 0; i < COLLECTIONS; i += 1) {
    collect();
    await pause(COLLECTION_MS);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The size in bytes of what `make` returns. */
async function bytesOf(make: () => unknown): Promise<number> {
  const before = await used();
  const made = make();
  const bytes = (await used()) - before;
  // Used here, so that it is not collected before it is measured.
  if (made === undefined) throw new Error("nothing was made");
  return bytes;
}

const random = generator(1);
function key(digits: number): string {
  let text = "";
  while (text.length < digits) {
    text += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  }
  // A flat copy, because a concatenated string would have the size of its parts too.
  return Buffer.from(text).toString("latin1");
}

const memory: Memory = {
  page_bytes: await bytesOf(() => {
    const ids = new RecentIds();
    for (let i = 0; i < IDS; i += 1) ids.add(key(16), 0);
    return ids;
  }),
  window_bytes:
    (await bytesOf(() => {
      const windows = new Map<string, SlidingWindow>();
      for (let i = 0; i < WINDOWS; i += 1) {
        windows.set(
          `${key(32)}/public`,
          Array.from({ length: TIMES }, (_, n) => Date.now() + n),
        );
      }
      return windows;
    })) / WINDOWS,
};
process.send?.(memory);
