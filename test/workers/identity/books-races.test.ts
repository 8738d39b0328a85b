/**
 * The books against a model: random calls at once, of which some never reach D1 and some lose its answer. After each
 * round there must be an order of the calls, one after the other, that explains every answer and every row.
 */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import {
  closeTransfer,
  endPoints,
  giveGift,
  makeTransfer,
  readBooks,
} from "../../../src/identity/books-store.ts";
import { generator, integer, pick, type Random } from "../../random.ts";
import { cases, seedOfTheDay } from "../kit/cases.ts";

const ROUNDS = 40;
const AT_ONCE_MAX = 4;
const NOW = 1_800_000_000_000;

type Op =
  | { do: "give"; key: string; user: string; points: number }
  | { do: "send"; key: string; user: string; to: string; points: number; notify: boolean }
  | { do: "close"; key: string; user: string }
  | { do: "end"; user: string };

/** `before`: it never reached D1; `after`: its answer was lost, as by a kill while it was awaited. */
type Fault = "none" | "before" | "after";

/** What was answered, without ids. */
type Answer =
  | "done"
  | "void"
  | "no such user"
  | "not enough points"
  | "key was used"
  | "key is closed";

/** All rows of the books, in one order. */
interface State {
  users: string[];
  /** User, points, lifetime. */
  wallets: [string, number, number][];
  /** User, key, recipient, points. */
  transfers: [string, string, string, number][];
  closed: [string, string][];
  /** Key, user, points. */
  gifts: [string, string, number][];
  /** User, points. */
  ended: [string, number][];
  /** Recipients who were told. */
  told: string[];
}

/** The rules of a single call, of section 8 and of gifts. Changes the state. */
function apply(state: State, op: Op): Answer {
  const wallet = (user: string) => state.wallets.find(([id]) => id === user);
  const add = (user: string, points: number) => {
    const found = wallet(user) ?? ([user, 0, 0] as State["wallets"][number]);
    if (!state.wallets.includes(found)) state.wallets.push(found);
    found[1] += points;
    found[2] += Math.max(0, points);
  };
  const isUser = (user: string) => state.users.includes(user);
  const held = wallet(op.user)?.[1] ?? 0;
  switch (op.do) {
    case "give": {
      const known = state.gifts.find(([key]) => key === op.key);
      if (known !== undefined)
        return known[1] === op.user && known[2] === op.points ? "done" : "key was used";
      if (!isUser(op.user)) return "no such user";
      if (held + op.points < 0) return "not enough points";
      add(op.user, op.points);
      state.gifts.push([op.key, op.user, op.points]);
      return "done";
    }
    case "send": {
      const known = state.transfers.find(([user, key]) => user === op.user && key === op.key);
      if (known !== undefined)
        return known[2] === op.to && known[3] === op.points ? "done" : "key was used";
      if (state.closed.some(([user, key]) => user === op.user && key === op.key))
        return "key is closed";
      if (!isUser(op.user) || !isUser(op.to)) return "no such user";
      if (held < op.points) return "not enough points";
      add(op.user, -op.points);
      add(op.to, op.points);
      state.transfers.push([op.user, op.key, op.to, op.points]);
      if (op.notify) state.told.push(op.to);
      return "done";
    }
    case "close":
      if (state.transfers.some(([user, key]) => user === op.user && key === op.key)) return "done";
      if (!state.closed.some(([user, key]) => user === op.user && key === op.key))
        state.closed.push([op.user, op.key]);
      return "void";
    case "end":
      if (held > 0) state.ended.push([op.user, held]);
      state.wallets = state.wallets.filter(([id]) => id !== op.user);
      state.users = state.users.filter((id) => id !== op.user);
      return "done";
  }
}

const sorted = (state: State) =>
  Object.values(state).map((rows) => rows.map((row: unknown) => JSON.stringify(row)).sort());

async function readState(): Promise<State> {
  const lists = {
    users: "id FROM auth_users",
    wallets: "json_array(user_id, points, lifetime) FROM auth_wallets",
    transfers: "json_array(user_id, key, recipient, points) FROM auth_transfers",
    closed: "json_array(user_id, key) FROM auth_closed_keys",
    gifts: "json_array(key, user_id, points) FROM auth_gifts WHERE by_id IS NOT NULL",
    ended: "json_array(user_id, -points) FROM auth_gifts WHERE by_id IS NULL",
    told: "body ->> '$.data.user_id' FROM auth_events",
  };
  const members = Object.entries(lists).map(
    ([name, list]) => `'${name}', (SELECT json_group_array(${list.replace(" FROM", ") FROM")})`,
  );
  const state = await env.DB.prepare(`SELECT json_object(${members}) AS state`).first<string>(
    "state",
  );
  return JSON.parse(state ?? "");
}

function addUser(id: string): Promise<unknown> {
  return env.DB.prepare(
    `INSERT INTO auth_users (id, name, plan, locale, is_operator, created_at)
     VALUES (?1, ?1, 'free', 'ar', 0, ?2)`,
  )
    .bind(id, NOW)
    .run();
}

/** D1 with a fault in its one batch: nothing else may be awaited, or a kill could come in between. */
function faulty(fault: Fault): D1Database {
  let calls = 0;
  const batch: D1Database["batch"] = async (statements) => {
    calls += 1;
    expect(calls).toBe(1);
    if (fault === "before") throw new Error("never arrived");
    const results = await env.DB.batch(statements);
    if (fault === "after") throw new Error("the answer was lost");
    return results as never;
  };
  const prepare = (sql: string) => env.DB.prepare(sql);
  return { prepare, batch } as D1Database;
}

/** The answer, and the id in it. */
async function run(op: Op, db: D1Database): Promise<{ answer: Answer; id?: string }> {
  const { key = "", user } = { key: "", ...op };
  switch (op.do) {
    case "give": {
      const gift = { key, user_id: user, points: op.points, note: "", by_id: "operator" };
      const given = await giveGift(db, gift, NOW);
      return "id" in given ? { answer: "done", id: given.id } : { answer: given.refused };
    }
    case "send": {
      const order = { user_id: user, key, to: op.to, points: op.points };
      const event = (id: string) => ({
        type: "user.updated" as const,
        data: { user_id: op.to, id },
      });
      const made = await makeTransfer(db, order, op.notify ? event : null, NOW);
      return "id" in made ? { answer: "done", id: made.id } : { answer: made.refused };
    }
    case "close": {
      const id = await closeTransfer(db, user, key, NOW);
      return id === null ? { answer: "void" } : { answer: "done", id };
    }
    case "end": {
      const user_row = db.prepare("DELETE FROM auth_users WHERE id = ?1").bind(user);
      await db.batch([...endPoints(db, user, NOW), user_row]);
      return { answer: "done" };
    }
  }
}

function randomOp(users: readonly string[], random: Random): Op {
  const user = pick(users as [string], random);
  const to = pick(users as [string], random);
  const key = `k${integer(12, random)}`;
  const points = 1 + integer(5, random);
  const notify = random() < 0.5;
  const kind = random();
  if (kind < 0.25) return { do: "give", key: `g${integer(40, random)}`, user, points: 2 * points };
  if (kind < 0.32) return { do: "give", key: `g${integer(40, random)}`, user, points: -points };
  if (kind < 0.88) return { do: "send", key, user, to, points, notify };
  return kind < 0.97 ? { do: "close", key, user } : { do: "end", user };
}

function orders<T>(of: readonly T[]): T[][] {
  if (of.length === 0) return [[]];
  return of.flatMap((first, i) => orders(of.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

const first_seed = seedOfTheDay();
const seeds = Array.from({ length: cases(30) }, (_, i) => first_seed + i);

test.each(seeds)(
  "calls at once, killed before and after D1, are as one after the other: seed %i",
  async (seed) => {
    const random = generator(seed);
    const tables = ["users", "wallets", "transfers", "closed_keys", "gifts", "events"];
    await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM auth_${table}`)));
    const users: string[] = [];
    const asked: Op[] = [];
    const ids = new Map<string, string>();
    let state = await readState();
    for (let round = 0; round < ROUNDS; round += 1) {
      while (state.users.length < 3) {
        const id = `u${users.length}`;
        await addUser(id);
        users.push(id);
        state.users.push(id);
      }
      const calls = Array.from({ length: 1 + integer(AT_ONCE_MAX, random) }, () => {
        // Half of them are retries of what was asked before.
        const again = random() < 0.5 ? asked[asked.length - 1 - integer(10, random)] : undefined;
        const op = again ?? randomOp([...state.users, pick(users as [string], random)], random);
        const fault = pick(["none", "none", "before", "after"] as const, random);
        asked.push(op);
        return { op, fault };
      });
      const answers = await Promise.all(
        calls.map(async ({ op, fault }) => {
          const answered = run(op, faulty(fault));
          if (fault === "none") return answered;
          await expect(answered).rejects.toThrow(/never arrived|was lost/);
          return null;
        }),
      );
      const found = await readState();
      const made = calls.flatMap(({ op, fault }, i) =>
        fault === "before" ? [] : [{ op, answer: answers[i]?.answer }],
      );
      const isExplained = orders(made).some((order) => {
        const after = structuredClone(state);
        const right = order.every(({ op, answer }) => {
          const said = apply(after, op);
          return answer === undefined || answer === said;
        });
        return right && JSON.stringify(sorted(after)) === JSON.stringify(sorted(found));
      });
      expect(isExplained, JSON.stringify({ seed, round, calls, answers, state, found })).toBe(true);
      for (const [i, { op }] of calls.entries()) {
        const id = answers[i]?.id;
        if (id === undefined || op.do === "end") continue;
        // A key has one id for ever, in the answer to its close too.
        const name = op.do === "give" ? op.key : `${op.user} ${op.key}`;
        expect(ids.get(name) ?? id).toBe(id);
        ids.set(name, id);
      }
      expect((await readBooks(env.DB)).closes).toBe(true);
      state = found;
    }
    expect(new Set(ids.values()).size).toBe(ids.size);
    // The run has met what it is about.
    expect(state.transfers.length).toBeGreaterThan(3);
  },
);
