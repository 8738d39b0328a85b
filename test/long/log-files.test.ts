/** workerd's log reaches its reader, and never holds workerd up. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../server/bundle.ts";
import { LINE, startLoudWorker } from "./loud-worker.ts";

const LINES = 4_000;
/** The longest that the blocked reader may take. It needs some four seconds. */
const BLOCKED_MAX_MS = 40_000;

test("workerd answers synchronous calls while it logs more than a pipe holds", async () => {
  // In a process of its own, because a blocked thread cannot end its own test.
  const reader = spawn(process.execPath, [join(ROOT, "test/long/blocked-reader.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: BLOCKED_MAX_MS,
    killSignal: "SIGKILL",
  });
  let printed = "";
  reader.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [code, signal] = await once(reader, "close");
  expect({ code, signal }, "it was killed if it hung").toEqual({ code: 0, signal: null });
  expect(JSON.parse(printed)).toEqual({ read_meanwhile: 0, read: 1 });
});

test("what workerd logged before it was killed is read, and what it logs when it runs again", async () => {
  const read: string[] = [];
  const { miniflare, pid, dispose } = await startLoudWorker((line) => read.push(line));
  const whole = () => read.filter((line) => line === LINE).length;
  try {
    await miniflare.dispatchFetch(`http://worker/?lines=${LINES}`);
    const killed = pid();
    process.kill(killed ?? Number.NaN, "SIGKILL");
    await expect.poll(() => pid() ?? killed).not.toBe(killed);
    await miniflare.ready;
    await miniflare.dispatchFetch("http://worker/?lines=1");
    await expect.poll(whole).toBe(LINES + 1);
  } finally {
    await dispose();
  }
});
