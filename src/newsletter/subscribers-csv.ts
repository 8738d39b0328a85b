/** A page's subscribers as a table, with the time and the source of each consent. */
import type { ListedSubscriber, SubscriberList } from "../../objects/newsletter/subscription.ts";
import { textIn } from "../pages/page-words.ts";
import type { Page } from "../pages/pages-store.ts";
import { BYTE_ORDER_MARK, csvLine } from "../views/csv.ts";
import type { Locale } from "../views/locale.ts";

const HEADER: Readonly<Record<Locale, readonly string[]>> = {
  en: ["email", "confirmed_at", "page", "block", "block_label", "language"],
  ar: ["البريد", "وقت التأكيد", "الصفحة", "الكتلة", "اسم الكتلة", "اللغة"],
};

/**
 * The table, read part by part as the client takes it, so that any number of subscribers fits.
 *
 * @param first the first part, read before so that a failure can be answered
 */
export function subscribersCsv(
  page: Pick<Page, "slug" | "links">,
  lang: Locale,
  first: SubscriberList,
  readAfter: (cursor: string) => Promise<SubscriberList>,
): ReadableStream<Uint8Array> {
  const labels = new Map(page.links.map(({ link_id, label }) => [link_id, textIn(label, lang)]));
  const line = ({ email, confirmed_at, source }: ListedSubscriber) => {
    const { link_id, locale } = source;
    return csvLine([email, confirmed_at, page.slug, link_id, labels.get(link_id) ?? null, locale]);
  };
  const encoder = new TextEncoder();
  let part: SubscriberList | null = first;
  let head = BYTE_ORDER_MARK + csvLine(HEADER[lang]);
  return new ReadableStream({
    async pull(controller) {
      if (part === null) return controller.close();
      controller.enqueue(encoder.encode(head + part.subscribers.map(line).join("")));
      head = "";
      part = part.next === null ? null : await readAfter(part.next);
    },
  });
}
