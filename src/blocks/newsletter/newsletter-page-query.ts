import { isOpen } from "../../../objects/page/open-link.ts";
import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { blockOf } from "../../pages/document/block-of.ts";
import { pagePath } from "../../pages/document/page-address.ts";
import type { ByLocale, Link, PageDocument } from "../../pages/document/page-document.ts";
import { shownTextIn } from "../../pages/document/page-words.ts";
import type { Locale } from "../../views/locale.ts";

export async function publishedName(
  db: D1Database,
  page_id: string,
  locale: Locale,
): Promise<{ name: string; path: string } | null> {
  const row = await db
    .prepare(
      `SELECT slug, document -> '$.locales' AS locales, document -> '$.name' AS name
       FROM pages WHERE page_id = ?1 AND status = 'published' AND ends_at IS NULL`,
    )
    .bind(page_id)
    .first<{ slug: string; locales: string; name: string }>();
  if (row === null) return null;
  const locales = JSON.parse(row.locales) as PageDocument["locales"];
  const shown = locales.includes(locale) ? locale : (locales[0] ?? locale);
  return {
    name: shownTextIn({ locales }, JSON.parse(row.name) as ByLocale, locale),
    path: pagePath({ slug: row.slug, locales }, shown),
  };
}

export interface SubscribersFile {
  file_id: string;
  link_id: string;
  label: string;
}

export async function subscribersFiles(
  db: D1Database,
  page_id: string,
  locale: Locale,
  now: number,
): Promise<SubscribersFile[]> {
  const row = await db
    .prepare(
      `SELECT document -> '$.locales' AS locales,
         (SELECT json_group_array(json(value)) FROM json_each(document, '$.links')
         WHERE value ->> 'kind' = 'download' AND value ->> '$.block.access' = 'subscriber') AS links
       FROM pages WHERE page_id = ?1 AND status = 'published' AND ends_at IS NULL`,
    )
    .bind(page_id)
    .first<{ locales: string; links: string }>();
  if (row === null) return [];
  const locales = JSON.parse(row.locales) as PageDocument["locales"];
  const links = JSON.parse(row.links) as Link[];
  return links.flatMap((link) => {
    const block = blockOf(link, "download");
    if (block === null || !isOpen(link, Math.floor(now / SECOND_MS))) return [];
    const { link_id } = link;
    return [
      { file_id: block.file_id, link_id, label: shownTextIn({ locales }, link.label, locale) },
    ];
  });
}
