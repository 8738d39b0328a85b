/**
 * docs/faults.md F35. A phone ends its browser at any moment, without a word: SIGKILL of all of its processes while a
 * creator types and no save gets through. A browser that starts again with the same profile has what was typed, but
 * for the last two seconds, and everything that the editor had called kept on this device.
 *
 * The seed is pinned; `KILL_SEED` draws other moments.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSave } from "../../browser/bad-network.ts";
import { type BreakingProxy, startProxy } from "../../browser/breaking-proxy.ts";
import {
  HAS_CHROMIUM,
  launchIn,
  poll,
  type Service,
  startService,
} from "../../browser/browser-kit.ts";
import { openEditor, pageOf, signIn } from "../../browser/creators.ts";
import { EDITOR } from "../../browser/editor-texts.ts";
import { START_TIMEOUT_MS } from "../../browser/in-browser.ts";
import { DEMO_OWNER } from "../../demo/data.ts";
import { generator, integer, type Random } from "../../random.ts";

const KILLS = 20;
/** Browsers at once: each of them mostly waits for the next key. */
const LANES = 4;
const SEED = Number(process.env.KILL_SEED ?? 1_969);
/** When it is killed, after the first key. */
const TYPING_MS = { least: 2_000, most: 9_000 };
/** Between two keys of somebody who types on a phone. */
const KEY_MS = { least: 40, most: 260 };
/** Nobody reads faster: what was typed so long ago is what a sentence on the screen is about. */
const READ_MS = 300;
/** What a person may lose of what they typed. */
const LOST_MAX_MS = 2_000;
/** A restored draft is in its field by then. */
const RESTORED_WITHIN_MS = 10_000;

/** What the editor says where it promises that what is typed stays. */
const { offline, retrying } = EDITOR.ar.EDITOR_TEXTS.saving;
const FIELD = "#profile-bio-ar";
const BEFORE = "قبل";
/** More than anybody types in the longest time. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz".repeat(20);

let service: Service;
let proxy: BreakingProxy;

beforeAll(async () => {
  service = await startService();
  proxy = await startProxy(service.origin);
  proxy.rule = (request) => (isSave(request) ? { end: "block" } : undefined);
}, START_TIMEOUT_MS);
afterAll(async () => {
  proxy?.close();
  await service?.close();
}, START_TIMEOUT_MS);

/** The editor of this page in a browser with this profile. */
async function open(folder: string, page_id: string) {
  const context = await launchIn(folder, { baseURL: proxy.origin });
  await signIn(service, { context }, DEMO_OWNER);
  const [tab = await context.newPage()] = context.pages();
  await openEditor(tab, page_id, { panel: "profile" });
  await tab.locator(FIELD).waitFor();
  return { context, tab };
}

/** Ends all processes of the browser at once. */
async function kill(context: BrowserContext): Promise<void> {
  const session = await context.browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send("SystemInfo.getProcessInfo")) ?? {};
  const main = processInfo.find(({ type }) => type === "browser");
  if (main === undefined) throw new Error("the browser has no process");
  const closed = context.waitForEvent("close");
  // Playwright starts each browser in a group of its own.
  process.kill(-main.id, "SIGKILL");
  await closed;
}

/** Runs in the page, and calls `promise` with the letters that the promise is about, in each frame that shows it. */
function watchPromises([selector, read_ms, ...promises]: readonly [string, number, ...string[]]) {
  const seen: [at: number, length: number][] = [];
  const look = () => {
    const field = document.querySelector<HTMLTextAreaElement>(selector);
    const said = document.querySelector(".save-state [role=status]")?.textContent ?? "";
    const now = performance.now();
    seen.push([now, field?.value.length ?? 0]);
    const [, length = 0] = seen.findLast(([at]) => at < now - read_ms) ?? [];
    if (promises.includes(said)) Object(window).promise(length);
    requestAnimationFrame(look);
  };
  look();
}

interface Killed {
  /** By length of what was typed: when its last key was. */
  typed_at: number[];
  killed_at: number;
  /** How many letters the promise was about that was shown last. */
  promised: number;
  restored: string;
}

async function typeAndKill(random: Random): Promise<Killed> {
  const drawn = ({ least, most }: { least: number; most: number }) =>
    least + integer(most - least, random);
  const folder = await mkdtemp(join(tmpdir(), "sila-kill-"));
  try {
    const { page_id } = await pageOf({ user_id: DEMO_OWNER }, service, { bio: { ar: BEFORE } });
    const { context, tab } = await open(folder, page_id);
    let promised = 0;
    await context.exposeBinding("promise", (_, length: number) => {
      promised = Math.max(promised, length);
    });
    await tab.evaluate(watchPromises, [FIELD, READ_MS, offline, retrying] as const);
    await tab.locator(FIELD).fill("");
    await tab.locator('[data-saving="retrying"]').waitFor();
    const typed_at: number[] = [performance.now()];
    const until = performance.now() + drawn(TYPING_MS);
    for (const letter of LETTERS) {
      await pause(drawn(KEY_MS));
      if (performance.now() > until) break;
      await tab.keyboard.type(letter);
      typed_at.push(performance.now());
    }
    await kill(context);
    const killed_at = performance.now();
    const again = await open(folder, page_id);
    const read = () => again.tab.locator(FIELD).inputValue();
    const restored = await poll(read, (value) => value !== BEFORE, RESTORED_WITHIN_MS);
    await again.context.close();
    return { typed_at, killed_at, promised, restored };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What is not there any more: milliseconds of typing, and letters that were called kept. */
function lossOf({ typed_at, killed_at, promised, restored }: Killed) {
  // Nothing was restored, or something that was never typed.
  const letters = LETTERS.startsWith(restored) ? restored.length : 0;
  const first_lost_at = typed_at[letters + 1] ?? killed_at;
  return {
    lost_ms: Math.round(killed_at - first_lost_at),
    unkept: Math.max(0, promised - letters),
  };
}

describe.skipIf(!HAS_CHROMIUM)("a browser that is killed", () => {
  test(
    `has lost at most ${LOST_MAX_MS} ms of typing, and nothing that was called kept: ${KILLS} times, seed ${SEED}`,
    async () => {
      const losses: ReturnType<typeof lossOf>[] = [];
      let begun = 0;
      const lane = async () => {
        while (begun < KILLS) {
          begun += 1;
          losses.push(lossOf(await typeAndKill(generator(SEED + begun))));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      console.log("browser kills", JSON.stringify(losses));
      expect(losses).toHaveLength(KILLS);
      expect(losses.filter(({ unkept }) => unkept > 0)).toEqual([]);
      expect(losses.filter(({ lost_ms }) => lost_ms > LOST_MAX_MS)).toEqual([]);
    },
    KILLS * 30_000,
  );
});
