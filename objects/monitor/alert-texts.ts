/** Alerts in Arabic and English words. Pure. */

import { MINUTE_MS } from "../platform/clock.ts";
import { DELAY_MAX_S } from "./alert-rules.ts";

interface Words {
  ar: string;
  en: string;
}

const percent = (share: number) => `${Math.round(share * 1_000) / 10}%`;
const minutes = (s: number) => Math.round(s / 60);

const TITLES: Readonly<Record<string, (value: number) => Words>> = {
  flush_delay: (s) => ({
    ar: `تأخّر وصول الأرقام إلى قاعدة البيانات: ${minutes(s)} د (الحد ${minutes(DELAY_MAX_S)})`,
    en: `Numbers reach the database late: ${minutes(s)} min (limit ${minutes(DELAY_MAX_S)})`,
  }),
  errors: (share) => ({
    ar: `أخطاء الخادم: ${percent(share)} من الإجابات`,
    en: `Server errors: ${percent(share)} of the answers`,
  }),
  cron: (min) => ({
    ar: `توقّفت المهمة المجدولة: لم تقِس الخدمةَ منذ ${Math.floor(min)} د`,
    en: `The cron has stopped: it has not measured for ${Math.floor(min)} min`,
  }),
  drift: (events) => ({
    ar: `كانت عدّادات صفحات أقدم من قاعدة البيانات، فأخذت منها ${events} من الأحداث`,
    en: `Counters of pages were older than the database, and took ${events} events over from it`,
  }),
  mail: (share) => ({
    ar: `استُهلك ${percent(share)} من رسائل البريد المسموح بها في ٢٤ ساعة`,
    en: `${percent(share)} of the mails allowed in 24 hours are used`,
  }),
  events: (share) => ({
    ar: `حُسب ${percent(share)} من أحداث اليوم EVENTS_PER_DAY`,
    en: `${percent(share)} of the day’s EVENTS_PER_DAY are counted`,
  }),
  restored: (min) => ({
    ar: `أُعيدت قاعدة البيانات إلى حالة أقدم بنحو ${min} د. ما ينقصها: /admin`,
    en: `The database was restored to a state about ${min} min older. What it lacks: /admin`,
  }),
  database: (share) => ({
    ar: `بلغت قاعدة البيانات ${percent(share)} من حجمها الأقصى`,
    en: `The database has ${percent(share)} of its largest size`,
  }),
};

export function titleOf(kind: string, value: number): Words {
  const title = TITLES[kind]?.(value);
  if (title !== undefined) return title;
  const component = kind.replace(/^probe_/, "");
  return { ar: `لا يستجيب: ${component}`, en: `Not answering: ${component}` };
}

export interface AlertText {
  subject: string;
  text: string;
}

/** If `ended_at` is null, the alert begins. */
export function alertText({
  kind,
  value,
  began_at,
  ended_at,
}: {
  kind: string;
  value: number;
  began_at: number;
  ended_at: number | null;
}): AlertText {
  const { ar, en } = titleOf(kind, value);
  const began = new Date(began_at).toISOString();
  if (ended_at === null) {
    return {
      subject: `صلة: تنبيه – ${ar} · Sila: ${en}`,
      text: `تنبيه: ${ar}.\nبدأ: ${began}\n\nAlert: ${en}.\nBegan: ${began}\n`,
    };
  }
  const ended = new Date(ended_at).toISOString();
  const took = Math.max(1, Math.round((ended_at - began_at) / MINUTE_MS));
  return {
    subject: `صلة: انتهى – ${ar} · Sila: over – ${en}`,
    text: `انتهى التنبيه: ${ar}.\nبدأ: ${began}\nانتهى: ${ended} (بعد ${took} د)\n\nAll clear: ${en}.\nBegan: ${began}\nEnded: ${ended} (after ${took} min)\n`,
  };
}
