/**
 * What the counting needs of a page: whether it is published, and its links with their addresses and
 * times. The page object keeps a copy of it (`known-page.ts`), and so does the redirect in the router.
 */

import { CONTACT_LINK } from "../events/event.ts";
import type { Database, Statement } from "../platform/ports.ts";

/** A row of D1, or none if there is no such page. A page that is being deleted is like a draft. */
export interface PageRow {
  status: PageTargets["status"];
  version: number;
  locale: "ar" | "en";
  time_zone: string;
  /** The slug in the address of the contact card; null without a contact. */
  card: string | null;
  /** JSON: `[link_id, url, enabled, from, until]` of every link with an address. */
  links: string;
  /** JSON: the unix seconds at which a link of any kind opens or closes. */
  boundaries: string;
}

/** Where a link leads, and when it is open: switched on, and within its times (unix seconds). */
export interface Target {
  /** For the contact button, whose card this service has, it is the page's slug. */
  url: string;
  enabled?: boolean;
  from?: number | null;
  until?: number | null;
}

export interface PageTargets {
  status: "draft" | "published" | "suspended";
  version: number;
  locale: "ar" | "en";
  /** An IANA name. */
  time_zone: string;
  /** By link id. */
  links: ReadonlyMap<string, Target>;
  /** Unix seconds at which a link of any kind opens or closes. */
  boundaries: readonly number[];
}

/** The contact's id is reserved, so no link may have it. */
const SELECT_PAGE = `SELECT CASE WHEN ends_at IS NULL THEN status ELSE 'draft' END AS status,
    version, locale, time_zone,
    CASE WHEN json_type(document, '$.contact') = 'object' THEN slug END AS card,
    (SELECT json_group_array(json_array(value ->> 'link_id', value ->> 'url',
       value ->> 'enabled', value ->> 'from', value ->> 'until'))
     FROM json_each(document, '$.links')
     WHERE value ->> 'url' IS NOT NULL AND value ->> 'link_id' <> '${CONTACT_LINK}') AS links,
    (SELECT json_group_array(time.value)
     FROM json_each(document, '$.links') AS link, json_each(link.value) AS time
     WHERE link.value ->> 'enabled' AND time.key IN ('from', 'until')
       AND time.value IS NOT NULL) AS boundaries
  FROM pages WHERE page_id = ?1`;

/** The statement that reads a page's row. */
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

export function parsePageRow({ card, links, boundaries, ...page }: PageRow) {
  const targets = new Map<string, Target>();
  if (card !== null) targets.set(CONTACT_LINK, { url: card });
  for (const [link_id, url, enabled, from, until] of JSON.parse(links) as LinkRow[]) {
    targets.set(link_id, { url, enabled: enabled === 1, from, until });
  }
  const times = JSON.parse(boundaries) as number[];
  return { ...page, links: targets, boundaries: times } satisfies PageTargets;
}
