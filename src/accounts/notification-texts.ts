/** Notifications as the API returns them, in both languages. */
import { plainText } from "../views/plain-text.ts";
import type { MilestoneNotification, StoredNotification } from "./notifications-store.ts";

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

const ARABIC_NUMBER = new Intl.NumberFormat("ar-EG");
const ENGLISH_NUMBER = new Intl.NumberFormat("en");
const ARABIC_PLURAL = new Intl.PluralRules("ar");

/** The noun after a number: of 3 to 10, of 11 to 99, and of hundreds. */
const COUNTED = {
  view: { few: "مشاهدات", many: "مشاهدةً", other: "مشاهدة", en: "views" },
  click: { few: "نقرات", many: "نقرةً", other: "نقرة", en: "clicks" },
} as const;

export function toJson(notification: StoredNotification): NotificationJson {
  const { id, kind, created_at, read_at } = notification;
  const { text, text_en, url } = kind === "milestone" ? milestone(notification) : notification;
  return {
    id,
    kind,
    text,
    text_en,
    url,
    created_at: new Date(created_at).toISOString(),
    read_at: read_at === null ? null : new Date(read_at).toISOString(),
  };
}

function milestone({ page_id, name, counted, n }: MilestoneNotification) {
  const nouns = COUNTED[counted];
  const plural = ARABIC_PLURAL.select(n);
  const noun = plural === "few" || plural === "many" ? nouns[plural] : nouns.other;
  // In a bidi isolate, so that a name in the other script does not move the quotation marks.
  const title = `\u2068${plainText(name)}\u2069`;
  return {
    text: `بلغت صفحتك «${title}» ${ARABIC_NUMBER.format(n)} ${noun}`,
    text_en: `Your page “${title}” reached ${ENGLISH_NUMBER.format(n)} ${nouns.en}`,
    url: `/dashboard/${page_id}`,
  };
}
