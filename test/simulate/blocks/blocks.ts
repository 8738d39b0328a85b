/** The blocks in a run: their clients send while the events do, and are judged after them. */
import type { Serving } from "../../server/serving.ts";
import { totalsOf } from "../evidence.ts";
import type { Violation } from "../judge.ts";
import { Asker, type Asking, jsonOf, Stuck } from "./asker.ts";
import {
  download,
  noting,
  type Scene,
  type Session,
  signUp,
  suggest,
  tip,
} from "./block-clients.ts";
import {
  BLOCKS_FILE,
  BLOCKS_PAGE,
  DOWNLOAD,
  OWNER,
  usesMax,
  VISITORS,
  type Visitor,
} from "./blocks-page.ts";
import { type BlocksEvidence, judgeBlocks, judgeNotes } from "./judge-blocks.ts";
import { Notes } from "./notes.ts";

/** Of each kind so many begin at once. */
const AT_ONCE = 4;
/** All begin within this first part of the events, so that kills meet them. */
const BEGIN_UNTIL = 0.9;
const PACE_MS = 20;
const JUDGE_EVERY_MS = 500;
const CALLS_EVERY_MS = 500;
const ENDPOINT = "/v1/chat/completions";
const LISTED_MAX = 100;

export interface BlocksResult {
  tips_acknowledged: number;
  tips_refused: number;
  tips_sent: number;
  downloads: number;
  downloads_wanted: number;
  uses_max: number;
  signed_up: number;
  subscribers: number;
  suggestions: number;
  suggestions_refused: number;
}

export interface BlocksRun {
  serving: Serving;
  routers: readonly string[];
  blocks: number;
  /** Events in all, and those that are settled. */
  events: number;
  settled: () => number;
  /** When everything worked again for the last time, in milliseconds of `performance.now`. */
  recovered: () => number;
  signal: AbortSignal;
}

export class Blocks {
  readonly #run: BlocksRun;
  readonly #scene: Scene;
  readonly #sessions = new Map<Visitor, Session>();
  #owner: Session = {};
  /** When all had their answers, in milliseconds of `performance.now`. */
  #ended_ms = 0;
  #reads = VISITORS.length;

  constructor(run: BlocksRun) {
    this.#run = run;
    const { routers, recovered, serving, signal } = run;
    const asker = new Asker(routers, recovered, signal);
    this.#scene = { asker, serving, sessions: this.#sessions, notes: new Notes() };
  }

  /** Signs everybody in. Before the first fault. */
  async prepare(): Promise<void> {
    for (const [n, user] of VISITORS.entries()) {
      this.#sessions.set(user, await this.#signIn(user, n));
    }
    this.#owner = await this.#signIn(OWNER, VISITORS.length);
  }

  /** Resolves when each has a final answer; what was not begun when `loading` ends is left out. */
  async send(loading: Promise<unknown>): Promise<void> {
    const { blocks, events, settled, signal } = this.#run;
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    loading.then(end, end);
    const stop = new AbortController();
    const counting = this.#countCalls(stop.signal);
    const tasks: Promise<void>[] = [];
    try {
      for (let n = 0; n < blocks; n += 1) {
        const group = n - (n % AT_ONCE);
        const due = (group / blocks) * BEGIN_UNTIL * events;
        while (settled() < due && !isOver && !signal.aborted) await this.#scene.asker.rest(PACE_MS);
        if (settled() < due) break;
        for (const send of [tip, download, signUp, suggest]) {
          tasks.push(noting(send(n, this.#scene), this.#scene));
        }
      }
      await Promise.all(tasks);
      this.#ended_ms = performance.now();
    } finally {
      stop.abort();
      await counting;
    }
    signal.throwIfAborted();
  }

  async judge(): Promise<{ result: BlocksResult | null; violations: Violation[] }> {
    try {
      return await this.#judge();
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      // Nobody can say what there is.
      const { notes } = this.#scene;
      return { result: null, violations: [stuckOn(error), ...judgeNotes(notes)] };
    }
  }

  async #judge(): Promise<{ result: BlocksResult; violations: Violation[] }> {
    const { asker } = this.#scene;
    for (;;) {
      const isOver = asker.isOver(this.#ended_ms);
      const evidence = await this.#evidence();
      const found = judgeBlocks(evidence);
      if (found.length === 0 || isOver) {
        const violations = [...found, ...judgeNotes(evidence.notes)];
        return { result: resultOf(evidence), violations };
      }
      await asker.rest(JUDGE_EVERY_MS);
    }
  }

  async #signIn(user_id: string, n: number): Promise<Session> {
    const { asker, serving } = this.#scene;
    const { cookie } = (await serving.call("control", "POST", "/sign-in", { user_id })) as {
      cookie: string;
    };
    const Cookie = `hub_session=${cookie}`;
    const by: Asking = { kind: "evidence", n };
    const answer = await asker.ask(by, "/api/auth/session", { headers: { Cookie } }, [200]);
    const { csrf_token } = jsonOf<{ csrf_token: string }>(answer);
    return {
      Cookie,
      "X-CSRF-Token": csrf_token,
      "Sec-Fetch-Site": "same-origin",
      "Content-Type": "application/json",
    };
  }

  /** The hub notes a limited number of calls, so they are taken often. */
  async #countCalls(stop: AbortSignal): Promise<void> {
    const { serving, notes, asker } = this.#scene;
    for (let isLast = false; !isLast && !this.#run.signal.aborted; ) {
      isLast = stop.aborted;
      const { calls } = (await serving.call("control", "DELETE", "/calls")) as {
        calls: { path: string }[];
      };
      notes.endpoint_calls += calls.filter(({ path }) => path === ENDPOINT).length;
      if (!isLast) await asker.rest(CALLS_EVERY_MS).catch(() => {});
    }
  }

  async #evidence(): Promise<BlocksEvidence> {
    const { serving, notes } = this.#scene;
    const { transfers } = (await serving.call("control", "GET", "/books")) as {
      transfers: { key: string; user_id: string; recipient: string; points: number }[];
    };
    const histories = await Promise.all(
      VISITORS.map((user) =>
        this.#list<{ id: string; message: string }>(
          "/api/me/tips",
          "tips",
          this.#sessions.get(user) ?? {},
        ),
      ),
    );
    const subscribers = await this.#list<{ email: string }>(
      `/api/me/pages/${BLOCKS_PAGE}/subscribers`,
      "subscribers",
      this.#owner,
    );
    const { object, d1 } = await serving.call("downloads", BLOCKS_PAGE);
    return {
      notes,
      uses_max: usesMax(this.#run.blocks),
      books: transfers
        .filter(({ recipient }) => recipient === OWNER)
        // A later attempt of a tip has its number after the id.
        .map(({ key, user_id, points }) => ({ id: key.replace(/\.\d+$/, ""), user_id, points })),
      sent: histories.flat(),
      tips: await serving.call("tips", BLOCKS_PAGE),
      totals: await totalsOf(serving, [BLOCKS_PAGE]),
      sums: (await serving.call("sums")).filter(({ page_id }) => page_id === BLOCKS_PAGE),
      uses: { object: usesIn(object), d1: usesIn(d1) },
      file_hash: await serving.call("fileHash", BLOCKS_FILE.file_id),
      subscribers: subscribers.map(({ email }) => email),
    };
  }

  async #list<T>(path: string, member: string, session: Session): Promise<T[]> {
    const all: T[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query = `?limit=${LISTED_MAX}${cursor === "" ? "" : `&cursor=${cursor}`}`;
      // Each from another network: the limit of reads is not what is judged.
      this.#reads += 1;
      const by: Asking = { kind: "evidence", n: this.#reads % 1_024 };
      const answer = await this.#scene.asker.ask(by, path + query, { headers: session }, [200]);
      const page = jsonOf<Record<string, T[]> & { next_cursor: string | null }>(answer);
      all.push(...(page[member] ?? []));
      cursor = page.next_cursor;
    }
    return all;
  }
}

function stuckOn({ message }: Stuck): Violation {
  return { rule: "stuck", id: "blocks", detail: message };
}

function usesIn(links: readonly { link_id: string; uses: number }[]): number {
  return links.find(({ link_id }) => link_id === DOWNLOAD)?.uses ?? 0;
}

function resultOf({ notes, books, uses_max, subscribers }: BlocksEvidence): BlocksResult {
  const outcomes = [...notes.tips.values()].map(({ outcome }) => outcome);
  const suggestions = [...notes.suggested.values()].reduce((sum, n) => sum + n, 0);
  return {
    tips_acknowledged: outcomes.filter((outcome) => outcome === "sent").length,
    tips_refused: outcomes.filter((outcome) => outcome === "refused").length,
    tips_sent: books.length,
    downloads: notes.files.size,
    downloads_wanted: notes.files.size + notes.used_up,
    uses_max,
    signed_up: notes.accepted.size,
    subscribers: subscribers.length,
    suggestions,
    suggestions_refused: notes.over_quota,
  };
}
