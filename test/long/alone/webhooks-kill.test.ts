/**
 * Webhooks out in the real runtime: workerd is ended with SIGKILL while people tip, subscribe and visit, while links
 * are found down, and while the receiver loses answers. What has happened and what arrived are compared as sets
 * of ids (F32).
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Headers, Live, OWNER } from "../webhooks-live-kit.ts";

const TIMEOUT_MS = 180_000;
/** Where workerd is ended, while a part of all else happens. */
const KILLS = ["fetch /hooks, before", "fetch /hooks, after", "mail, after", "fetch /hooks, after"];
/** Apart from the first tip. */
const TIPS = 4 * KILLS.length;
const READERS = KILLS.length;
const VIEWS = 100;
const PAGE_ID = "told";
/** Links are looked at three at a time, so many kills meet different ones. */
const LINKS = 15;
const LINK_PATH = "/nothing-here";
const LOOK_KILLS = [`fetch ${LINK_PATH}, before`, `fetch ${LINK_PATH}, after`] as const;
const LINKS_PAGE_ID = "links";
const HOUR_MS = 3_600_000;
/** Longest wait for what an alarm does after a kill. */
const ARRIVE_MS = 100_000;

let live: Live;

beforeAll(async () => {
  live = await Live.start((hub) => [
    {
      page_id: PAGE_ID,
      links: [
        { link_id: "jar", kind: "tip", label: "إكرامية", url: null, block: { amounts: [1] } },
        { link_id: "news", kind: "newsletter", label: "نشرة", url: null, block: {} },
      ],
    },
    {
      page_id: LINKS_PAGE_ID,
      links: linksAt(hub),
    },
  ]);
}, TIMEOUT_MS);
afterAll(() => live?.dispose(), TIMEOUT_MS);

/** The hub answers 404 there at any time. */
function linksAt(hub: URL) {
  return Array.from({ length: LINKS }, (_, n) => ({
    link_id: `l${n}`,
    label: "رابط",
    url: new URL(`${LINK_PATH}?${n}`, hub).href,
  }));
}

async function tip(n: number, headers: Headers): Promise<void> {
  const body = JSON.stringify({ page_id: PAGE_ID, points: 1, message: `tip-${n}` });
  const sent = await live.ask("/api/tip", {
    method: "POST",
    headers: { ...headers, "Idempotency-Key": `tip-${n}` },
    body,
  });
  expect(sent.status).toBe(201);
}

async function subscribe(n: number): Promise<void> {
  const email = `reader-${n}@example.com`;
  const body = JSON.stringify({ page_id: PAGE_ID, email });
  expect((await live.ask("/api/newsletter", { method: "POST", body })).status).toBe(202);
  const token = await waitFor(async () => {
    const { mails } = (await live.running.hub.control("POST", "/mails", { to: email })) as {
      mails: { text: string }[];
    };
    return mails.map(({ text }) => /confirm\?token=(\S+)/.exec(text)?.[1]).find(Boolean);
  });
  const confirmed = await live.ask(`/newsletter/confirm?token=${token}`, { method: "POST" });
  expect(confirmed.status).toBe(200);
}

/** What `look` finds, as soon as it finds something. */
async function waitFor<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const since = Date.now(); Date.now() - since < ARRIVE_MS; await pause(200)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error("it did not come");
}

async function view(n: number): Promise<void> {
  const event_id = `view-${n}`;
  const body = JSON.stringify({ page_id: PAGE_ID, event_id });
  const headers = { "Content-Type": "application/json" };
  await live.ask("/api/analytics/view", { method: "POST", headers, body });
}

/** Adds the hub's receiver as an endpoint; the hub gets its secret. */
async function listen(
  page_id: string,
  owner: Headers,
  events: Parameters<Live["listen"]>[2]["events"],
): Promise<void> {
  const url = new URL("/hooks", live.running.hub.url).href;
  const { secret } = await live.listen(page_id, owner, { url, events });
  await live.running.hub.control("POST", "/hooks", { secret });
}

/** The receiver stores the next delivery, and its answer is lost. */
async function loseAnswer(): Promise<void> {
  const fault = { path: "/hooks", fault: "lost", times: 1 };
  await live.running.hub.control("PUT", "/fault", fault);
}

/** What arrived of these kinds. */
async function arrived(kind: RegExp) {
  return (await live.arrived()).filter(({ body }) => kind.test(JSON.parse(body).type));
}

test("each event arrives signed, and none is invented, through SIGKILL and lost answers", {
  timeout: TIMEOUT_MS,
}, async () => {
  const owner = await live.signIn(OWNER);
  const tipper = await live.signIn("demo-business");
  await listen(PAGE_ID, owner, ["milestone.reached", "tip.received", "subscriber.confirmed"]);

  // Nothing else happens yet: its first answer is lost. What is sent again is sent after a kill.
  await loseAnswer();
  await tip(0, tipper);
  const { id: lost } = await waitFor(async () => (await arrived(/^tip\./))[0]);
  await live.steering.kill();
  await live.steering.isUp();

  let allowed = 0;
  /** Does this so many times, evenly spread over the kills. */
  const spread = (times: number, act: (n: number) => Promise<void>) =>
    Array.from({ length: times }, async (_, n) => {
      while (n >= (allowed * times) / KILLS.length) await pause(20);
      await act(n);
    });
  const acting = Promise.all([
    ...spread(TIPS, (n) => tip(n + 1, tipper)),
    ...spread(READERS, subscribe),
    ...spread(VIEWS, view),
  ]);
  acting.catch(() => {});
  for (const step of KILLS) {
    await loseAnswer();
    const ending = live.steering.at(step, "SIGKILL");
    allowed += 1;
    await ending;
    await live.steering.isUp();
  }
  await acting;

  const sent = await live.ask("/api/me/tips?limit=100", { headers: tipper });
  const { tips } = (await sent.json()) as { tips: { id: string }[] };
  const list = await live.ask(`/api/me/pages/${PAGE_ID}/subscribers?limit=100`, { headers: owner });
  const { subscribers } = (await list.json()) as { subscribers: { id: string }[] };
  const happened = [
    ...tips.map(({ id }) => id),
    ...subscribers.map(({ id }) => `subscriber_${id}`),
    `view_${VIEWS}`,
  ].map((id) => `evt_${PAGE_ID}_${id}`);
  expect(happened).toHaveLength(1 + TIPS + READERS + 1);

  const kinds = /^(?:milestone|tip|subscriber)\./;
  await expect
    .poll(async () => [...new Set((await arrived(kinds)).map(({ id }) => id))].sort(), {
      timeout: ARRIVE_MS,
      interval: 500,
    })
    .toEqual(happened.sort());
  const attempts = async () => (await arrived(kinds)).filter(({ id }) => id === lost).length;
  await expect
    .poll(attempts, { timeout: ARRIVE_MS, interval: 500, message: "after a lost answer" })
    .toBeGreaterThan(1);
  const hooks = await arrived(kinds);
  expect(hooks.every(({ is_verified }) => is_verified === 1)).toBe(true);
  const bodies = new Map(hooks.map(({ id, body }) => [id, body]));
  for (const { id, body } of hooks) expect(body, "the same in every attempt").toBe(bodies.get(id));
});

/** As after two looks that failed, the first an hour ago: the next one, at once, finds the links down. */
function failTwice(hub: URL): void {
  const folder = join(live.statePath, "v3/do/sila-WebhookSender");
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".sqlite") || file === "metadata.sqlite") continue;
    const db = new DatabaseSync(join(folder, file));
    const watching = db.prepare("SELECT 1 FROM endpoints WHERE events LIKE '%link.down%'").all();
    const put = db.prepare("INSERT OR REPLACE INTO links VALUES (?, ?, 2, ?, 0, 0)");
    for (const { link_id, url } of watching.length === 0 ? [] : linksAt(hub)) {
      put.run(link_id, url, Date.now() - HOUR_MS);
    }
    db.close();
  }
}

test("each link that is down is told of, with one id, through SIGKILL", {
  timeout: TIMEOUT_MS,
}, async () => {
  const owner = await live.signIn(OWNER);
  await listen(LINKS_PAGE_ID, owner, ["link.down", "link.up"]);
  const looks = `/api/me/pages/${LINKS_PAGE_ID}/webhooks`;
  const hub = live.running.hub.url;
  const [first, ...others] = LOOK_KILLS;
  // The looks may begin with the start.
  let ending = live.steering.at(first, "SIGKILL");
  await live.restart(() => failTwice(hub));
  for (const step of [...others, null]) {
    // Wakes the object, which sets its alarm.
    await live.ask(looks, { headers: owner });
    await ending;
    if (step !== null) ending = live.steering.at(step, "SIGKILL");
    await live.steering.isUp();
  }
  await live.ask(looks, { headers: owner });
  const linksOf = async () => {
    const told = (await arrived(/^link\./)).map(({ id, body }) => ({ id, ...JSON.parse(body) }));
    return new Map(told.map(({ id, type, data }) => [id, `${type} ${data.link_id}`]));
  };
  const down = Array.from({ length: LINKS }, (_, n) => `link.down l${n}`).sort();
  await expect
    .poll(async () => [...(await linksOf()).values()].sort(), {
      timeout: ARRIVE_MS,
      interval: 500,
    })
    .toEqual(down);
  expect((await arrived(/^link\./)).every(({ is_verified }) => is_verified === 1)).toBe(true);
});
