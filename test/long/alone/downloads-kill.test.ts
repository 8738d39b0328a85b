/**
 * A limited download in the real runtime: 400 people want one of 100 uses at once, and resume until they
 * have the whole file or are refused, while workerd is ended with SIGKILL before and after a use is noted.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileKey } from "../../../src/files/files-store.ts";
import { plainPage, storePage } from "../../plain-page.ts";
import { type Server, startServer } from "../../server/server.ts";
import { Steering } from "../../server/steering.ts";

const TIMEOUT_MS = 180_000;
const LIMIT = 100;
const PEOPLE = 400;
/** Where workerd is ended, each after so many people have come to the same step. */
const KILLS = [
  { step: "use, before", skips: 0 },
  { step: "use, after", skips: 20 },
  { step: "use, after", skips: 40 },
  { step: "use, before", skips: 40 },
] as const;
const SIZE = 50_000;
/** Longest wait of a person for one answer. */
const ANSWER_MS = 15_000;
const PAGE = "downloads";
const LINK = "book";
const OWNER = "owner";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const steering = new Steering();
let statePath: string;
let server: Server;
beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-downloads-"));
  const block = { file_id: "file", access: "free", uses_max: LIMIT } as const;
  const links = [{ link_id: LINK, kind: "download" as const, label: "كتاب", block }];
  server = await startServer({
    statePath,
    around: steering.around,
    // One limiter object for all: 400 would wake after each kill.
    vars: { FLUSH_SECONDS: "1", LIMITER_SHARDS: "1" },
    // Calls under way are lost on purpose.
    onLine: () => {},
    seed: async (db, media) => {
      await storePage(db, plainPage({ page_id: PAGE, owner_id: OWNER, links }));
      await media.put(fileKey("file"), new Uint8Array(SIZE));
      await db
        .prepare(
          `INSERT INTO files (file_id, owner_id, name, type, size, state, etag, created_at, touched_at)
           VALUES ('file', ?1, 'a', 'a/b', ?2, 'ready', '"a"', 0, 0)`,
        )
        .bind(OWNER, SIZE)
        .run();
    },
  });
  steering.steer(server);
}, TIMEOUT_MS);
afterEach(async () => {
  await server?.dispose();
  await rm(statePath, { recursive: true, force: true });
});

/** What a person has at the end: the file, or that it is used up. */
type End = "file" | "used_up";

/** One person, who gives up only where the answer is final; asks at most 30 times a minute. */
async function download(i: number): Promise<End> {
  const headers = {
    "User-Agent": BROWSER,
    "CF-Connecting-IP": `10.${i >> 8}.${i & 255}.1`,
  };
  let address = `${server.url}api/download/file?page_id=${PAGE}&link_id=${LINK}`;
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

class Unexpected extends Error {
  constructor(status: number) {
    super(`unexpected status ${status}`);
  }
}

/** How often the file was used: by the page's object of downloads, in D1, and as clicks of the page. */
async function uses() {
  const { miniflare } = server.workerd;
  const totalsOf = async (binding: "DOWNLOADS" | "PAGE") => {
    const namespace = await miniflare.getDurableObjectNamespace(binding);
    // Importing `workers-types` would declare its globals too.
    type Stub = { totals(): Promise<object[]> };
    return (namespace as unknown as { getByName(name: string): Stub }).getByName(PAGE).totals();
  };
  const { results } = await (await server.db())
    .prepare("SELECT link_id, uses FROM downloads WHERE page_id = ?1")
    .bind(PAGE)
    .all();
  return { object: await totalsOf("DOWNLOADS"), page: await totalsOf("PAGE"), d1: results };
}

test("with 100 uses and 400 people at once exactly 100 get the file, through SIGKILL", {
  timeout: TIMEOUT_MS,
}, async () => {
  const ends: End[] = [];
  const killing = (async () => {
    for (const { step, skips } of KILLS) {
      await steering.at(step, "SIGKILL", skips);
      await steering.isUp();
    }
  })();
  const people = Array.from({ length: PEOPLE }, async (_, i) => {
    ends.push(await download(i));
  });
  await Promise.all([...people, killing]);
  expect(ends.filter((end) => end === "file")).toHaveLength(LIMIT);
  expect(ends.filter((end) => end === "used_up")).toHaveLength(PEOPLE - LIMIT);
  await expect.poll(uses, { timeout: 30_000, interval: 500 }).toMatchObject({
    object: [{ link_id: LINK, uses: LIMIT }],
    page: [{ kind: "click", link_id: LINK, class: "human", accepted: LIMIT }],
    d1: [{ link_id: LINK, uses: LIMIT }],
  });
});
