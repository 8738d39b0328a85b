/**
 * A server in a process of its own, driven over IPC by `serving.ts`, so that a test can end its
 * workerd with SIGKILL and is not touched itself. It ends when its parent does.
 */
import { type Request, Response } from "miniflare";
import { notePageChanged } from "../../src/pages/page-changes-store.ts";
import { createPage, type Page } from "../../src/pages/pages-store.ts";
import { type D1Fault, D1Judge } from "../simulate/d1-judge.ts";
import { type Distance, NO_DISTANCE } from "../simulate/distance.ts";
import { type HandOver, parseHandOver } from "../simulate/hand-overs.ts";
import { type Server, startServer } from "./server.ts";

/** A line of a page object's totals, as `objects/tables/tallies.ts` makes it. */
interface Total {
  kind: string;
  link_id: string;
  class: string;
  accepted: number;
  flushed: number;
}

/** What an object answers to RPC, as far as the tests ask. */
interface Stub {
  totals(): Promise<Total[]>;
  remembers(keys: readonly string[]): Promise<boolean[]>;
  /** These two only with `test/simulate/worker/faulty.ts` around the bundle. */
  evict(): Promise<void>;
  instance(): Promise<string>;
}

interface Namespace {
  getByName(name: string): Stub;
  idFromName(name: string): { toString(): string };
}

/** One line of `tallies`, summed over hours and shards. */
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
  /** What D1 holds at the start. */
  pages: Page[];
  /** A module around the deployed bundle: `faulty.ts`, or one that stands on it. */
  module?: string;
  /** Workers of the same code in front of the same objects. */
  routers?: number;
  /** With `module`: how far everything is from everything. */
  distance?: Distance;
}

let server: Server | undefined;
let judge = new D1Judge();
const handed_over: HandOver[] = [];

function running(): Server {
  if (server === undefined) throw new Error("call start first");
  return server;
}

/** `workers-types` would bring its own globals along; the namespace is all that is needed of it. */
async function objects(binding: "PAGE" | "LIMITER"): Promise<Namespace> {
  const { miniflare } = running().workerd;
  return (await miniflare.getDurableObjectNamespace(binding)) as unknown as Namespace;
}

const calls = {
  /** Starts and answers the address. */
  async start(options: StartOptions): Promise<string> {
    const { statePath, vars = {}, pages, module, routers = 1, distance = NO_DISTANCE } = options;
    judge = new D1Judge(distance);
    server = await startServer({
      statePath,
      vars: { ...vars, DISTANCE: JSON.stringify(distance) },
      routers,
      seed: async (db) => {
        for (const page of pages) await createPage(db, page);
      },
      around: module === undefined ? undefined : { module, services },
    });
    return server.url.href;
  },

  /** Addresses of all routers. */
  async routers(): Promise<string[]> {
    return running().routers.map(({ href }) => href);
  },

  /** SIGKILL for workerd; Miniflare starts another one on the same state. False while it does. */
  async kill(): Promise<boolean> {
    const pid = running().workerd.pid();
    return pid !== undefined && process.kill(pid, "SIGKILL");
  },

  /** Throws an object out of memory in the middle of whatever it does. False where that did not happen. */
  async evict(binding: "PAGE" | "LIMITER", name: string): Promise<boolean> {
    const namespace = await objects(binding);
    const before = await namespace.getByName(name).instance();
    // Its own answer breaks too. Only a new instance proves that the old one is gone.
    await namespace
      .getByName(name)
      .evict()
      .catch(() => {});
    return before !== (await namespace.getByName(name).instance());
  },

  /** What every call to D1 meets from now on. */
  async breakD1(fault: D1Fault): Promise<void> {
    judge.fault = fault;
  },

  /** How many calls to D1 have met a fault. */
  async brokenD1Calls(): Promise<number> {
    return judge.failed;
  },

  /**
   * Suspends a page, or takes a link away from it, in D1 as an edit does: with a note for whoever keeps a copy.
   * `deliverEdits` must follow.
   */
  async edit(page_id: string, link_id: string | null): Promise<void> {
    const db = await running().db();
    const suspend = db.prepare("UPDATE pages SET status = 'suspended' WHERE page_id = ?1");
    const remove = db.prepare("DELETE FROM links WHERE page_id = ?1 AND link_id = ?2");
    await db.batch([
      link_id === null ? suspend.bind(page_id) : remove.bind(page_id, link_id),
      notePageChanged(db, page_id, Date.now()),
    ]);
  },

  /** Runs the cron, which tells objects of edits; answers whether this page's has been told. */
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

  /** What routers handed over to objects as numbers, or were about to. */
  async handedOver(): Promise<HandOver[]> {
    return handed_over;
  },

  async totals(page_id: string): Promise<Total[]> {
    return (await objects("PAGE")).getByName(page_id).totals();
  },

  async remembers(page_id: string, keys: string[]): Promise<boolean[]> {
    return (await objects("PAGE")).getByName(page_id).remembers(keys);
  },

  /** The object's id, which names its file in the state folder. */
  async objectId(page_id: string): Promise<string> {
    return (await objects("PAGE")).idFromName(page_id).toString();
  },

  /** What D1 says of all pages; asked directly, so that no fault is in the way. */
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

export type Calls = typeof calls;

/** What `test/simulate/worker` finds in its environment. */
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

/** Nobody waits for an answer any more once the parent has hung up. */
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
  await server?.dispose();
  process.exit(0);
});
