/** The service with its people, for the drill of a D1 that goes back: what they do, and what was acknowledged. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { startWithHub, type WithHub } from "../demo/neighbours/with-neighbours.ts";
import { EMPTY_DOCUMENT, plainPage, storePage } from "../plain-page.ts";
import { freePair } from "../server/ports.ts";
import { bookmark } from "../server/time-travel.ts";

export const OPERATOR = "operator@example.com";
/** Pages that nobody visits, before the others by their ids. */
const OTHERS = 100;
const INSERT_OTHERS = `INSERT INTO pages
    (page_id, slug, status, version, save_id, document, created_at, updated_at)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${OTHERS})
  SELECT 'a-' || i, 'a-' || i, 'published', 1, '', ?1, 0, 0 FROM n`;
const LINKS = [
  { link_id: "shop", url: "https://shop.example/" },
  { link_id: "jar", kind: "tip" as const, block: { amounts: [1, 5] } },
  { link_id: "news", kind: "newsletter" as const, block: {} },
];
/** Not on the hour, when the cron has more to do. */
const CRON_AT = new Date(Date.UTC(2026, 0, 1, 0, 1));
/** Creates the objects of all pages, on a busy machine. */
const LONG = { timeout: 60_000 };

export interface Saved {
  page_id: string;
  version: number;
  name: { ar: string };
}
type Headers = Record<string, string>;

export class Drill {
  readonly #statePath: string;
  readonly #world: WithHub;
  readonly stats: readonly string[];
  /** What was acknowledged: events by page and link, without a link for views. */
  readonly #sent = new Map<string, number>();
  readonly #sessions = new Map<string, Headers>();
  #senders = 0;

  private constructor(statePath: string, world: WithHub, stats: number) {
    this.#statePath = statePath;
    this.#world = world;
    this.stats = Array.from({ length: stats }, (_, i) => `STATS_${i}`);
  }

  /** @param pages ids, which are slugs too, by their owners */
  static async start(stats: number, pages: Record<string, readonly string[]>): Promise<Drill> {
    const statePath = await mkdtemp(join(tmpdir(), "sila-back-"));
    const pair = await freePair(0);
    if ("taken" in pair) throw new Error("there is no free port");
    const world = await startWithHub({
      ...{ port: pair.port, hostname: "127.0.0.1", statePath, stats, crons: false },
      vars: { FLUSH_SECONDS: "1", QUIET_FLUSH_SECONDS: "1", ALERT_MAIL: OPERATOR },
      onLine: () => {},
      seed: async (db) => {
        await db.prepare(INSERT_OTHERS).bind(EMPTY_DOCUMENT).run();
        for (const [owner_id, page_ids] of Object.entries(pages)) {
          for (const page_id of page_ids) {
            await storePage(db, plainPage({ page_id, owner_id, links: LINKS }));
          }
        }
      },
    });
    const drill = new Drill(statePath, world, stats);
    for (const user_id of [...Object.keys(pages), "reader"]) await drill.#signIn(user_id);
    return drill;
  }

  async dispose(): Promise<void> {
    await this.#world.dispose();
    await rm(this.#statePath, { recursive: true, force: true });
  }

  async #signIn(id: string): Promise<void> {
    const { hub, origin } = this.#world;
    const user = { id, name: id, email: `${id}@example.com`, plan: "business", locale: "ar" };
    await hub.control("POST", "/users", { ...user, points: 100 });
    const begun = await hub.control("POST", "/sign-in", { user_id: id });
    const Cookie = `hub_session=${(begun as { cookie: string }).cookie}`;
    this.#sessions.set(id, { Cookie, Origin: origin });
    const { csrf_token } = await this.ask<{ csrf_token: string }>("/api/auth/session", id);
    this.#sessions.set(id, { Cookie, Origin: origin, "X-CSRF-Token": csrf_token });
  }

  /** Each request has a sender of its own: none is over its limit. */
  send(path: string, init: RequestInit = {}): Promise<Response> {
    this.#senders += 1;
    const headers = {
      "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/141.0.0.0",
      "Content-Type": "application/json",
      ...init.headers,
      "CF-Connecting-IP": `10.7.${this.#senders >> 8}.${this.#senders & 255}`,
    };
    return fetch(this.#world.origin + path, { redirect: "manual", ...init, headers });
  }

  /** The answer to a signed-in user, who must not be refused. */
  async ask<T>(path: string, user_id: string, init: RequestInit = {}): Promise<T> {
    const headers = { ...this.#sessions.get(user_id), ...init.headers };
    const response = await this.send(path, { ...init, headers });
    const text = await response.text();
    expect(response.status, `${path}: ${text}`).toBeLessThan(300);
    return JSON.parse(text) as T;
  }

  async visit(page_id: string): Promise<number[]> {
    const body = JSON.stringify({ page_id });
    const viewed = await this.send("/api/analytics/view", { method: "POST", body });
    const clicked = await this.send(`/r/${page_id}/shop?t=${crypto.randomUUID()}`);
    for (const [link_id, answer] of Object.entries({ "": viewed, shop: clicked })) {
      await answer.arrayBuffer();
      if (answer.headers.get("X-Beacon-Outcome") === "counted") this.#noteSent(page_id, link_id);
    }
    return [viewed.status, clicked.status];
  }

  async visitAll(page_ids: readonly string[]): Promise<void> {
    for (const page_id of page_ids) {
      expect([page_id, ...(await this.visit(page_id))]).toEqual([page_id, 202, 302]);
    }
  }

  async tip(page_id: string, points: number): Promise<void> {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const body = JSON.stringify({ page_id, points });
    await this.ask("/api/tip", "reader", { method: "POST", headers, body });
    this.#noteSent(page_id, "jar");
  }

  async subscribe(page_id: string, email: string): Promise<string> {
    const body = JSON.stringify({ page_id, email });
    const asked = await this.send("/api/newsletter", { method: "POST", body });
    expect(asked.status).toBe(202);
    await expect.poll(() => this.mailsTo(email)).toHaveLength(1);
    const [mail = ""] = await this.mailsTo(email);
    const token = /\/newsletter\/confirm\?token=(\S+)/.exec(mail)?.[1] ?? "";
    const confirmed = await this.send(`/newsletter/confirm?token=${token}`, { method: "POST" });
    expect(confirmed.status).toBe(200);
    this.#noteSent(page_id, "news");
    return token;
  }

  async mailsTo(to: string): Promise<string[]> {
    const answer = await this.#world.hub.control("POST", "/mails", { to });
    return (answer as { mails: { text: string }[] }).mails.map(({ text }) => text);
  }

  /** Saves a page of its owner, whatever its version. */
  async save(user_id: string, method: string, path: string, input?: object): Promise<Saved> {
    const body = input === undefined ? {} : { body: JSON.stringify(input) };
    const init = { method, headers: { "If-Match": "*" }, ...body };
    return (await this.ask<{ page: Saved }>(`/api/me/pages${path}`, user_id, init)).page;
  }

  /** Deletes a page whose half hour is over at once: the next run of the cron ends it. */
  async end(user_id: string, page_id: string): Promise<void> {
    await this.save(user_id, "DELETE", `/${page_id}`);
    const db = await this.#world.server.db();
    await db.prepare("UPDATE pages SET ends_at = 1 WHERE page_id = ?1").bind(page_id).run();
    for (const key of this.#keysOf(page_id)) this.#sent.delete(key);
  }

  async deleteUser(user_id: string): Promise<void> {
    await this.#world.hub.control("POST", "/delete", { user_id });
    const db = await this.#world.server.db();
    const deleted = db.prepare("SELECT user_id FROM deleted_users WHERE user_id = ?1");
    await expect.poll(() => deleted.bind(user_id).first("user_id")).toBe(user_id);
  }

  async cron(): Promise<void> {
    const worker = await this.#world.server.workerd.miniflare.getWorker();
    await worker.scheduled({ cron: "* * * * *", scheduledTime: CRON_AT });
  }

  /** Notes the point at which these databases are; answers a function that puts them back there. */
  async pointOf(names: readonly string[]): Promise<() => Promise<unknown>> {
    const { server } = this.#world;
    const points = await Promise.all(names.map(async (name) => bookmark(await server.db(name))));
    return () => Promise.all(points.map((goBack) => goBack()));
  }

  async counted(): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const name of ["DB", ...this.stats]) {
      const db = await this.#world.server.db(name);
      const { results } = await db
        .prepare("SELECT page_id || '/' || link_id AS id, SUM(n) AS n FROM tallies GROUP BY 1")
        .all<{ id: string; n: number }>();
      for (const { id, n } of results) found[id] = (found[id] ?? 0) + n;
    }
    return found;
  }

  /** Every acknowledged event comes to be in one database, once, but those of pages that D1 lacks, and nothing else. */
  async areCounted({ without = [] }: { without?: readonly string[] } = {}): Promise<void> {
    const lacking = new Set(without.flatMap((page_id) => this.#keysOf(page_id)));
    const expected = [...this.#sent].filter(([key]) => !lacking.has(key));
    await expect.poll(() => this.counted(), LONG).toEqual(Object.fromEntries(expected));
  }

  async expectNumbers(user_id: string, page_id: string): Promise<void> {
    const path = `/api/me/pages/${page_id}`;
    const numbers = this.#keysOf(page_id).map((key) => this.#sent.get(key) ?? 0);
    const accepted = numbers.reduce((sum, n) => sum + n, 0);
    const views = this.#sent.get(`${page_id}/`) ?? 0;
    const totals = { views, clicks: accepted - views };
    expect(await this.ask(`${path}/stats`, user_id)).toMatchObject({ totals });
    const audit = await this.ask(`${path}/audit`, user_id);
    expect(audit).toMatchObject({ accepted, flushed: accepted, pending: 0, drift: 0 });
  }

  async shows(pages: Record<string, number>): Promise<void> {
    for (const [slug, status] of Object.entries(pages)) {
      const seen = expect.poll(async () => (await this.send(`/${slug}`)).status, { message: slug });
      await seen.toBe(status);
    }
  }

  /** Versions of pages that objects have told and D1 lacked; null where none was asked. */
  async lacking(): Promise<{ isComplete: boolean; versions: Record<string, number> } | null> {
    const stored = await (await this.#world.server.media()).get("d1-restored.json");
    if (stored === null) return null;
    const survey = JSON.parse(await stored.text()) as {
      known: { page_id: string; version: number }[];
      pages_after: string | null;
    };
    const versions = survey.known.map(({ page_id, version }) => [page_id, version]);
    return { isComplete: survey.pages_after === null, versions: Object.fromEntries(versions) };
  }

  #keysOf(page_id: string): string[] {
    return [...this.#sent.keys()].filter((key) => key.startsWith(`${page_id}/`));
  }

  #noteSent(page_id: string, link_id: string): void {
    const key = `${page_id}/${link_id}`;
    this.#sent.set(key, (this.#sent.get(key) ?? 0) + 1);
  }
}
