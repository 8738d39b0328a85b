import { CONTACT_LINK } from "../../objects/events/event.ts";
import { isBlock } from "../pages/document/block-kinds.ts";
import { CONTACT_LABEL } from "../pages/document/card-address.ts";
import type { ByLocale } from "../pages/document/page-document.ts";
import { textIn } from "../pages/document/page-words.ts";
import { plainText } from "../views/plain-text.ts";
import type { LinkRow, PageColumns } from "./page-columns.ts";

/**
 * Labels of what visitors can click, by link id, in the page's order. Plain text, because a label
 * appears next to other text in tables, CSV and JSON. The contact button is no entry of the page's
 * links; its label is the one on the page.
 */
export function linkLabels(page: PageColumns, links: readonly LinkRow[]): Map<string, string> {
  const labels = new Map(
    links
      .filter(({ url, kind }) => url !== null || isBlock(kind))
      .map(({ link_id, label }) => [link_id, labelOf(page, label)]),
  );
  if (page.has_contact) labels.set(CONTACT_LINK, CONTACT_LABEL[page.locale]);
  return labels;
}

/**
 * The label of a link that {@link linkLabels} lacks, or null if it is unknown: the contact button,
 * a link that has become a heading or a text, or a removed link.
 */
export function lastLabel(
  page: PageColumns,
  links: readonly LinkRow[],
  link_id: string,
  removed: ByLocale | null,
): string | null {
  if (link_id === CONTACT_LINK) return CONTACT_LABEL[page.locale];
  const label = links.find((link) => link.link_id === link_id)?.label ?? removed;
  return label === null ? null : labelOf(page, label);
}

function labelOf({ locale }: PageColumns, label: ByLocale): string {
  return plainText(textIn(label, locale));
}
