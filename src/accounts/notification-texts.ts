import type { ReaderLocale } from "../views/numbering.ts";
import { counted } from "../views/numbers.ts";
import { isolated } from "../views/plain-text.ts";
import type { StoredNotification } from "./notifications-store.ts";

/** Times are ISO 8601 in UTC; `text` is Arabic. */
interface NotificationJson {
  id: string;
  kind: StoredNotification["kind"];
  text: string;
  text_en: string;
  url: string | null;
  created_at: string;
  read_at: string | null;
}

export function toJson(notification: StoredNotification): NotificationJson {
  const { id, kind, created_at, read_at } = notification;
  return {
    id,
    kind,
    text: textOf(notification, "ar-u-nu-arab"),
    text_en: textOf(notification, "en"),
    url: addressOf(notification),
    created_at: new Date(created_at).toISOString(),
    read_at: read_at === null ? null : new Date(read_at).toISOString(),
  };
}

export function textOf(notification: StoredNotification, locale: ReaderLocale): string {
  if (notification.kind === "hub")
    return locale === "en" ? notification.text_en : notification.text;
  // A bidi isolate, so that a name in the other script does not move the quotation marks.
  const title = isolated(notification.name);
  if (notification.kind === "tip") {
    const { from_name, points, message } = notification;
    const from = isolated(from_name);
    const said =
      message === ""
        ? ""
        : locale === "en"
          ? `: “${isolated(message)}”`
          : `: «${isolated(message)}»`;
    const amount = counted(locale, "point", points);
    return locale === "en"
      ? `${from} sent ${amount} to your page “${title}”${said}`
      : `وصل إلى صفحتك «${title}» من ${from}: ${amount}${said}`;
  }
  if (notification.kind === "webhook") {
    const host = isolated(notification.text);
    const isGone = notification.text_en === "gone";
    if (locale === "en") {
      const why = isGone ? "it answered 410 Gone" : "nothing arrived there for three days";
      return `The webhooks of your page “${title}” to ${host} were switched off: ${why}`;
    }
    const why = isGone ? "أجاب بالرمز 410" : "لم يصل إليه شيء ثلاثة أيام";
    return `أُوقف إرسال أحداث صفحتك «${title}» إلى ${host}: ${why}`;
  }
  const { counted: noun, n } = notification;
  return locale === "en"
    ? `Your page “${title}” reached ${counted(locale, noun, n)}`
    : `بلغت صفحتك «${title}» ${counted(locale, noun, n)}`;
}

export function addressOf(notification: StoredNotification): string | null {
  if (notification.kind === "hub") return notification.url;
  return notification.kind === "webhook"
    ? `/dashboard/pages/${notification.page_id}/webhooks`
    : `/dashboard/${notification.page_id}`;
}
