import { dateFormat, TIME_OPTIONS, timeAt } from "../../views/dates.ts";
import type { ReaderLocale } from "../../views/numbering.ts";
import type { SectionProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

const DAY_MS = 86_400_000;

/** The service counts no more events today (EVENTS_PER_DAY). */
export function UsedUp({ locale, tz, at_ms }: { locale: ReaderLocale; tz: string; at_ms: number }) {
  const until_ms = at_ms - (at_ms % DAY_MS) + DAY_MS;
  const [since, until] = [timeAt(locale, at_ms, tz), timeAt(locale, until_ms, tz)];
  return (
    <p class="card warning" role="status">
      {DASHBOARD_TEXTS[locale].used_up(since, until)}
    </p>
  );
}

/** Says calmly that D1 does not take the page's numbers, how many wait, and that none is lost. */
export function Behind({ locale, stats: { behind_ms, as_of, pending, tz } }: SectionProps) {
  if (behind_ms === 0 || pending.views + pending.clicks === 0) return null;
  const day = behind_ms < DAY_MS ? {} : ({ day: "numeric", month: "long" } as const);
  const since = dateFormat(locale, tz, { ...day, ...TIME_OPTIONS }).format(Date.parse(as_of));
  return (
    <p class="card" role="status" data-behind>
      {DASHBOARD_TEXTS[locale].behind(since, pending.views, pending.clicks)}
    </p>
  );
}
