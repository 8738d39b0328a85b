/** What the counting needs of a page. The page object and the router's redirect have copies. */

import { CONTACT_LINK } from "../events/event.ts";
import type { Database, Statement } from "../platform/ports.ts";

/** A page that is being deleted is like a draft. */
export interface PageRow {
  status: PageTargets["status"];
  version: number;
  locale: "ar" | "en";
  time_zone: string;
  /** The slug in the address of the contact card; null without a contact. */
  card: string | null;
  /** JSON: `[link_id, url, enabled, from, until]` of every link with an address. */
  links: string;
}

/** `from` and `until` are unix seconds. */
export interface Target {
  /** The contact button, whose card this service has, has the page's slug here. */
  url: string;
  enabled?: boolean;
  from?: number | null;
  until?: number | null;
}

export interface PageTargets {
  status: "draft" | "published" | "suspended";
  version: number;
  locale: "ar" | "en";
  time_zone: string;
  links: ReadonlyMap<string, Target>;
}

/** The contact's id is reserved, so no link may have it. */
const SELECT_PAGE = `SELECT CASE WHEN ends_at IS NULL THEN status ELSE 'draft' END AS status,
    version, locale, time_zone,
    CASE WHEN json_type(document, '$.contact') = 'object' THEN slug END AS card,
    (SELECT json_group_array(json_array(value ->> 'link_id', value ->> 'url',
       value ->> 'enabled', value ->> 'from', value ->> 'until'))
     FROM json_each(document, '$.links')
     WHERE value ->> 'url' IS NOT NULL AND value ->> 'link_id' <> '${CONTACT_LINK}') AS links
  FROM pages WHERE page_id = ?1`;

export function selectPage(db: Database, page_id: string): Statement {
  return db.prepare(SELECT_PAGE).bind(page_id);
}

type LinkRow = [
  link_id: string,
  url: string,
  enabled: 0 | 1,
  from: number | null,
  until: number | null,
];

export function parsePageRow({ card, links, ...page }: PageRow) {
  const targets = new Map<string, Target>();
  if (card !== null) targets.set(CONTACT_LINK, { url: card });
  for (const [link_id, url, enabled, from, until] of JSON.parse(links) as LinkRow[]) {
    targets.set(link_id, { url, enabled: enabled === 1, from, until });
  }
  return { ...page, links: targets } satisfies PageTargets;
}
