/**
 * A server in a process of its own, called over IPC by `serving.ts`, so that a test can kill workerd
 * without harm to its own process. It ends when its parent does.
 */
import { createHash } from "node:crypto";
import { type Request, Response } from "miniflare";
import { fileKey } from "../../src/blocks/files/files-store.ts";
import { type Server, type ServerOptions, startServer } from "../../src/commands/serve/server.ts";
import { notePageChanged } from "../../src/pages/document/page-changes-store.ts";
import type { Page } from "../../src/pages/document/pages-store.ts";
import type { Neighbours } from "../demo/neighbours/neighbours.ts";
import { startWithHub } from "../demo/neighbours/with-neighbours.ts";
import { removeLinkSql, storePage } from "../plain-page.ts";
import { type D1Fault, D1Judge } from "../simulate/d1-judge.ts";
import { type Distance, NO_DISTANCE } from "../simulate/distance.ts";
import { type HandOver, parseHandOver } from "../simulate/hand-overs.ts";
import { freePair } from "./ports.ts";

/** A row of a page object's totals; see `objects/page/tables/tallies.ts`. */
interface Total {
  kind: string;
  link_id: string;
  class: string;
  accepted: number;
  flushed: number;
}

interface Stub {
  snapshot(): Promise<{ totals: Total[] }>;
  remembers(keys: readonly string[]): Promise<boolean[]>;
  /** These two exist only with `test/simulate/worker/faulty.ts` around the bundle. */
  evict(): Promise<void>;
  instance(): Promise<string>;
}

interface DownloadsStub {
  totals(): Promise<LinkUses[]>;
}

interface LinkUses {
  link_id: string;
  uses: number;
  bytes: number;
}

interface Namespace {
  getByName(name: string): Stub;
  idFromName(name: string): { toString(): string };
}

/** A sum of rows of `tallies` over hours and shards. */
export interface Sum {
  page_id: string;
  kind: string;
  link_id: string;
  class: string;
  n: number;
}

export interface StartOptions {
  statePath: string;
  /** Replace the `[vars]` of wrangler.toml and its secrets. */
  vars?: Record<string, string>;
  pages: Page[];
  /** Files of their owners at the start, each with this many bytes. */
  files?: { file_id: string; owner_id: string; size: number }[];
  /** A module around the deployed bundle: `faulty.ts`, or one that imports it. */
  module?: string;
  /** Number of Workers of the same code in front of the same objects. */
  routers?: number;
  /** With `module`: the simulated latencies between Worker, objects and D1. */
  distance?: Distance;
  withHub?: boolean;
}

let server: Server | undefined;
let hub: Neighbours | undefined;
let judge = new D1Judge();
const handed_over: HandOver[] = [];
let lost_answers = 0;

function running(): Server {
  if (server === undefined) throw new Error("call start first");
  return server;
}

/** Declared here, because `workers-types` would add its globals. */
async function objects(binding: "PAGE" | "LIMITER"): Promise<Namespace> {
  const { miniflare } = running().workerd;
  return (await miniflare.getDurableObjectNamespace(binding)) as unknown as Namespace;
}

const calls = {
  async start(options: StartOptions): Promise<string> {
    const {
      statePath,
      vars = {},
      pages,
      files = [],
      module,
      routers = 1,
      distance = NO_DISTANCE,
      withHub = false,
    } = options;
    judge = new D1Judge(distance);
    const started: ServerOptions & { statePath: string } = {
      statePath,
      vars: { ...vars, DISTANCE: JSON.stringify(distance) },
      routers,
      seed: async (db, media) => {
        for (const page of pages) await storePage(db, page);
        for (const { file_id, owner_id, size } of files) {
          await media.put(fileKey(file_id), contentOf(size));
          await db
            .prepare(
              `INSERT INTO files (file_id, owner_id, name, type, size, state, etag, created_at, touched_at)
               VALUES (?1, ?2, 'a', 'a/b', ?3, 'ready', '"a"', 0, 0)`,
            )
            .bind(file_id, owner_id, size)
            .run();
        }
      },
      around: module === undefined ? undefined : { module, services },
    };
    if (withHub) {
      const pair = await freePair(0);
      if ("taken" in pair) throw new Error("no two ports in a row are free");
      const both = await startWithHub({ ...started, ...pair, hostname: "127.0.0.1" });
      ({ server, hub } = both);
    } else server = await startServer(started);
    return server.url.href;
  },

  async control(...args: Parameters<Neighbours["control"]>): Promise<unknown> {
    if (hub === undefined) throw new Error("the hub was not started");
    return hub.control(...args);
  },

  async routers(): Promise<string[]> {
    return running().routers.map(({ href }) => href);
  },

  /** Kills workerd; Miniflare restarts it on the same state. False while no workerd runs. */
  async kill(): Promise<boolean> {
    const pid = running().workerd.pid();
    return pid !== undefined && process.kill(pid, "SIGKILL");
  },

  /** Evicts an object in the middle of its work; false where it was not evicted. */
  async evict(binding: "PAGE" | "LIMITER", name: string): Promise<boolean> {
    const namespace = await objects(binding);
    const before = await namespace.getByName(name).instance();
    // This call fails too, so only a new instance proves the eviction.
    await namespace
      .getByName(name)
      .evict()
      .catch(() => {});
    return before !== (await namespace.getByName(name).instance());
  },

  async breakD1(fault: D1Fault): Promise<void> {
    judge.fault = fault;
  },

  async brokenD1Calls(): Promise<number> {
    return judge.failed;
  },

  /**
   * Suspends a page, or removes a link from it, in D1, and records the change as an edit does.
   * `deliverEdits` must follow.
   */
  async edit(page_id: string, link_id: string | null): Promise<void> {
    const db = await running().db();
    const suspend = db.prepare("UPDATE pages SET status = 'suspended' WHERE page_id = ?1");
    await db.batch([
      link_id === null ? suspend.bind(page_id) : db.prepare(removeLinkSql(link_id)).bind(page_id),
      notePageChanged(db, page_id, Date.now()),
    ]);
  },

  /** Runs the cron, which notifies the objects of edits; true when this page's object was notified. */
  async deliverEdits(page_id: string): Promise<boolean> {
    const worker = await running().workerd.miniflare.getWorker();
    await worker.scheduled({ cron: "* * * * *" });
    const db = await running().db();
    const untold = await db
      .prepare("SELECT 1 FROM page_changes WHERE page_id = ?1 AND NOT told")
      .bind(page_id)
      .first();
    return untold === null;
  },

  /** The counts that routers sent to objects, or were about to send. */
  async handedOver(): Promise<HandOver[]> {
    return handed_over;
  },

  async lostAnswers(): Promise<number> {
    return lost_answers;
  },

  /** The totals for somebody who looks at D1's numbers too: the object flushes first. */
  async look(page_id: string): Promise<Total[]> {
    return (await (await objects("PAGE")).getByName(page_id).snapshot()).totals;
  },

  /** Runs a statement in one of the databases, without faults. */
  async query(binding: string, sql: string, ...values: (string | number)[]): Promise<unknown[]> {
    const db = await running().db(binding);
    const { results } = await db
      .prepare(sql)
      .bind(...values)
      .all();
    return results;
  },

  async remembers(page_id: string, keys: string[]): Promise<boolean[]> {
    return (await objects("PAGE")).getByName(page_id).remembers(keys);
  },

  /** The object's id; its file in the state folder has this name. */
  async objectId(page_id: string): Promise<string> {
    return (await objects("PAGE")).idFromName(page_id).toString();
  },

  async downloads(page_id: string): Promise<{ object: LinkUses[]; d1: LinkUses[] }> {
    const { miniflare } = running().workerd;
    const namespace = await miniflare.getDurableObjectNamespace("DOWNLOADS");
    const stub = (namespace as unknown as { getByName(name: string): DownloadsStub }).getByName(
      page_id,
    );
    const db = await running().db();
    const { results } = await db
      .prepare("SELECT link_id, uses, bytes FROM downloads WHERE page_id = ?1 ORDER BY link_id")
      .bind(page_id)
      .all<LinkUses>();
    return { object: await stub.totals(), d1: results };
  },

  async fileHash(file_id: string): Promise<string> {
    const object = await (await running().media()).get(fileKey(file_id));
    if (object === null) throw new Error("the file is not in R2");
    return createHash("sha256")
      .update(new Uint8Array(await object.arrayBuffer()))
      .digest("hex");
  },

  async tips(page_id: string): Promise<{ message: string; from_id: string; points: number }[]> {
    const db = await running().db();
    const { results } = await db
      .prepare("SELECT message, from_id, points FROM tips WHERE page_id = ?1 ORDER BY seq")
      .bind(page_id)
      .all<{ message: string; from_id: string; points: number }>();
    return results;
  },

  async sums(): Promise<Sum[]> {
    const db = await running().db();
    const { results } = await db
      .prepare(
        `SELECT page_id, kind, link_id, class, SUM(n) AS n FROM tallies
         GROUP BY page_id, kind, link_id, class`,
      )
      .all<Sum>();
    return results;
  },
};

/** No two parts are alike. */
function contentOf(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8) * 7) & 255);
}

export type Calls = typeof calls;

const services = {
  D1_JUDGE: async (request: Request) => {
    if (new URL(request.url).pathname === "/there") return new Response(await judge.there());
    await judge.back();
    return new Response();
  },
  HAND_OVERS: async (request: Request) => {
    handed_over.push(...parseHandOver(await request.text()));
    return new Response();
  },
  LOSSES: async () => {
    lost_answers += 1;
    return new Response();
  },
};

/** A call from the parent, and the answer: `error` is set when it threw. */
export interface CallMessage {
  id: number;
  name: keyof Calls;
  args: unknown[];
}
export interface AnswerMessage {
  id: number;
  result?: unknown;
  error?: string;
}

/** Does nothing once the parent has disconnected. */
function answer(message: AnswerMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

process.on("message", async ({ id, name, args }: CallMessage) => {
  const call = calls[name] as (...args: unknown[]) => Promise<unknown>;
  try {
    answer({ id, result: await call(...args) });
  } catch (error) {
    answer({ id, error: String(error) });
  }
});
process.once("disconnect", async () => {
  await Promise.all([server?.dispose(), hub?.dispose()]);
  process.exit(0);
});
