/** The live numbers of a page: a WebSocket for its owner, from the page's object. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { LIVE_EXPIRED } from "../../../objects/page/close-code.ts";
import { LIVE_INTERVAL_MS, LiveFeed, type LiveUpdate } from "../../../objects/page/live.ts";
import { WATCH_MS } from "../../../objects/page/page-object.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { breakStorage, stopClock } from "../kit/faults.ts";
import { signIn } from "../kit/hub-kit.ts";
import {
  beacon,
  call,
  errorOf,
  eventually,
  freshAddress,
  freshPage,
  ORIGIN,
  ownerCookie,
  pageObject,
} from "../kit/kit.ts";

const OWNER = "demo-pro";
const TEN_YEARS_S = 315_360_000;
const Cookie = await signIn(OWNER);

function knock(page_id: string, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(
    new Request(`${ORIGIN}/api/me/pages/${page_id}/live`, {
      headers: { "CF-Connecting-IP": freshAddress(), Upgrade: "websocket", Cookie, ...headers },
    }),
  );
}

/** A watcher, and the updates that it got. */
async function watch(page_id: string, cookie = Cookie) {
  const response = await knock(page_id, { Cookie: cookie });
  expect(response.status).toBe(101);
  const socket = response.webSocket;
  if (socket === null) throw new Error("no socket");
  const updates: LiveUpdate[] = [];
  const waiting: (() => void)[] = [];
  let closed: number | null = null;
  const wake = () => {
    for (const go of waiting.splice(0)) go();
  };
  socket.addEventListener("message", ({ data }) => {
    updates.push(JSON.parse(String(data)) as LiveUpdate);
    wake();
  });
  socket.addEventListener("close", ({ code }) => {
    closed = code;
    wake();
  });
  socket.accept();
  /** Resolves when `is` is true; the test's own time-out ends the wait. */
  const until = async (is: () => boolean) => {
    while (!is()) await new Promise<void>((go) => waiting.push(go));
  };
  return {
    socket,
    updates,
    until,
    closedWith: async () => {
      await until(() => closed !== null);
      return closed;
    },
    first: async () => {
      await until(() => updates.length > 0);
      return updates[0];
    },
    views: (n: number) => until(() => updates.at(-1)?.totals.views === n),
  };
}

function sockets(page_id: string): Promise<number> {
  return runInDurableObject(pageObject(page_id), (_, state) => state.getWebSockets().length);
}

describe("a watcher", () => {
  test("gets all numbers first, then those that changed, absolute", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    for (const link_id of [undefined, "shop", "shop"]) await beacon({ page_id, link_id });
    await pageObject(page_id).flush();
    await beacon({ page_id, link_id: "video" });
    await beacon({ page_id }, { headers: { Cookie: await ownerCookie(page_id) } });
    await beacon({ page_id }, { headers: { "User-Agent": "Googlebot/2.1" } });
    const { first, updates, until, views } = await watch(page_id);
    expect(await first()).toEqual({
      type: "state",
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      totals: { views: 1, clicks: 3, bots: 1, owner: 1, limited: 0, links: { shop: 2, video: 1 } },
      visitors: { day: new Date().toISOString().replace(/T.*/, "T00:00:00.000Z"), n: 4 },
      present: [4, ...Array(29).fill(0)],
      tips: { n: 0, points: 0 },
      subscribers: 0,
      downloads: [],
    });
    await beacon({ page_id });
    await views(2);
    await beacon({ page_id, link_id: "shop" });
    await until(() => updates.at(-1)?.totals.clicks === 4);
    expect(updates.at(-1)).toMatchObject({
      type: "change",
      totals: { views: 2, links: { shop: 3 } },
    });
    expect(updates.at(-1)?.totals.links).toEqual({ shop: 3 });
  });

  test("gets the downloads first, and again only when they have changed", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    const page = pageObject(page_id);
    const book = { link_id: "book", uses: 1, bytes: 10 };
    await page.downloadsAre([book], 11);
    const { first, updates, until, views } = await watch(page_id);
    expect((await first())?.downloads).toEqual([book]);
    await beacon({ page_id });
    await views(1);
    await beacon({ page_id });
    await views(2);
    expect(updates.at(-1)).not.toHaveProperty("downloads");
    const grown = { ...book, uses: 2 };
    await page.downloadsAre([grown], 12);
    await until(() => updates.at(-1)?.downloads !== undefined);
    expect(updates.at(-1)).toMatchObject({ type: "change", downloads: [grown] });
    await page.downloadsAre([book], 11);
    await beacon({ page_id });
    await views(3);
    expect(updates.at(-1)).not.toHaveProperty("downloads");
  });

  test("gets the visitors of the page's day, each once, and of none before the first", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2030-11-20T20:58:00Z") });
    const { page_id } = await freshPage({ owner_id: OWNER, time_zone: "Asia/Riyadh" });
    const [one, other] = [freshAddress(), freshAddress()];
    const cookie = await signIn(OWNER, TEN_YEARS_S);
    const { first, updates, views } = await watch(page_id, cookie);
    expect((await first())?.visitors).toBeNull();
    for (const ip of [one, one, other]) await beacon({ page_id }, { ip });
    await beacon({ page_id }, { ip: freshAddress(), headers: { "Sec-GPC": "1" } });
    await views(4);
    expect(updates.at(-1)?.visitors).toEqual({ day: "2030-11-19T21:00:00.000Z", n: 2 });
    await pageObject(page_id).flush();
    await beacon({ page_id }, { ip: freshAddress() });
    await views(5);
    expect(updates.at(-1)?.visitors?.n).toBe(3);
    // F10: what memory held is read back.
    await evictDurableObject(pageObject(page_id));
    const again = await watch(page_id, cookie);
    expect((await again.first())?.visitors?.n).toBe(3);
    vi.setSystemTime(Date.parse("2030-11-20T21:00:00Z"));
    await beacon({ page_id }, { ip: one });
    await again.views(6);
    expect(again.updates.at(-1)?.visitors).toEqual({ day: "2030-11-20T21:00:00.000Z", n: 1 });
    // D1 has the same numbers.
    await pageObject(page_id).flush();
    const { results } = await env.DB.prepare("SELECT visitors FROM days WHERE page_id = ?1")
      .bind(page_id)
      .all();
    expect(results).toEqual([{ visitors: 3 }, { visitors: 1 }]);
  });

  test("gets the people of the last five minutes, by how long ago each was there", async () => {
    const start = Date.parse("2030-11-20T20:50:00Z");
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    const { page_id } = await freshPage({ owner_id: OWNER });
    const [one, other] = [freshAddress(), freshAddress()];
    const cookie = await signIn(OWNER, TEN_YEARS_S);
    const presentAt = async (seconds: number) => {
      vi.setSystemTime(start + seconds * 1_000);
      const { first, socket } = await watch(page_id, cookie);
      const steps = (await first())?.present ?? [];
      socket.close(1000, "seen");
      expect(steps).toHaveLength(30);
      return steps.flatMap((n, step) => (n === 0 ? [] : [[step * 10, n]]));
    };
    expect(await presentAt(0)).toEqual([]);
    await beacon({ page_id }, { ip: one });
    await beacon({ page_id }, { ip: other });
    await beacon({ page_id }, { ip: freshAddress(), headers: { DNT: "1" } });
    await beacon({ page_id }, { ip: freshAddress(), headers: { "User-Agent": "Googlebot/2.1" } });
    expect(await presentAt(9)).toEqual([[0, 2]]);
    vi.setSystemTime(start + 100_000);
    await beacon({ page_id, link_id: "shop" }, { ip: one });
    // F10: the checkpoint has who was there before it, the journal who came after.
    await pageObject(page_id).flush();
    vi.setSystemTime(start + 110_000);
    await beacon({ page_id }, { ip: freshAddress() });
    await evictDurableObject(pageObject(page_id));
    expect(await presentAt(119)).toEqual([
      [0, 1],
      [10, 1],
      [110, 1],
    ]);
    expect(await presentAt(409)).toEqual([[290, 1]]);
    expect(await presentAt(410)).toEqual([]);
  });

  test("F10: gets updates after the eviction of the object", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    const { views, updates } = await watch(page_id);
    await beacon({ page_id, link_id: "shop" });
    await beacon({ page_id });
    await views(1);
    await evictDurableObject(pageObject(page_id));
    await beacon({ page_id });
    await views(2);
    // The object has lost which links it has sent, so it sends all of them.
    expect(updates.at(-1)).toMatchObject({
      type: "state",
      totals: { clicks: 1, links: { shop: 1 } },
    });
    expect(await sockets(page_id)).toBe(1);
  });

  test("is disconnected after five minutes and may reconnect, and gets nothing after that", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    const { updates, views, closedWith } = await watch(page_id);
    await beacon({ page_id });
    await views(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + WATCH_MS });
    await beacon({ page_id });
    expect(await closedWith()).toBe(LIVE_EXPIRED);
    expect(updates.at(-1)?.totals.views).toBe(1);
  });

  test("is disconnected as soon as its session may have ended", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-business" });
    const { headers, send } = await creator("demo-business");
    const { first, closedWith } = await watch(page_id, headers.Cookie);
    await first();
    expect((await send("POST", "/api/auth/logout")).status).toBe(204);
    expect(await closedWith()).toBe(LIVE_EXPIRED);
    expect((await knock(page_id, { Cookie: headers.Cookie })).status).toBe(401);
  });

  test("finds out by a ping whether its connection is alive", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    const response = await knock(page_id);
    const socket = response.webSocket;
    const pong = new Promise((resolve) => {
      socket?.addEventListener("message", ({ data }) => data === "pong" && resolve(data));
    });
    socket?.accept();
    socket?.send("ping");
    expect(await pong).toBe("pong");
    socket?.close();
  });

  test("leaves nothing behind when it disconnects, and its messages are ignored", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    await beacon({ page_id });
    // The framework stores the object's name once.
    const stored = () =>
      runInDurableObject(pageObject(page_id), (_, { storage }) =>
        [...storage.kv.list()].map(([name]) => name).filter((name) => name !== "__ps_name"),
      );
    const before = await stored();
    const watchers = await Promise.all(Array.from({ length: 5 }, () => watch(page_id)));
    for (const { socket } of watchers) {
      socket.send("{}");
      socket.send(new Uint8Array(1_000));
    }
    expect(await sockets(page_id)).toBe(5);
    for (const { socket } of watchers) socket.close(1000, "bye");
    for (const { closedWith } of watchers) expect(await closedWith()).toBe(1000);
    await eventually(async () => expect(await sockets(page_id)).toBe(0));
    expect(await stored()).toEqual(before);
  });
});

describe("however hot the page", () => {
  test("updates come at least a quarter of a second apart, and the last one is right", () => {
    const clock = stopClock();
    const timers: { at: number; run: () => void }[] = [];
    const sent: { at: number; update: LiveUpdate }[] = [];
    const feed = new LiveFeed({
      clock: {
        now: () => Date.now(),
        after: (ms, run) => {
          timers.push({ at: Date.now() + ms, run });
          return () => {};
        },
      },
      totals: () => [],
      visitors: () => null,
      present: () => [],
      tips: () => ({ n: 0, points: 0 }),
      subscribers: () => 0,
      downloads: () => undefined,
      isWatched: () => true,
      send: (update) => void sent.push({ at: Date.now(), update: structuredClone(update) }),
    });
    feed.state();
    for (let ms = 0; ms < 1_000; ms += 10) {
      feed.counted([{ link_id: ms % 20 === 0 ? "" : "__proto__", class: "human", n: 1 }]);
      clock.advance(10);
      while (timers[0] !== undefined && timers[0].at <= Date.now()) timers.shift()?.run();
    }
    clock.advance(LIVE_INTERVAL_MS);
    for (const { run } of timers.splice(0)) run();
    const pauses = sent.slice(1).map(({ at }, i) => at - (sent[i]?.at ?? 0));
    expect(pauses).toEqual([250, 250, 250, 250]);
    expect(sent.at(-1)?.update.totals).toMatchObject({ views: 50, clicks: 50 });
    expect(Object.entries(sent.at(-1)?.update.totals.links ?? {})).toEqual([["__proto__", 50]]);
  });
});

describe("who may not watch", () => {
  test("S22: another owner's page is 404, and its object is not called", async () => {
    const theirs = await freshPage({ owner_id: "demo-free" });
    for (const page_id of [theirs.page_id, "none", (await freshPage()).page_id]) {
      const response = await knock(page_id);
      expect(response.status).toBe(404);
      expect((await errorOf(response)).code).toBe("PAGE_NOT_FOUND");
      expect(await sockets(page_id)).toBe(0);
      const kv = await runInDurableObject(pageObject(page_id), (_, { storage }) => [
        ...storage.kv.list(),
      ]);
      expect(kv).toEqual([]);
    }
  });

  test("from another site, even with the cookie: 403", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    for (const origin of ["null", `${ORIGIN}.evil.example`]) {
      const response = await knock(page_id, { Origin: origin });
      expect(response.status).toBe(403);
      expect((await errorOf(response)).code).toBe("FORBIDDEN");
    }
    const ours = await knock(page_id, { Origin: ORIGIN });
    expect(ours.status).toBe(101);
    ours.webSocket?.accept();
    ours.webSocket?.close();
  });

  test("with a plain request: 400", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    const path = `/api/me/pages/${page_id}/live`;
    for (const headers of [{ Cookie }, { Cookie, Upgrade: "h2c" }]) {
      const response = await call(path, { headers });
      expect(response.status).toBe(400);
      expect(response.headers.get("Upgrade")).toBe("websocket");
    }
  });
});

test("F17: a watcher is disconnected without a reason if its first update fails", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER });
  await beacon({ page_id });
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const storage = await breakStorage(page_id, "SELECT kind, link_id, class,");
  const { updates, closedWith } = await watch(page_id);
  expect(await closedWith()).toBe(LIVE_EXPIRED);
  storage.mend();
  expect(updates).toEqual([]);
  expect(errors.mock.calls.flat().join()).toContain("live_failed");
  errors.mockRestore();
});

test("an event is counted even if the live feed fails", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER });
  const { first } = await watch(page_id);
  await first();
  await runInDurableObject(pageObject(page_id), (object) => {
    vi.spyOn(object, "getConnections").mockImplementation(() => {
      throw new Error("made up");
    });
  });
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  expect((await beacon({ page_id })).status).toBe(202);
  expect(errors.mock.calls.flat().join()).toContain("live_failed");
  errors.mockRestore();
  expect(await env.PAGE.getByName(page_id).totals()).toMatchObject([{ accepted: 1 }]);
});
