/** Shared by the tests in workerd: new pages, clients with addresses, and the objects' stubs. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { EventClass, PageEvent, Receipt } from "../../../objects/events/event.ts";
import { packEvents } from "../../../objects/events/packed-events.ts";
import type { FlushResult } from "../../../objects/flush/flush-scheduler.ts";
import { flushPage } from "../../../objects/page/flush-page.ts";
import type { RowsHome } from "../../../objects/page/home/page-home.ts";
import type { PageObject } from "../../../objects/page/page-object.ts";
import { selectPage } from "../../../objects/page/page-row.ts";
import type { DayScope } from "../../../src/accounts/day-limit.ts";
import { ownerCookieName, ownerCookieValue } from "../../../src/accounts/owner-cookie.ts";
import { eventKey } from "../../../src/counting/event-key.ts";
import { requireConfig } from "../../../src/http/config.ts";
import { LIMITS_PER_MINUTE, type Scope } from "../../../src/http/limits.ts";
import { parseSender, senderName } from "../../../src/http/sender.ts";
import type { Page } from "../../../src/pages/document/pages-store.ts";
import { type PlainPage, plainPage, storePage } from "../../plain-page.ts";

export const ORIGIN = "https://sila.example";

let sites_made = 0;

/** The deployment has this origin until the test ends, and the local cache has nothing of it. */
export function freshSite(): string {
  sites_made += 1;
  const SITE_ORIGIN = `https://s${sites_made}.sila.example`;
  Object.assign(env, { SITE_ORIGIN });
  return SITE_ORIGIN;
}

/** The second Worker fails until the test has ended. */
export function loseWorkshop(): void {
  const gone = () => Promise.reject(new Error("the workshop is gone"));
  Object.assign(env, {
    WORKSHOP: { drawSharePicture: gone, qrCode: gone, readUpload: gone, drawPage: gone },
  });
}

export const { SENDER_KEY } = requireConfig(env, "counting");

let pages_made = 0;

/** A new published page for one test, with two web links, a mail link and a contact. */
export async function freshPage(overrides: Partial<PlainPage> = {}): Promise<Page> {
  pages_made += 1;
  const page_id = `p${pages_made}-${crypto.randomUUID().slice(0, 8)}`;
  const page = plainPage({
    page_id,
    name: "ليلى",
    bio: "رسّامة",
    contact: { name: "ليلى", emails: ["layla@example.com"] },
    links: [
      { link_id: "shop", label: "المتجر", url: "https://shop.example/" },
      { link_id: "video", label: "فيديو", url: "https://video.example/" },
      { link_id: "mail", label: "راسلني", url: "mailto:layla@example.com" },
    ],
    ...overrides,
  });
  await storePage(env.DB, page);
  return page;
}

/** Where the addresses begin: the runner may load this file twice into the same isolate. */
let next_address = Math.floor(Math.random() * 2 ** 23);

/** An address that no other test has: none of theirs is in 10.128.0.0/9. */
export function freshAddress(): string {
  next_address = (next_address + 1) % 2 ** 23;
  return `10.${128 + (next_address >> 16)}.${(next_address >> 8) & 255}.${next_address & 255}`;
}

/** Uses what a scope admits from an address in a minute, but for `left` requests. */
export async function useUp(ip: string, scope: Scope = "public", left = 0): Promise<void> {
  const sender = senderName(SENDER_KEY, parseSender(ip));
  const limit = LIMITS_PER_MINUTE[scope];
  const senders = Uint8Array.fromHex(sender.repeat(limit - left));
  await env.LIMITER.getByName(sender).checkAll({ scope, limit, senders });
}

/** The limiter object that counts what a user does in a day. */
function dayOf(user_id: string) {
  return env.LIMITER.getByName(senderName(SENDER_KEY, `user_day\n${user_id}`));
}

/** The user has done nothing today that is limited by the day. */
export async function freshDay(user_id: string): Promise<void> {
  await runInDurableObject(dayOf(user_id), (_, { storage }) => storage.deleteAll());
  await evictDurableObject(dayOf(user_id));
}

export async function useUpDay(user_id: string, scope: DayScope, units: number): Promise<void> {
  const sender = senderName(SENDER_KEY, `${scope}\n${user_id}`);
  const parts = [{ sender, units, limit: units }];
  await freshDay(user_id);
  await dayOf(user_id).checkTogether({ scope: "user_day", window_ms: 86_400_000, parts });
}

/** The keyed hash of a sender that no other test has. */
export function freshSender(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

export interface Call extends RequestInit {
  ip?: string;
}

/** A request to the Worker, as the edge passes it on. Redirects are not followed. */
export function call(path: string, { ip = freshAddress(), ...init }: Call = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("CF-Connecting-IP", ip);
  return exports.default.fetch(
    new Request(new URL(path, ORIGIN), { redirect: "manual", ...init, headers }),
  );
}

/** A built file, which the platform serves in front of the Worker. */
export function builtFile(path: string): Promise<Response> {
  return env.ASSETS.fetch(new URL(path, ORIGIN));
}

export function beacon(body: Record<string, unknown>, init: Call = {}): Promise<Response> {
  return call("/api/analytics/view", {
    method: "POST",
    body: JSON.stringify(body),
    ...init,
    headers: { "Content-Type": "application/json", ...init.headers },
  });
}

/** The owner cookie for these pages, valid for a minute. */
export async function ownerCookie(...page_ids: string[]): Promise<string> {
  const name = ownerCookieName(ORIGIN);
  const { SESSION_KEY } = requireConfig(env, "counting");
  const expires_s = Math.floor(Date.now() / 1_000) + 60;
  return `${name}=${await ownerCookieValue(SESSION_KEY, name, page_ids, expires_s)}`;
}

export function pageObject(page_id: string) {
  return env.PAGE.getByName(page_id);
}

/** A view as routers send it to the page's object, by nobody who is counted as a person unless told otherwise. */
export function eventOf(event_id: string, members: Partial<PageEvent> = {}): PageEvent {
  const { link_id = "" } = members;
  const key = eventKey(SENDER_KEY, event_id, link_id);
  return { key, link_id, class: "human", visitor: null, origin: null, ...members };
}

/** `n` new events at once, in one checkpoint if a flush follows; all must count. Without a link, views. */
export async function count(
  page_id: string,
  n: number,
  link_id = "",
  eventClass: EventClass = "human",
): Promise<void> {
  const events = Array.from({ length: n }, () =>
    eventOf(crypto.randomUUID(), { link_id, class: eventClass }),
  );
  const receipts = await recordAll(page_id, events);
  expect(receipts.map(({ outcome }) => outcome)).toEqual(events.map(() => "counted"));
}

/** `n` events at once in the page's object; returns their receipts in order. */
export function recordAll(page_id: string, events: readonly PageEvent[]): Promise<Receipt[]> {
  return runInDurableObject(pageObject(page_id), (page: PageObject) =>
    Promise.all(events.map((event) => page.record(event))),
  );
}

/** Events at once in one call of the page's object, as a router under load sends them. */
export async function recordTogether(
  page_id: string,
  events: readonly PageEvent[],
): Promise<Receipt[]> {
  return pageObject(page_id).recordBatch(packEvents(events));
}

/** Longer than anything takes on a busy machine. */
const EVENTUALLY_MS = 30_000;

const EVENTUALLY_POLL_MS = 50;

/** What `read` returns, as soon as it does not throw. Unlike `vi.waitFor`, it moves no clock that a test has stopped. */
export async function eventually<T>(read: () => T | Promise<T>): Promise<T> {
  for (const ends_at = performance.now() + EVENTUALLY_MS; ; ) {
    try {
      return await read();
    } catch (error) {
      if (performance.now() > ends_at) throw error;
    }
    await scheduler.wait(EVENTUALLY_POLL_MS);
  }
}

/** What each version of the schema added, for tests of objects that older code has left. */
const SCHEMA_STEPS: readonly [version: number, undo: string][] = [
  [2, "ALTER TABLE checkpoints DROP COLUMN people"],
  [3, "ALTER TABLE tallies DROP COLUMN rolled"],
  [4, "ALTER TABLE days DROP COLUMN senders"],
  [5, "DROP TABLE revisions"],
  [5, "ALTER TABLE days DROP COLUMN present"],
];

/** The tables of a page's object as code of that version of the schema has left them. */
export function revertSchema({ sql, kv }: DurableObjectStorage, version: number): void {
  for (const [added, undo] of SCHEMA_STEPS) if (added > version) sql.exec(undo);
  kv.put("schema_version", version);
}

export async function sums(page_id: string) {
  const sum = { accepted: 0, flushed: 0, pending: 0 };
  for (const total of await pageObject(page_id).totals()) {
    sum.accepted += total.accepted;
    sum.flushed += total.flushed;
    sum.pending += total.pending;
  }
  return sum;
}

export interface TallyRow {
  hour: number;
  kind: string;
  link_id: string;
  class: string;
  n: number;
}

export async function tallyRows(page_id: string): Promise<TallyRow[]> {
  const { results } = await env.DB.prepare(
    "SELECT hour, kind, link_id, class, n FROM tallies WHERE page_id = ?1 ORDER BY hour, kind, link_id, class",
  )
    .bind(page_id)
    .all<TallyRow>();
  return results;
}

/**
 * Keeps the errors that a test expects out of the output until its mocks are restored.
 *
 * @returns a function that gives the events of the lines so far
 */
export function expectErrors(): () => string[] {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {});
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)).event);
}

/** How often this event was logged. On a busy machine sped-up time-outs of other calls may end too. */
export function countOf(logged: readonly string[], event: string): number {
  return logged.filter((other) => other === event).length;
}

/** The error envelope's code, after checking that it is one. */
export async function errorOf(response: Response) {
  const body = await response.json<{
    ok: boolean;
    error: string;
    message_en: string;
    code: string;
    details: Record<string, unknown>;
  }>();
  return body;
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A token whose signature has the same bytes with another last character, of which two bits are not used. */
export function spelledOtherwise(token: string): string {
  return token.slice(0, -1) + (BASE64URL[BASE64URL.indexOf(token.at(-1) ?? "") + 1] ?? "");
}

/** The home of a page's rows in a deployment without databases of statistics. */
export function mainHome(page_id: string): RowsHome {
  return { page_id, main: env.DB, db: env.DB, isMain: true, move: 0, isMoving: false };
}

/** Sends rows as a page's object does that has confirmed nothing. */
export async function flushRows(
  page_id: string,
  rows: Partial<Parameters<typeof flushPage>[1]>,
  rolled_to = 0,
): Promise<FlushResult> {
  const sending = { tallies: [], days: [], milestones: [], ...rows };
  const confirmed = { since: 0, n: 0, rolled_to, milestones: 0, tips: 0 };
  const select = selectPage(env.DB, page_id);
  return (await flushPage(mainHome(page_id), sending, confirmed, 0, select)).result;
}
