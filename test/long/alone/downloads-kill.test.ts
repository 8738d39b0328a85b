/**
 * A limited download in the real runtime: 400 people want one of 100 uses at once, and resume until they
 * have the whole file or are refused, while workerd is ended with SIGKILL repeatedly.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { plainPage } from "../../plain-page.ts";
import { Serving } from "../../server/serving.ts";

const LIMIT = 100;
const PEOPLE = 400;
const KILLS = 4;
const SIZE = 50_000;
/** Longest wait of a person for one answer. */
const ANSWER_MS = 15_000;
const PAGE = "downloads";
const LINK = "book";
const OWNER = "owner";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let statePath: string;
let serving: Serving;
beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-downloads-"));
  serving = new Serving();
});
afterEach(async () => {
  await serving.stop();
  await rm(statePath, { recursive: true, force: true });
});

/** What a person has at the end: the file, or that it is used up. */
type End = "file" | "used_up";

/** One person, who gives up only where the answer is final; asks at most 30 times a minute. */
async function download(base: string, i: number): Promise<End> {
  const headers = {
    "User-Agent": BROWSER,
    "CF-Connecting-IP": `10.${i >> 8}.${i & 255}.1`,
  };
  let address = `${base}api/download/file?page_id=${PAGE}&link_id=${LINK}`;
  for (;;) {
    try {
      const response = await fetch(address, {
        headers,
        redirect: "manual",
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      if (response.status === 302) address = response.headers.get("Location") ?? "";
      const { byteLength } = await response.arrayBuffer();
      if (response.status === 200 && byteLength === SIZE) return "file";
      if (response.status === 410) return "used_up";
      if (![200, 302, 500, 503].includes(response.status)) throw new Unexpected(response.status);
      if (response.status === 302) continue;
    } catch (error) {
      // No router answers while workerd restarts.
      if (error instanceof Unexpected) throw error;
    }
    await pause(2_500);
  }
}

async function isUp(base: string): Promise<boolean> {
  const response = await fetch(`${base}health`, {
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.status === 200;
}

class Unexpected extends Error {
  constructor(status: number) {
    super(`unexpected status ${status}`);
  }
}

test("with 100 uses and 400 people at once exactly 100 get the file, through SIGKILL", {
  timeout: 120_000,
}, async () => {
  const block = { file_id: "file", access: "free", uses_max: LIMIT } as const;
  const links = [{ link_id: LINK, kind: "download" as const, label: "كتاب", block }];
  const base = await serving.call("start", {
    statePath,
    // One limiter object for all: 400 would wake after each kill.
    vars: { FLUSH_SECONDS: "1", LIMITER_SHARDS: "1" },
    pages: [plainPage({ page_id: PAGE, owner_id: OWNER, links })],
    files: [{ file_id: "file", owner_id: OWNER, size: SIZE }],
  });
  const ends: End[] = [];
  const people = Array.from({ length: PEOPLE }, async (_, i) => {
    ends.push(await download(base, i));
  });
  // Spread over the run, and never while workerd starts: Miniflare would give up.
  let kills = 0;
  const killing = (async () => {
    for (; kills < KILLS; kills += 1) {
      while (ends.length < (kills * PEOPLE) / (2 * KILLS)) await pause(5);
      while (!(await isUp(base))) await pause(20);
      while (!(await serving.call("kill"))) await pause(20);
    }
  })();
  await Promise.all([...people, killing]);
  expect(kills).toBe(KILLS);
  expect(ends.filter((end) => end === "file")).toHaveLength(LIMIT);
  expect(ends.filter((end) => end === "used_up")).toHaveLength(PEOPLE - LIMIT);
  await vi.waitFor(
    async () => {
      const { object, d1 } = await serving.call("downloads", PAGE);
      expect(object).toMatchObject([{ link_id: LINK, uses: LIMIT }]);
      expect(d1).toMatchObject([{ link_id: LINK, uses: LIMIT }]);
      expect(await serving.call("totals", PAGE)).toMatchObject([
        { kind: "click", link_id: LINK, class: "human", accepted: LIMIT },
      ]);
    },
    { timeout: 30_000, interval: 500 },
  );
});
