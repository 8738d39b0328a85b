/** The names of a page's links in its statistics. */

import { CONTACT_LINK } from "../../objects/tables/event.ts";
import { CONTACT_LABEL } from "../pages/vcard.ts";
import { plainText } from "../views/plain-text.ts";
import type { PageColumns, StatsRows } from "./stats-store.ts";

/**
 * Labels by link id, in the page's order. Plain text, because a label appears next to other text in tables,
 * CSV and JSON. The contact button has no row in `links`; its label is the one on the page.
 */
export function linkLabels(
  { contact, locale }: PageColumns,
  links: StatsRows["links"],
): Map<string, string> {
  const labels = new Map(links.map(({ link_id, label }) => [link_id, plainText(label)]));
  if (contact !== null) labels.set(CONTACT_LINK, CONTACT_LABEL[locale]);
  return labels;
}
