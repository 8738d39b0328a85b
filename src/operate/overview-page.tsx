import { titleOf } from "../../objects/monitor/alert-texts.ts";
import type { Overview } from "../../objects/monitor/monitor-book.ts";
import { componentsIn, type Sample } from "../../objects/monitor/sample.ts";
import { CHART_HOURS, type TimedSample } from "../../objects/monitor/sample-tables.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { adminAddress } from "../dashboard/addresses.ts";
import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { languageOf } from "../views/numbering.ts";
import { formatBytes, formatNumber, formatRate } from "../views/numbers.ts";
import { AdminFrame, Moment } from "./admin-frame.tsx";
import { Bars } from "./bars.tsx";
import type { WentBack } from "./lacking.ts";
import { OPERATE_TEXTS } from "./texts.ts";
import { WentBackCard } from "./went-back.tsx";

interface OverviewProps {
  frame: Frame;
  /** Null before the first measurement. */
  overview: Overview | null;
  mail_per_day: number | null;
  /** EVENTS_PER_DAY; 0 without a limit. */
  events_per_day: number;
  /** Null if D1 never went back, undefined if that could not be read. */
  went_back: WentBack | null | undefined;
}

const PAST_SHOWN = 20;

export function OverviewPage(props: OverviewProps) {
  const { frame, overview, went_back } = props;
  const texts = OPERATE_TEXTS[frame.locale];
  return (
    <AdminFrame frame={frame} part="overview" title={texts.title}>
      {overview === null ? (
        <section class="card nothing">
          <h2>{texts.nothing_yet}</h2>
          <p>{texts.nothing_yet_why}</p>
        </section>
      ) : (
        <>
          <Alerts frame={frame} overview={overview} />
          <Health {...props} overview={overview} />
          <Late frame={frame} overview={overview} />
        </>
      )}
      {went_back !== null && <WentBackCard frame={frame} went_back={went_back} />}
    </AdminFrame>
  );
}

type Parts = Pick<OverviewProps, "frame"> & { overview: Overview };

function Alerts({ frame, overview }: Parts) {
  const texts = OPERATE_TEXTS[frame.locale];
  const language = languageOf(frame.locale);
  const running = overview.alerts.filter(({ ended_at }) => ended_at === null);
  const past = overview.alerts.filter(({ ended_at }) => ended_at !== null).slice(0, PAST_SHOWN);
  const item = (alert: (typeof running)[number]) => (
    <li>
      {titleOf(alert.kind, alert.value)[language]}
      <p class="why">
        {texts.began} <Moment frame={frame} at_ms={alert.began_at} />
        {alert.ended_at !== null && (
          <>
            {" · "}
            {texts.ended} <Moment frame={frame} at_ms={alert.ended_at} />
          </>
        )}
      </p>
    </li>
  );
  return (
    <section class={running.length > 0 ? "card warning" : "card"}>
      <h2>{texts.running}</h2>
      {running.length === 0 ? (
        <p>{texts.none_running}</p>
      ) : (
        <ul class="plain">{running.map(item)}</ul>
      )}
      {overview.waiting > 0 && <p class="why">{texts.waiting(overview.waiting)}</p>}
      {past.length > 0 && (
        <details>
          <summary class="quiet">{texts.past}</summary>
          <ul class="plain">{past.map(item)}</ul>
        </details>
      )}
    </section>
  );
}

/** One value for each of the last hours; null without a sample. */
function hourly(
  samples: readonly TimedSample[],
  now_ms: number,
  pick: (sample: Sample) => number | null,
): (number | null)[] {
  const by_hour = new Map(samples.map(({ at, sample }) => [at, sample]));
  const newest = (now_ms - (now_ms % HOUR_MS)) / SECOND_MS;
  return Array.from({ length: CHART_HOURS }, (_, i) => {
    const sample = by_hour.get(newest - (CHART_HOURS - 1 - i) * (HOUR_MS / SECOND_MS));
    return sample === undefined ? null : pick(sample);
  });
}

function sumOf(sample: Sample, prefix: string): number {
  return Object.entries(sample).reduce(
    (n, [name, value]) => n + (name.startsWith(prefix) ? value : 0),
    0,
  );
}

function Health({
  frame,
  overview,
  mail_per_day,
  events_per_day,
}: OverviewProps & { overview: Overview }) {
  const { locale, now_ms } = frame;
  const texts = OPERATE_TEXTS[locale];
  const n = (value: number) => formatNumber(locale, Math.round(value));
  const last =
    overview.minutes.findLast(({ sample }) => sample.minutes !== undefined)?.sample ?? {};
  const values = (pick: (sample: Sample) => number | null) => hourly(overview.hours, now_ms, pick);
  const rows: { name: string; now: string; bars: (number | null)[]; max: number; bad: number }[] =
    [];
  const add = (
    name: string,
    bars: (number | null)[],
    said: (measured: readonly number[]) => string,
    bad = Number.POSITIVE_INFINITY,
    max = 0,
  ) => {
    const measured = bars.filter((value) => value !== null);
    const now = measured.length === 0 ? texts.unknown : said(measured);
    rows.push({ name, now, bars, bad, max: Math.max(max, ...measured) });
  };
  for (const component of componentsIn(last)) {
    const of = (what: string) => (sample: Sample) => sample[`probe.${component}.${what}`] ?? 0;
    const all = overview.hours.reduce((sum, { sample }) => sum + of("n")(sample), 0);
    const failed = overview.hours.reduce((sum, { sample }) => sum + of("failed")(sample), 0);
    const ms = overview.hours.reduce((sum, { sample }) => sum + of("ms")(sample), 0);
    add(
      texts.probe(component),
      values((sample) => (of("n")(sample) === 0 ? null : of("failed")(sample) / of("n")(sample))),
      () => texts.probe_value(formatRate(locale, all - failed, all), n(all === 0 ? 0 : ms / all)),
      0,
      1,
    );
  }
  const total = (measured: readonly number[]) =>
    texts.total(n(measured.reduce((a, b) => a + b, 0)));
  add(
    texts.server_errors,
    values((sample) => sample["responses.5xx"] ?? 0),
    total,
    0,
  );
  add(
    texts.refusals,
    values((sample) => sumOf(sample, "refused.")),
    total,
  );
  add(
    texts.dropped_events,
    values((sample) => sample["events.dropped"] ?? 0),
    total,
    0,
  );
  add(
    texts.adopted_events,
    values((sample) => sample["events.adopted"] ?? 0),
    total,
    0,
  );
  add(
    texts.flush_delay,
    values((sample) => sample["max.delay_s"] ?? null),
    (measured) => texts.largest(texts.minutes(Math.ceil(Math.max(...measured) / 60))),
    300,
  );
  add(
    texts.failed_flushes,
    values((sample) => sample["alarms.failed"] ?? 0),
    total,
    0,
  );
  add(
    texts.lost_alarms,
    values((sample) => sample["alarms.lost"] ?? 0),
    total,
    0,
  );
  if (mail_per_day !== null) {
    add(
      texts.mails,
      values((sample) => sample["max.mail"] ?? null),
      () => texts.of(n(last["max.mail"] ?? 0), n(mail_per_day)),
      mail_per_day * 0.8,
      mail_per_day,
    );
  }
  if (events_per_day > 0) {
    const counted = last["max.events"] ?? 0;
    add(
      texts.events_today,
      values((sample) => sample["max.events"] ?? null),
      () => (counted < events_per_day ? texts.of : texts.used_up)(n(counted), n(events_per_day)),
      events_per_day * 0.8,
      events_per_day,
    );
  }
  const bytes = last["max.db_bytes"];
  return (
    <section class="card">
      <h2>{texts.health}</h2>
      <p class="why">{texts.in_hours}</p>
      <dl class="measures">
        {rows.map(({ name, now, bars, max, bad }) => (
          <div class="measure-row">
            <dt>{name}</dt>
            <dd>{now}</dd>
            <dd>
              <Bars
                bars={bars.map((value) => ({
                  part: value === null ? null : max === 0 ? 0 : value / max,
                  is_bad: value !== null && value > bad,
                }))}
                is_rtl={locale !== "en"}
                label={`${name}: ${now}`}
              />
            </dd>
          </div>
        ))}
        <div class="measure-row">
          <dt>{texts.database}</dt>
          <dd>{bytes === undefined ? texts.unknown : formatBytes(locale, bytes)}</dd>
        </div>
      </dl>
    </section>
  );
}

function Late({ frame, overview }: Parts) {
  const texts = OPERATE_TEXTS[frame.locale];
  const { late, worst } = overview;
  return (
    <section class="card">
      <h2>{texts.late}</h2>
      {late === 0 ? (
        <p>{texts.none_late}</p>
      ) : (
        <>
          <p>{texts.late_pages(late)}</p>
          <table class="listed">
            <thead>
              <tr>
                <th scope="col">{texts.page}</th>
                <th scope="col">{texts.since}</th>
                <th scope="col">{texts.cause}</th>
              </tr>
            </thead>
            <tbody>
              {worst.map(({ page_id, due_at, cause }) => (
                <tr>
                  <td>
                    <a href={adminAddress(frame, `/admin/pages/${encodeURIComponent(page_id)}`)}>
                      <bdi>{page_id}</bdi>
                    </a>
                  </td>
                  <td>{texts.minutes(Math.floor((frame.now_ms - due_at) / MINUTE_MS))}</td>
                  <td>
                    <bdi>{cause}</bdi>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}
