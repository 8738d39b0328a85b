/** A calm word where D1 does not take the page's numbers: since when, how many wait, and that none is lost. */
import { dateFormat, TIME_OPTIONS } from "../../views/dates.ts";
import type { SectionProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

const DAY_MS = 86_400_000;

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
