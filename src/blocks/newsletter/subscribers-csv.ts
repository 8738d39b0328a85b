/** A page's subscribers as CSV, with time and source of each consent, and a link to end it. */
import type {
  ListedSubscriber,
  SubscriberList,
} from "../../../objects/blocks/newsletter/subscription.ts";
import { textIn } from "../../pages/document/page-words.ts";
import type { Page } from "../../pages/document/pages-store.ts";
import { BYTE_ORDER_MARK, csvLine } from "../../views/csv.ts";
import type { Locale } from "../../views/locale.ts";

const HEADER: Readonly<Record<Locale, readonly string[]>> = {
  en: ["email", "confirmed_at", "page", "block", "block_label", "language", "unsubscribe_url"],
  ar: ["البريد", "وقت التأكيد", "الصفحة", "الكتلة", "اسم الكتلة", "اللغة", "رابط إلغاء الاشتراك"],
};

/**
 * A table of several parts is read as the client takes it, so that any number of subscribers fits. One of a single
 * part is a text, sent with its length: a cut table looks like a whole one.
 *
 * @param first the first part, read before so that a failure can be answered
 */
export function subscribersCsv(
  page: Pick<Page, "slug" | "links">,
  lang: Locale,
  first: SubscriberList,
  readAfter: (cursor: string) => Promise<SubscriberList>,
  unsubscribeLink: (subscriber_id: string) => string | null,
): string | ReadableStream<Uint8Array> {
  const labels = new Map(page.links.map(({ link_id, label }) => [link_id, textIn(label, lang)]));
  const line = ({ id, email, confirmed_at, source }: ListedSubscriber) => {
    const { link_id, locale } = source;
    return csvLine([
      email,
      confirmed_at,
      page.slug,
      { id: link_id },
      labels.get(link_id) ?? null,
      locale,
      unsubscribeLink(id),
    ]);
  };
  const lines = ({ subscribers }: SubscriberList) => subscribers.map(line).join("");
  const start = BYTE_ORDER_MARK + csvLine(HEADER[lang]) + lines(first);
  if (first.next === null) return start;
  const encoder = new TextEncoder();
  let next: string | null = first.next;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(start)),
    async pull(controller) {
      if (next === null) return controller.close();
      const part = await readAfter(next);
      controller.enqueue(encoder.encode(lines(part)));
      next = part.next;
    },
  });
}
