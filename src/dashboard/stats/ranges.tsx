import { dateAt, daysIn } from "../../stats/calendar.ts";
import { periodBefore, RANGES } from "../../stats/stats-query.ts";
import { changed } from "../addresses.ts";
import { intervalsOf } from "./dashboard-query.ts";
import { datesOf } from "./dates.ts";
import { PART_TEXTS } from "./part-texts.ts";
import type { StatsPageProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

/** A form of other days keeps these query parameters. */
const KEPT = ["tz", "lang", "link", "filter"] as const;

/** No page has older days: the query takes none before this year. */
const FIRST_DAY = "2000-01-01";

export function Ranges(props: StatsPageProps) {
  const { locale, url, range, notice, stats, now_ms } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const before = datesOf(locale, periodBefore(stats));
  const is_over = stats.to < dateAt(now_ms, stats.tz);
  return (
    <div class="period">
      <div class="ranges">
        <nav aria-label={texts.range}>
          <ul class="tabs">
            {RANGES.map((each) => (
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
      {notice !== null && <p class="card notice-of-days">{texts.notices[notice]}</p>}
      <p class="dates">
        <strong>{datesOf(locale, stats)}</strong>{" "}
        {range === "all" ? (
          <span>{PART_TEXTS[locale].all_what}</span>
        ) : (
          <span>{is_over ? texts.compared(before) : texts.compared_so_far(before)}</span>
        )}
      </p>
    </div>
  );
}

function CustomRange(props: StatsPageProps) {
  const { locale, url, range, stats, now_ms } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const today = dateAt(now_ms, stats.tz);
  const kept = KEPT.flatMap((name) => {
    const value = url.searchParams.get(name);
    return value === null ? [] : [<input type="hidden" name={name} value={value} />];
  });
  return (
    <details class="custom" data-menu>
      <summary class={range === "custom" ? "tab chosen" : "tab"}>{texts.ranges.custom}</summary>
      <form method="get" action={url.pathname}>
        <input type="hidden" name="range" value="custom" />
        {kept}
        <label>
          <span>{texts.from}</span>
          <input type="date" name="from" value={stats.from} min={FIRST_DAY} max={today} required />
        </label>
        <label>
          <span>{texts.to}</span>
          <input type="date" name="to" value={stats.to} min={FIRST_DAY} max={today} required />
        </label>
        <button class="primary" type="submit">
          {texts.show}
        </button>
      </form>
    </details>
  );
}

/** Nothing where a period can be shown by one interval only. */
export function Intervals(props: StatsPageProps) {
  const { locale, url, stats, now_ms } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const intervals = intervalsOf(stats, stats.filter === null, now_ms);
  const is_usual = daysIn(stats) === 1 && stats.interval === intervals[0];
  if (intervals.length < 2 || is_usual) return null;
  return (
    <nav aria-label={texts.interval}>
      <ul class="tabs small">
        {intervals.map((interval) => (
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
