/** Points of a service without a hub of its own: the books, and the hub's side of docs/contract.md section 8. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { addEvent, deleteEvent, listEvents } from "../../../src/accounts/account-events-store.ts";
import { HubEvent } from "../../../src/accounts/hub-event.ts";
import {
  closeTransfer,
  endPoints,
  giveGift,
  listGifts,
  makeTransfer,
  readBooks,
  readWallet,
} from "../../../src/identity/books-store.ts";
import { GiftBody } from "../../../src/identity/gift-body.ts";
import { hubRoutes } from "../../../src/identity/hub-routes.ts";
import { GIFT_NOTE_CHARS_MAX, GIFT_POINTS_MAX } from "../../../src/identity/limits.ts";
import { beginSession } from "../../../src/identity/sessions-store.ts";
import { hashOf } from "../../../src/identity/tokens.ts";

const { DB } = env;
const NOW = 1_800_000_000_000;

/** Makes the books empty, with these users. */
async function freshBooks(...user_ids: string[]): Promise<void> {
  const tables = ["users", "wallets", "transfers", "closed_keys", "gifts", "events"];
  await DB.batch([
    ...tables.map((table) => DB.prepare(`DELETE FROM auth_${table}`)),
    ...user_ids.map((id) =>
      DB.prepare(
        `INSERT INTO auth_users (id, name, plan, locale, is_operator, created_at)
         VALUES (?1, ?1, 'free', 'ar', 0, ?2)`,
      ).bind(id, NOW),
    ),
  ]);
}

const change = (set: string, id: string) =>
  DB.prepare(`UPDATE auth_users SET ${set} WHERE id = ?1`).bind(id).run();

const endUser = (id: string) =>
  DB.batch([
    ...endPoints(DB, id, NOW),
    DB.prepare("DELETE FROM auth_users WHERE id = ?1").bind(id),
  ]);

const give = (user_id: string, points: number, key: string = crypto.randomUUID(), note = "") =>
  giveGift(DB, { key, user_id, points, note, by_id: "operator" }, NOW);

const send = (user_id: string, key: string, to: string, points: number) =>
  makeTransfer(DB, { user_id, key, to, points }, null, NOW + 1);

async function pointsOf(user_id: string): Promise<number | undefined> {
  return (await readWallet(DB, user_id))?.points;
}

beforeEach(() => freshBooks("lama", "omar", "sara"));

describe("a transfer", () => {
  test("moves points, and its key answers it for good", async () => {
    await give("lama", 10);
    const first = await send("lama", "k", "omar", 10);
    expect(first).toEqual({ id: expect.stringMatching(/^tr_[0-9a-f]{32}$/) });
    // The points are gone meanwhile, and the recipient ends.
    await endUser("omar");
    expect(await send("lama", "k", "omar", 10)).toEqual(first);
    expect(await pointsOf("lama")).toBe(0);
    expect(await send("lama", "k", "omar", 9)).toEqual({ refused: "key was used" });
    expect(await send("lama", "k", "sara", 10)).toEqual({ refused: "key was used" });
    // A key is its user's.
    expect(await send("sara", "k", "lama", 1)).toEqual({ refused: "not enough points" });
  });

  test("of all points passes, and of one more moves nothing", async () => {
    await give("lama", 5);
    expect(await send("lama", "more", "omar", 6)).toEqual({ refused: "not enough points" });
    // What was refused may be tried again, when there are points.
    await give("lama", 1);
    expect(await send("lama", "more", "omar", 6)).toHaveProperty("id");
    expect([await pointsOf("lama"), await pointsOf("omar")]).toEqual([0, 6]);
  });

  test.each([
    ["suspended", () => change("suspended_at = 1", "omar")],
    ["past the end of the undo", () => change(`ends_at = ${NOW + 1}`, "omar")],
    ["deleted", () => endUser("omar")],
  ])("to and from a user who is %s is refused", async (_, make) => {
    await give("lama", 5);
    await give("omar", 5);
    await make();
    expect(await send("lama", "k", "omar", 5)).toEqual({ refused: "no such user" });
    expect(await send("omar", "k", "lama", 5)).toEqual({ refused: "no such user" });
    expect(await readBooks(DB)).toMatchObject({ closes: true });
  });

  test("reaches a user whose deletion can still be undone", async () => {
    await give("lama", 5);
    await change(`ends_at = ${NOW + 2}`, "omar");
    expect(await send("lama", "k", "omar", 5)).toHaveProperty("id");
  });

  test("to oneself needs the points and moves none, as at the demo hub", async () => {
    await give("lama", 5);
    expect(await send("lama", "a", "lama", 6)).toEqual({ refused: "not enough points" });
    expect(await send("lama", "b", "lama", 5)).toHaveProperty("id");
    expect(await pointsOf("lama")).toBe(5);
  });

  test("is closed: a key without one is refused from then on, a key with one names it", async () => {
    await give("lama", 5);
    expect(await closeTransfer(DB, "lama", "void", NOW)).toBeNull();
    expect(await closeTransfer(DB, "lama", "void", NOW)).toBeNull();
    expect(await send("lama", "void", "omar", 1)).toEqual({ refused: "key is closed" });
    const made = await send("lama", "made", "omar", 1);
    expect({ id: await closeTransfer(DB, "lama", "made", NOW) }).toEqual(made);
    expect(await send("lama", "made", "omar", 1)).toEqual(made);
  });

  test("counts what was ever received, with the time of the last change", async () => {
    expect(await readWallet(DB, "lama")).toEqual({ points: 0, lifetime: 0, updated_at: NOW });
    await give("lama", 7);
    await send("lama", "k", "omar", 3);
    await give("lama", -2);
    expect(await readWallet(DB, "lama")).toEqual({ points: 2, lifetime: 7, updated_at: NOW });
    expect(await readWallet(DB, "omar")).toEqual({ points: 3, lifetime: 3, updated_at: NOW + 1 });
    expect(await readWallet(DB, "nobody")).toBeNull();
  });
});

describe("a gift", () => {
  test("has points within the limit, not 0, and a note", () => {
    const isRight = (body: object) =>
      GiftBody.safeParse({ key: "form-1", points: 1, note: "why", ...body }).success;
    for (const points of [1, GIFT_POINTS_MAX, -1, -GIFT_POINTS_MAX]) {
      expect(isRight({ points })).toBe(true);
    }
    for (const points of [0, GIFT_POINTS_MAX + 1, -GIFT_POINTS_MAX - 1, 1.5, "1"]) {
      expect(isRight({ points })).toBe(false);
    }
    expect(isRight({ note: "ن".repeat(GIFT_NOTE_CHARS_MAX) })).toBe(true);
    for (const note of ["", " \u202e ", "x".repeat(GIFT_NOTE_CHARS_MAX + 1)]) {
      expect(isRight({ note })).toBe(false);
    }
  });

  test("is given once by its key, with its note", async () => {
    const first = await give("lama", 5, "form-1", "welcome");
    expect(await give("lama", 5, "form-1", "welcome")).toEqual(first);
    expect(await give("lama", 6, "form-1", "welcome")).toEqual({ refused: "key was used" });
    expect(await give("omar", 5, "form-1", "welcome")).toEqual({ refused: "key was used" });
    expect(await give("nobody", 5, "form-2")).toEqual({ refused: "no such user" });
    expect(await pointsOf("lama")).toBe(5);
    expect(await listGifts(DB, "lama", 10)).toEqual([
      { ...first, points: 5, note: "welcome", by_id: "operator", at: NOW },
    ]);
  });

  test("is taken back whole or not at all, once, and from a suspended user too", async () => {
    await give("lama", 5);
    expect(await give("lama", -6)).toEqual({ refused: "not enough points" });
    expect(await give("omar", -1)).toEqual({ refused: "not enough points" });
    await change("suspended_at = 1", "lama");
    const taken = await give("lama", -5, "back");
    // There are points again, and none of them is taken.
    await give("lama", 5);
    expect(await give("lama", -5, "back")).toEqual(taken);
    expect(await pointsOf("lama")).toBe(5);
    expect(await readBooks(DB)).toEqual({
      given: 5,
      ended: 0,
      held: 5,
      pending: 0,
      closes: true,
    });
  });
});

test("what a user held ends with them, and the books close; they tell where they do not", async () => {
  await give("lama", 9);
  await give("omar", 1);
  await endUser("lama");
  // The answer was lost, and it is done again.
  await endUser("lama");
  const closed = { given: 10, ended: 9, held: 1, pending: 0, closes: true };
  expect(await readBooks(DB)).toEqual(closed);
  await DB.prepare("UPDATE auth_wallets SET points = 2").run();
  expect(await readBooks(DB)).toEqual({ ...closed, held: 2, closes: false });
});

describe("events", () => {
  test("are listed in the order of the changes, until they are deleted", async () => {
    const event = (user_id: string) => ({ type: "user.updated" as const, data: { user_id } });
    await DB.batch([addEvent(DB, event("a"), NOW), addEvent(DB, event("b"), NOW)]);
    const [first, second] = await listEvents(DB, 10);
    const timestamp = new Date(NOW).toISOString();
    expect(first?.event).toEqual({ ...event("a"), timestamp });
    expect(first?.id).not.toBe(second?.id);
    await deleteEvent(DB, first?.n ?? 0).run();
    expect(await listEvents(DB, 1)).toEqual([second]);
  });
});

describe("the routes", () => {
  const { HUB_WEBHOOK_SECRET = "" } = env;

  beforeEach(async () => {
    const session = { hash: await hashOf("good"), id: "s1" };
    const from = { device: { browser: "", system: "" }, place: { country: "", city: "" } };
    await DB.batch([
      DB.prepare("DELETE FROM auth_sessions"),
      DB.prepare("UPDATE auth_users SET name = 'لمى' WHERE id = 'lama'"),
      ...beginSession(DB, "lama", { ...session, ...from }, Date.now()),
    ]);
  });

  /** Status and body. */
  async function transfer(key: string, body: unknown): Promise<[number, unknown]> {
    const headers = { Cookie: "other=1; sila_session=good", "Idempotency-Key": key };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const bindings = { DB, MEDIA: env.MEDIA, HUB_WEBHOOK_SECRET };
    const address = "https://identity/api/wallet/transfers";
    const response = await hubRoutes.request(address, init, bindings);
    return [response.status, await response.json()];
  }

  test("tell the recipient once, if the service does not", async () => {
    await give("lama", 5);
    const order = { to: "omar", points: 2 };
    const [, made] = await transfer("k", order);
    await transfer("k", order);
    await transfer("more", { ...order, points: 4 });
    const events = await listEvents(DB, 10);
    expect(events.map(({ event }) => HubEvent.parse(event))).toMatchObject([
      {
        type: "notification.created",
        data: { user_id: "omar", id: (made as { id: string }).id, url: null },
      },
    ]);
    expect(events[0]?.event).toMatchObject({
      data: {
        text: "وصل إليك من \u2068لمى\u2069: نقطتان",
        text_en: "You received 2 points from \u2068لمى\u2069",
      },
    });
  });

  test("are 503 while D1 fails", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(Object.getPrototypeOf(DB) as D1Database, "batch").mockRejectedValue(new Error("down"));
    expect((await transfer("k", { to: "omar", points: 1 }))[0]).toBe(503);
    expect(log).toHaveBeenCalledOnce();
  });
});
