/**
 * A server in a process of its own, driven over IPC by `serving.ts`, so that a test can end its
 * workerd with SIGKILL and is not touched itself. It ends when its parent does.
 */

import { createPage, type Page } from "../../src/stores/pages.ts";
import { type Server, startServer } from "./server.ts";

/** A line of a page object's totals, as `objects/tallies.ts` makes it. */
interface Total {
  kind: string;
  link_id: string;
  class: string;
  accepted: number;
  flushed: number;
}

/** What a page object answers to RPC, as far as the tests ask. */
interface PageStub {
  totals(): Promise<Total[]>;
  remembers(keys: readonly string[]): Promise<boolean[]>;
}

/** One line of `tallies`, summed over hours and shards. */
export interface Sum {
  page_id: string;
  kind: string;
  link_id: string;
  class: string;
  n: number;
}

let server: Server | undefined;

function running(): Server {
  if (server === undefined) throw new Error("call start first");
  return server;
}

/** `workers-types` would bring its own globals along; the namespace is all that is needed of it. */
async function pages() {
  return (await running().workerd.miniflare.getDurableObjectNamespace("PAGE")) as unknown as {
    getByName(name: string): PageStub;
    idFromName(name: string): { toString(): string };
  };
}

const calls = {
  /** Starts, with these pages in D1. Answers the address. */
  async start(statePath: string, vars: Record<string, string>, made: Page[]): Promise<string> {
    const seed = async (db: D1Database) => {
      for (const page of made) await createPage(db, page);
    };
    server = await startServer({ statePath, vars, seed });
    return server.url.href;
  },

  /** SIGKILL for workerd; Miniflare starts another one on the same state. False while it does. */
  async kill(): Promise<boolean> {
    const pid = running().workerd.pid();
    return pid !== undefined && process.kill(pid, "SIGKILL");
  },

  async totals(page_id: string): Promise<Total[]> {
    return (await pages()).getByName(page_id).totals();
  },

  async remembers(page_id: string, keys: string[]): Promise<boolean[]> {
    return (await pages()).getByName(page_id).remembers(keys);
  },

  /** The object's id, which names its file in the state folder. */
  async objectId(page_id: string): Promise<string> {
    return (await pages()).idFromName(page_id).toString();
  },

  /** What D1 says of all pages. */
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

process.on("message", async ({ id, name, args }: CallMessage) => {
  const call = calls[name] as (...args: unknown[]) => Promise<unknown>;
  try {
    process.send?.({ id, result: await call(...args) } satisfies AnswerMessage);
  } catch (error) {
    process.send?.({ id, error: String(error) } satisfies AnswerMessage);
  }
});
process.once("disconnect", async () => {
  await server?.dispose();
  process.exit(0);
});
