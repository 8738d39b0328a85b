import { isOpen } from "../../../objects/page/open-link.ts";
import { SECOND_MS } from "../../../objects/platform/clock.ts";
import type { PageDocument } from "../../pages/document/page-document.ts";

interface Block {
  link_id: string;
  enabled: 0 | 1;
  from: number | null;
  until: number | null;
}

export interface OpenNewsletter extends Pick<PageDocument, "locales" | "name"> {
  link_id: string;
}

/** The open newsletter with this id, or the first. Null without one, undefined for no page. */
export async function findOpenNewsletter(
  db: D1Database,
  page_id: string,
  link_id: string | undefined,
  now: number,
): Promise<OpenNewsletter | null | undefined> {
  const row = await db
    .prepare(
      `SELECT document -> '$.locales' AS locales, document -> '$.name' AS name,
         (SELECT json_group_array(json_object('link_id', value ->> 'link_id',
            'enabled', value ->> 'enabled', 'from', value ->> 'from', 'until', value ->> 'until'))
          FROM json_each(document, '$.links') WHERE value ->> 'kind' = 'newsletter') AS blocks
       FROM pages WHERE page_id = ?1 AND status = 'published' AND ends_at IS NULL`,
    )
    .bind(page_id)
    .first<Record<"locales" | "name" | "blocks", string>>();
  if (row === null) return undefined;
  const now_s = Math.floor(now / SECOND_MS);
  const block = (JSON.parse(row.blocks) as Block[]).find(
    (block) =>
      (link_id === undefined || block.link_id === link_id) &&
      isOpen({ ...block, enabled: block.enabled === 1 }, now_s),
  );
  if (block === undefined) return null;
  const [locales, name] = [JSON.parse(row.locales), JSON.parse(row.name)];
  return { locales, name, link_id: block.link_id };
}
