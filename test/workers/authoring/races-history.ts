/** One random history of two sessions with two pages (`authoring-races.test.ts`). */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect } from "vitest";
import { pageJson } from "../../../src/authoring/page-json.ts";
import { plainPage, storePage } from "../../plain-page.ts";
import { breakD1, loseSaves } from "../kit/faults.ts";
import { beacon, call, errorOf, freshAddress, pageObject, tallyRows } from "../kit/kit.ts";
import type { Creator, PageJson } from "./authoring-kit.ts";
import { KINDS, requestFor } from "./races-edits.ts";
import { type Edit, PageModel } from "./races-model.ts";

const which = { session: fc.nat(1), page: fc.nat(1) };
const editStep = fc.record({
  ...which,
  fresh: fc.constantFrom(true, true, false),
  n: fc.nat(5),
  kind: fc.constantFrom(...KINDS),
});
type EditStep = typeof editStep extends fc.Arbitrary<infer T> ? T : never;

const fault = fc.option(fc.constantFrom("refuse", "lose reply", "lose save"), {
  freq: 2,
  nil: null,
});
type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never;

export const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ edits: fc.tuple(editStep), fault }) },
  { weight: 3, arbitrary: fc.record({ edits: fc.tuple(editStep, editStep), fault }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...which,
      link: fc.nat(4),
      event_id: fc.constantFrom("e1", "e2", "e3"),
      via: fc.constantFrom("beacon", "redirect"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      page: fc.nat(1),
      object: fc.constantFrom("announce", "announce", "evict", "abort", "flush", "alarm"),
      fault,
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function during<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
  if (fault === null) return work();
  const { mend } =
    fault === "lose save" ? loseSaves() : breakD1(fault === "refuse" ? "before" : "after");
  try {
    return await work();
  } finally {
    mend();
  }
}

let histories = 0;

export class History {
  readonly #sessions: readonly Creator[];
  readonly #pages: PageModel[];
  readonly #slugs: string[];
  /** By session and page. */
  readonly #seen: PageJson[][];
  readonly #sender = freshAddress();
  /** Acknowledged events, by page: `link_id`, by way and event id. */
  readonly #events: Map<string, string>[] = [new Map(), new Map()];
  /** Whether the page's object has read the page since the last edit. */
  readonly #announced = [true, true];
  /** Slugs that a page did not get. */
  readonly #refused: { page: number; slug: string | undefined }[] = [];
  #edits = 0;

  static async begin(sessions: readonly Creator[]): Promise<History> {
    histories += 1;
    const prefix = `race${histories}-${crypto.randomUUID().slice(0, 8)}`;
    const slugs = Array.from({ length: 3 }, (_, i) => `${prefix}-s${i}`);
    const ids = [0, 1].map((i) => `${prefix}-p${i}`);
    const pages: PageJson[] = [];
    for (const [i, page_id] of ids.entries()) {
      const links = ["a", "b", "c"].map((name) => ({
        link_id: `${name}${i}`,
        label: name,
        url: `https://${name}.example/`,
      }));
      const owner = { owner_id: "demo-business", slug: slugs[i] ?? "" };
      const page = plainPage({ page_id, ...owner, name: "ن", links });
      await storePage(env.DB, page);
      pages.push(pageJson(page));
    }
    return new History(sessions, pages, slugs);
  }

  private constructor(sessions: readonly Creator[], pages: PageJson[], slugs: string[]) {
    this.#sessions = sessions;
    this.#pages = pages.map(({ page_id }) => new PageModel(page_id));
    this.#slugs = slugs;
    this.#seen = [[], []];
    for (const session of [0, 1]) {
      for (const [i, page] of pages.entries()) this.#saw(session, i, page);
    }
  }

  async take(step: Step): Promise<void> {
    if ("edits" in step) await this.#editAll(step.edits, step.fault);
    else if ("object" in step)
      await during(step.fault, () => this.#disturb(step.page, step.object));
    else await this.#event(step);
  }

  /** Everything is well again: D1 and the objects have what was acknowledged, and nothing else. */
  async end(): Promise<void> {
    const slugs: Set<string>[] = [];
    for (const [i, page] of this.#pages.entries()) {
      slugs.push(await page.judge());
      await pageObject(page.page_id).flush();
      const counted: Record<string, number> = {};
      for (const link_id of this.#events[i]?.values() ?? []) {
        counted[link_id] = (counted[link_id] ?? 0) + 1;
      }
      const sums: Record<string, number> = {};
      for (const { link_id, n } of await tallyRows(page.page_id)) {
        sums[link_id] = (sums[link_id] ?? 0) + n;
      }
      expect(sums).toEqual(counted);
      const totals = await pageObject(page.page_id).totals();
      for (const { accepted, flushed } of totals) expect(flushed).toBe(accepted);
    }
    // Both pages have been published, so a slug that one of them had is never the other's.
    expect(slugs[0]?.isDisjointFrom(slugs[1] ?? new Set())).toBe(true);
    for (const { page, slug } of this.#refused) expect(slugs[1 - page]).toContain(slug);
    const ids = this.#pages.map(({ page_id }) => page_id);
    await env.DB.batch(
      ids.flatMap((page_id) => [
        env.DB.prepare("UPDATE pages SET owner_id = NULL WHERE page_id = ?1").bind(page_id),
        env.DB.prepare("DELETE FROM page_changes WHERE page_id = ?1").bind(page_id),
      ]),
    );
    // An object in memory has open files, and a long run has a thousand of them.
    for (const page_id of ids) await this.#evict(page_id);
  }

  async #editAll(edits: readonly EditStep[], fault: Fault): Promise<void> {
    for (const { fresh, session, page } of edits) if (fresh) await this.#read(session, page);
    const statuses = await during(fault, () => Promise.all(edits.map((edit) => this.#edit(edit))));
    for (const [i, status] of statuses.entries()) {
      if (status === 503) expect(fault).not.toBeNull();
      const { page = 0 } = edits[i] ?? {};
      if (status === 404 && edits.length === 1) {
        expect(await this.#isOpen(page, "")).toBe(false);
      }
    }
  }

  async #edit({ session, page, kind, n }: EditStep): Promise<number | null> {
    const model = this.#model(page);
    const seen = this.#of(session, page);
    this.#edits += 1;
    const about = { seen, model, slugs: this.#slugs, edits: this.#edits };
    const request = requestFor(kind, n, about);
    if (request === null) return null;
    const base = kind === "any" || kind === "undelete" ? null : seen.version;
    const edit: Edit = { base, members: request.members };
    const response = await this.#send(
      session,
      request.method,
      model.page_id + (request.path ?? ""),
      {
        body: request.body,
        ...(kind === "undelete" ? {} : { if_match: base === null ? "*" : `"v${base}"` }),
      },
    );
    const { status } = response;
    expect([200, 202, 404, 409, 412, 503]).toContain(status);
    this.#announced[page] = false;
    if (response.ok) {
      const { page: saved } = await response.json<{ page: PageJson }>();
      expect(response.headers.get("ETag")).toBe(`"v${saved.version}"`);
      model.saved(edit, saved.version);
      this.#saw(session, page, saved);
    } else if (status === 412) {
      const { details } = await errorOf(response);
      const current = details.page as PageJson;
      if (base !== null) expect(current.version).toBeGreaterThan(base);
      this.#saw(session, page, current);
    } else if (status === 503) model.unknown(edit);
    else if (status === 409) this.#refused.push({ page, slug: request.slug });
    return status;
  }

  async #event(step: { page: number; link: number; event_id: string; via: string }): Promise<void> {
    const { page, event_id, via } = step;
    const { page_id, links } = this.#model(page);
    const link_id = via === "beacon" && step.link === 4 ? "" : ([...links.keys()][step.link] ?? "");
    if (via === "redirect" && link_id === "") return;
    const isOpen = await this.#isOpen(page, link_id);
    const ip = this.#sender;
    const response =
      via === "beacon"
        ? await beacon({ page_id, event_id, ...(link_id === "" ? {} : { link_id }) }, { ip })
        : await call(`/r/${page_id}/${link_id}?e=${event_id}`, { ip });
    const outcome = response.headers.get("X-Beacon-Outcome");
    expect([202, 302, 404, 410]).toContain(response.status);
    // The redirect answers before it counts where that takes long; the same event again counts once.
    if (response.status === 302 && outcome === null) return this.#event(step);
    const isCounted = response.status < 400;
    if (isCounted) this.#events[page]?.set(`${via} ${event_id} ${link_id}`, link_id);
    // Isolates remember addresses for longer; the page's object decides what counts.
    if (this.#announced[page] && (via === "beacon" || isCounted)) expect(isCounted).toBe(isOpen);
  }

  async #disturb(page: number, what: string): Promise<void> {
    const { page_id } = this.#model(page);
    const stub = pageObject(page_id);
    if (what === "announce") {
      await stub.changed();
      this.#announced[page] = true;
    } else if (what === "evict") await this.#evict(page_id);
    else if (what === "alarm") await runDurableObjectAlarm(stub);
    else if (what === "flush") await Promise.resolve(stub.flush()).catch(() => undefined);
    else {
      const aborting = runInDurableObject(stub, (_, state) => state.abort("thrown out by a test"));
      await Promise.resolve(aborting).catch(() => undefined);
    }
  }

  /** Rejects nothing: an object that is not in memory cannot be evicted. */
  async #evict(page_id: string): Promise<void> {
    await evictDurableObject(pageObject(page_id)).catch(() => undefined);
  }

  async #read(session: number, page: number): Promise<void> {
    const { page_id } = this.#model(page);
    const response = await this.#send(session, "GET", page_id);
    this.#saw(session, page, (await response.json<{ page: PageJson }>()).page);
  }

  async #isOpen(page: number, link_id: string): Promise<boolean> {
    const row = await env.DB.prepare(
      `SELECT 1 FROM pages WHERE page_id = ?1 AND status = 'published' AND ends_at IS NULL
         AND (?2 = '' OR EXISTS (SELECT 1 FROM json_each(document, '$.links')
           WHERE value ->> 'link_id' = ?2 AND value ->> 'enabled'))`,
    )
      .bind(this.#model(page).page_id, link_id)
      .first();
    return row !== null;
  }

  #saw(session: number, page: number, seen: PageJson): void {
    this.#model(page).saw(seen);
    const pages = this.#seen[session];
    if (pages !== undefined) pages[page] = seen;
  }

  #of(session: number, page: number): PageJson {
    return this.#seen[session]?.[page] as PageJson;
  }

  #model(page: number): PageModel {
    return this.#pages[page] as PageModel;
  }

  #send(
    session: number,
    method: string,
    path: string,
    { body, if_match }: { body?: unknown; if_match?: string } = {},
  ): Promise<Response> {
    const { send } = this.#sessions[session] as Creator;
    const headers: Record<string, string> = if_match === undefined ? {} : { "If-Match": if_match };
    return send(method, `/api/me/pages/${path}`, body, headers);
  }
}
