import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { PageEvent } from "../../../../objects/events/event.ts";
import { endPage } from "../../../../src/accounts/end-page.ts";
import type { Stats } from "../../../../src/stats/stats-shape.ts";
import { call, freshAddress, pageObject, recordAll } from "../../kit/kit.ts";
import type { creator, PageJson } from "../authoring-kit.ts";
import { sample } from "../pictures/picture-samples.ts";
import type { MadeEntry } from "./zip-maker.ts";

export type Creator = Awaited<ReturnType<typeof creator>>;

interface RemarkJson {
  line: number | null;
  text: string;
  reason: string;
  reason_en: string;
}

export interface ImportAnswer {
  ok: boolean;
  dry_run?: boolean;
  page: PageJson;
  refused: RemarkJson[];
  refused_total: number;
  notes: RemarkJson[];
  notes_total: number;
  counts: { views: number; clicks: number };
}

export function pageFile(page: object, members: object = {}): MadeEntry & { content: string } {
  const content = { format: "sila-page", format_version: 1, page, ...members };
  return { name: "page.json", content: JSON.stringify(content) };
}

export function upload(
  { headers }: Pick<Creator, "headers">,
  type: string,
  body: BodyInit,
  query = "",
): Promise<Response> {
  return call(`/api/me/pages/import${query}`, {
    method: "POST",
    ip: freshAddress(),
    body,
    headers: { ...headers, "Content-Type": type },
  });
}

export async function imported(
  creator: Pick<Creator, "headers">,
  type: string,
  body: BodyInit,
  query = "",
): Promise<ImportAnswer & { status: number }> {
  const response = await upload(creator, type, body, query);
  const answer = await response.json<ImportAnswer>();
  expect(answer).toMatchObject({ ok: true });
  return { status: response.status, ...answer };
}

export async function exported(
  { send }: Pick<Creator, "send">,
  page_id: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await send("GET", `/api/me/pages/${page_id}/export`);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/zip",
    "content-disposition": expect.stringMatching(
      `^attachment; filename="sila-${page_id}\\.zip"; filename\\*=UTF-8''[\\w.%-]+\\.zip$`,
    ),
    "cache-control": "no-store",
  });
  return new Uint8Array(await response.arrayBuffer());
}

export async function statsOf(
  { send }: Pick<Creator, "send">,
  page_id: string,
  query = "",
): Promise<Stats> {
  const response = await send("GET", `/api/me/pages/${page_id}/stats${query}`);
  expect(response.status).toBe(200);
  return response.json();
}

const TABLES = [
  ...["pages", "revisions", "removed_links", "former_slugs", "pictures"],
  ...["tallies", "days", "rolled_days", "milestones"],
];

/** Everything that is stored of pages, in D1 and R2. */
export async function everything(): Promise<string> {
  const results = await env.DB.batch(
    TABLES.map((table) => env.DB.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`)),
  );
  const { objects } = await env.MEDIA.list();
  return JSON.stringify([results.map((result) => result.results), objects.map(({ key }) => key)]);
}

export async function deletePagesOf(owner_id: string): Promise<void> {
  await env.DB.batch(
    TABLES.toReversed().map((table) =>
      env.DB.prepare(
        `DELETE FROM ${table} WHERE page_id IN (SELECT page_id FROM pages WHERE owner_id = ?1)`,
      ).bind(owner_id),
    ),
  );
}

/** Rows of pages that do not exist; a former slug may outlive its page. */
export async function orphans(): Promise<unknown[]> {
  const tables = TABLES.filter((table) => !["pages", "pictures", "former_slugs"].includes(table));
  const results = await env.DB.batch(
    tables.map((table) =>
      env.DB.prepare(
        `SELECT '${table}' AS name, page_id FROM ${table}
         WHERE page_id NOT IN (SELECT page_id FROM pages)`,
      ),
    ),
  );
  return results.flatMap((result) => result.results);
}

/** Unix seconds. */
const HOUR_S = 3_600;
const DAY_S = 86_400;
export const thisHour = () => Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S;

/** A view, or whatever the members say. */
export function event(members: Partial<PageEvent> = {}): PageEvent {
  return {
    key: crypto.randomUUID().replaceAll("-", "").slice(0, 16),
    link_id: "",
    class: "human",
    visitor: `10.0.0.1\n${crypto.randomUUID()}`,
    origin: { country: "SA", device: "mobile" },
    ...members,
  };
}

export async function addHistory(
  page_id: string,
  tallies: readonly [hour: number, link_id: string, n: number][],
) {
  if (tallies.length === 0) return;
  await env.DB.batch(
    tallies.map(([hour, link_id, n]) =>
      env.DB.prepare(
        "INSERT INTO tallies VALUES (?1, ?2, ?3, ?4, 'human', -2, ?5) ON CONFLICT DO NOTHING",
      ).bind(page_id, hour, link_id === "" ? "view" : "click", link_id, n),
    ),
  );
}

async function uploadPicture({ headers }: Creator, page_id: string, name: "jpeg" | "png") {
  const path = `/api/me/pages/${page_id}/pictures`;
  const response = await call(path, { method: "PUT", headers, body: sample(name) });
  return (await response.json<{ picture: { key: string } }>()).picture.key;
}

/** The page without what differs between a page and its copy. */
export function withoutIds({
  page_id,
  slug,
  version,
  created_at,
  updated_at,
  status,
  ...page
}: PageJson) {
  const text = JSON.stringify(page).replaceAll(page_id, "page");
  const { links, ...rest } = JSON.parse(text) as typeof page;
  return { ...rest, links: links.map(({ link_id, ...link }) => link) };
}

export function numbers({ totals, links, breakdowns, series }: Stats) {
  const named = links.map(({ label, clicks }) => `${clicks} ${label}`);
  return { totals, links: named.sort(), breakdowns, series };
}

/** Ends the page at once, instead of after half an hour. */
export async function end(page_id: string): Promise<void> {
  await endPage(env.DB, page_id, Date.now());
  await pageObject(page_id).end();
}

export async function fullPage(layan: Creator): Promise<PageJson> {
  const page = await layan.make({
    locales: ["ar", "en"],
    time_zone: "Asia/Riyadh",
    name: { ar: "ليان", en: "Layan" },
    bio: { ar: "رسّامة\nمن الرياض" },
    look: { palette: "rose", accent: "#a0b0c0" },
    contact: { name: "ليان", phones: ["+966501234567"] },
    status: "published",
    links: [
      { label: { ar: "المتجر", en: "Shop" }, url: "https://shop.example/", highlight: true },
      { kind: "heading", label: { ar: "أعمالي" } },
      { kind: "card", label: { ar: "لوحة" }, url: "https://card.example/" },
      { label: { ar: "يُحذف" }, url: "https://removed.example/" },
    ],
  });
  const avatar = await uploadPicture(layan, page.page_id, "jpeg");
  const image = await uploadPicture(layan, page.page_id, "png");
  const [shop, heading, card] = page.links;
  const [, , , removed] = page.links;
  const [shop_id, removed_id] = [shop?.link_id ?? "", removed?.link_id ?? ""];
  await recordAll(page.page_id, [
    event(),
    event({ origin: { country: "EG", device: "desktop", referrer: "news.example" } }),
    event({ class: "bot", visitor: null, origin: null }),
    event({ link_id: shop_id }),
    event({ link_id: removed_id }),
    event({ link_id: "contact" }),
  ]);
  const hour = thisHour();
  await addHistory(page.page_id, [
    [hour - 3 * DAY_S, "", 40],
    [hour - 3 * DAY_S, shop_id, 7],
    [hour - 2 * DAY_S, removed_id, 5],
  ]);
  return layan.patch(page, { avatar, links: [shop, heading, { ...card, image }] });
}
