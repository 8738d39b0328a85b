/** One repetition of a situation: a fresh page, a fresh visitor with a fresh address, and what was seen of both. */
import { setTimeout as pause } from "node:timers/promises";
import { BEACON_PATH, DOWNLOAD_PATH } from "../../src/http/endpoints.ts";
import type { Link } from "../../src/pages/document/page-document.ts";
import type { BreakingProxy, Fault, Request } from "../browser/breaking-proxy.ts";
import { freshAddress, type Service } from "../browser/browser-kit.ts";
import { DEMO_BLOCKS } from "../demo/blocks.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { type Engine, type Point, pointOf, type Tab, until, untilIn, type Way } from "./engine.ts";

export type LinkId = "shop" | "mail" | "phone" | "file" | "contact";

const SELECTORS: Record<LinkId, string> = {
  shop: 'a[href*="/shop"]',
  mail: 'a[data-link="mail"]',
  phone: 'a[data-link="phone"]',
  file: `a[href^="${DOWNLOAD_PATH}/"]`,
  contact: 'a[href*="/contact"]',
};

/** The points of the links, which are the same on all test pages. */
export type Points = Record<LinkId, Point>;

export interface Place {
  service: Service;
  proxy: BreakingProxy;
  engine: Engine;
  points: Points;
}

async function storeTestPage({ server, outside_port }: Service): Promise<string> {
  const page_id = `page-${crypto.randomUUID().slice(0, 8)}`;
  const file_id = DEMO_BLOCKS.demo?.file.file_id;
  if (file_id === undefined) throw new Error("the demo has no file");
  const links: readonly (Partial<Omit<Link, "label">> & { link_id: LinkId; label: string })[] = [
    { link_id: "shop", label: "Shop", url: `http://127.0.0.1:${outside_port}/${page_id}/shop` },
    { link_id: "mail", label: "Mail", url: "mailto:layan@example.com" },
    { link_id: "phone", label: "Phone", url: "tel:+447700900142" },
    {
      ...{ link_id: "file", label: "File", kind: "download" },
      block: { file_id, access: "free", uses_max: null },
    },
  ];
  const page = plainPage({
    ...{ page_id, links, locale: "en", name: "Layan" },
    // The owner of the file. Visitors are not signed in, so nobody is taken for the owner.
    owner_id: DEMO_OWNER,
    contact: { name: "Layan", emails: ["layan@example.com"] },
  });
  await storePage(await server.db(), page);
  return page_id;
}

/** Looks where the links are, in a page of its own, because a page may be loaded without scripts later. */
export async function measure(
  service: Service,
  proxy: BreakingProxy,
  engine: Engine,
): Promise<Points> {
  const page_id = await storeTestPage(service);
  proxy.reset(freshAddress());
  const tab = await engine.open();
  try {
    await tab.load(`${proxy.origin}/${page_id}`);
    await untilIn(tab, 'document.fonts.status === "loaded"');
    const points: Partial<Points> = {};
    for (const link of Object.keys(SELECTORS) as LinkId[]) {
      points[link] = await pointOf(tab, SELECTORS[link]);
    }
    return points as Points;
  } finally {
    await tab.close();
  }
}

/** Two activations within so long are one tap (docs/contract.md section 4). */
export const SECOND_MS = 1_000;

/** The machine was too busy for what the visit is about, so it says nothing. */
export class TooSlow extends Error {}

const NOTE_KEPT =
  'void addEventListener("pageshow", ({ persisted }) => { window.isKept = persisted; })';

export class Visit {
  readonly page_id: string;
  readonly tab: Tab;
  readonly proxy: BreakingProxy;
  readonly #place: Place;
  readonly #scripts: boolean;
  taps = 0;
  /** How often the page was opened or came back; each time is at most one view. */
  loads = 0;
  readonly notes: string[] = [];
  readonly faults: string[] = [];

  private constructor(place: Place, page_id: string, tab: Tab, scripts: boolean) {
    this.#place = place;
    this.#scripts = scripts;
    this.proxy = place.proxy;
    this.page_id = page_id;
    this.tab = tab;
  }

  static async begin(place: Place, scripts: boolean): Promise<Visit> {
    const page_id = await storeTestPage(place.service);
    place.proxy.reset(freshAddress());
    return new Visit(place, page_id, await place.engine.open({ scripts }), scripts);
  }

  /** Opens the page, and waits until its own requests are over: connections are in use and idle again. */
  async load(): Promise<void> {
    this.loads += 1;
    await this.tab.load(`${this.proxy.origin}/${this.page_id}`);
    if (this.#scripts) await this.tab.evaluate(NOTE_KEPT);
    await this.proxy.quiet();
  }

  async tap(link: LinkId, way: Way = "mouse"): Promise<void> {
    this.taps += 1;
    if (way === "enter") await this.tab.evaluate(`${this.element(link)}.focus()`);
    await this.tab.press(way, this.#place.points[link]);
  }

  /** Two taps. @throws {TooSlow} where they should be within a second and were not */
  async tapTwice(link: LinkId, way: Way, between_ms: number): Promise<void> {
    const from_ms = performance.now();
    await this.tap(link, way);
    await pause(between_ms);
    await this.tap(link, way);
    const is_hasty = between_ms < SECOND_MS;
    if (is_hasty && performance.now() - from_ms > SECOND_MS) throw new TooSlow("too slow");
  }

  element(link: LinkId): string {
    return `document.querySelector(${JSON.stringify(SELECTORS[link])})`;
  }

  wait(ms: number): Promise<void> {
    return pause(ms);
  }

  break(matches: (request: Request) => boolean, ...faults: Fault[]): void {
    this.proxy.rule = (request) => (matches(request) ? faults.shift() : undefined);
  }

  isPage({ path }: Request): boolean {
    return path === `/${this.page_id}`;
  }

  requests(link: LinkId): Request[] {
    return this.proxy.requests.filter(
      (request) => isTapOf(request, this.page_id, link) || (link === "file" && isFile(request)),
    );
  }

  /** What the taps led to: requests in the outside world, or whole cards and files. */
  arrivals(link: LinkId): number {
    const { arrivals } = this.#place.service;
    if (link === "shop") {
      return arrivals.filter((arrival) => arrival.endsWith(`/${this.page_id}/shop`)).length;
    }
    return this.proxy.requests.filter(
      ({ path, is_delivered, status }) =>
        is_delivered &&
        status === 200 &&
        (link === "contact"
          ? path.startsWith(`/vcard/${this.page_id}.`)
          : link === "file" && isFile({ path })),
    ).length;
  }

  arrived(link: LinkId, n = 1): Promise<void> {
    return until(`${n} arrivals`, () => this.arrivals(link) >= n);
  }

  requested(link: LinkId, n: number): Promise<void> {
    return until(`${n} requests`, () => this.requests(link).length >= n);
  }

  async back(): Promise<void> {
    await untilIn(this.tab, `location.pathname === "/${this.page_id}/shop"`);
    await untilIn(this.tab, 'document.readyState === "complete"');
    await this.tab.evaluate("void setTimeout(() => history.back())");
    await untilIn(
      this.tab,
      `location.pathname === "/${this.page_id}" && document.readyState === "complete"`,
    );
    this.loads += 1;
    const isKept = await this.tab.evaluate<boolean>("window.isKept === true");
    this.notes.push(isKept ? "kept by the browser" : "loaded again");
  }
}

export function isFile({ path }: Pick<Request, "path">): boolean {
  return path.startsWith(`${DOWNLOAD_PATH}/`) && path.includes("token=");
}

export function isTapOf({ method, path, body }: Request, page_id: string, link: LinkId): boolean {
  if (link === "mail" || link === "phone") {
    return method === "POST" && path === BEACON_PATH && body.includes(`"link_id":"${link}"`);
  }
  if (link !== "file") return method === "GET" && path.startsWith(`/r/${page_id}/${link}`);
  return path.startsWith(`${DOWNLOAD_PATH}/`) && path.includes(`page_id=${page_id}`);
}
