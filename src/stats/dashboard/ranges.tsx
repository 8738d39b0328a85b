/** The choice of days: four ranges or a custom one, and the period that they are compared with. */
import { dateAt, daysIn } from "../calendar.ts";
import { firstHourlyDay, periodBefore } from "../stats-query.ts";
import { changed } from "./addresses.ts";
import { HOURLY_DAYS_MAX, RANGES } from "./dashboard-query.ts";
import { datesOf } from "./dates.ts";
import type { StatsPageProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

const USUAL = Object.keys(RANGES) as (keyof typeof RANGES)[];

export function Ranges(props: StatsPageProps) {
  const { locale, url, range, stats, now_ms } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const before = datesOf(locale, periodBefore(stats));
  const is_over = stats.to < dateAt(now_ms, stats.tz);
  return (
    <div class="period">
      <div class="ranges">
        <nav aria-label={texts.range}>
          <ul class="tabs">
            {USUAL.map((each) => (
              <li>
                {/* Each range has its own days and its own default interval. */}
                <a
                  class="tab"
                  href={changed(url, { range: each, from: null, to: null, interval: null })}
                  aria-current={each === range ? "page" : undefined}
                >
                  {texts.ranges[each]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <CustomRange {...props} />
      </div>
      <p class="dates">
        <strong>{datesOf(locale, stats)}</strong>{" "}
        <span>{is_over ? texts.compared(before) : texts.compared_so_far(before)}</span>
      </p>
    </div>
  );
}

function CustomRange(props: StatsPageProps) {
  const { locale, url, range, stats } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const kept = ["tz", "lang"].flatMap((name) => {
    const value = url.searchParams.get(name);
    return value === null ? [] : [<input type="hidden" name={name} value={value} />];
  });
  return (
    <details class="custom" open={range === "custom"}>
      <summary class={range === "custom" ? "tab chosen" : "tab"}>{texts.ranges.custom}</summary>
      <form method="get" action={url.pathname}>
        <input type="hidden" name="range" value="custom" />
        {kept}
        <label>
          <span>{texts.from}</span>
          <input type="date" name="from" value={stats.from} required />
        </label>
        <label>
          <span>{texts.to}</span>
          <input type="date" name="to" value={stats.to} required />
        </label>
        <button class="primary" type="submit">
          {texts.show}
        </button>
      </form>
    </details>
  );
}

/** The choice of hours or days, for periods whose hours are kept and few enough. */
export function Intervals(props: StatsPageProps) {
  const { locale, url, stats, now_ms } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const days = daysIn(stats);
  const has_hours =
    days <= HOURLY_DAYS_MAX && stats.from >= firstHourlyDay(dateAt(now_ms, stats.tz));
  if (!has_hours || (days === 1 && stats.interval === "hour")) return null;
  return (
    <nav aria-label={texts.interval}>
      <ul class="tabs small">
        {(["hour", "day"] as const).map((interval) => (
          <li>
            <a
              class="tab"
              href={changed(url, { interval })}
              aria-current={interval === stats.interval ? "page" : undefined}
            >
              {texts.intervals[interval]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
