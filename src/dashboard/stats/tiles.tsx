/**
 * The totals of the period, of one link or of one value, and below the page's the excluded traffic.
 * `data-shown` is the number of the period, and `data-flushed` the lifetime number when the page
 * was made. The script shows `shown + (live - flushed)`.
 */

import { KNOWN_OF_CLICKS } from "../../stats/breakdown-shares.ts";
import { spanOf } from "../../stats/calendar.ts";
import type { Counts, LinkStats, ValueTrend } from "../../stats/stats-shape.ts";
import { Icon } from "../../views/icons.tsx";
import { formatNumber, formatRate } from "../../views/numbers.ts";
import { type Change, changeOf, rateChangeOf } from "./change.ts";
import { PART_TEXTS } from "./part-texts.ts";
import type { SectionProps, StatsPageProps } from "./props.ts";
import { viewsOf } from "./ranked-lists.tsx";
import { DASHBOARD_TEXTS } from "./texts.ts";

export function Tiles(props: StatsPageProps) {
  const { locale, stats } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const { totals, flushed } = stats;
  const previous = previousOf(props, stats.previous);
  return (
    <dl class="tiles">
      {(["views", "clicks"] as const).map((kind) => (
        <LiveTile
          {...props}
          {...{ kind, shown: totals[kind], flushed: flushed[kind] }}
          label={texts[kind]}
          previous={previous?.[kind]}
        />
      ))}
      <Tile
        label={texts.visitors}
        kind="visitors"
        change={changeOf(locale, totals.visitors, previous?.visitors ?? null)}
      >
        <Visitors {...props} />
      </Tile>
      <RateTile {...props} now={totals} before={previous} />
    </dl>
  );
}

/** A link has no views of its own, so its clicks are compared with those of the page. */
export function LinkTiles(props: StatsPageProps & { link: LinkStats }) {
  const { locale, stats, link } = props;
  const texts = PART_TEXTS[locale];
  const { totals, flushed } = stats;
  const { link_id, clicks } = link;
  const previous = previousOf(props, {
    views: stats.previous.views,
    clicks: stats.link?.previous ?? 0,
  });
  return (
    <dl class="tiles">
      <LiveTile
        {...props}
        kind="clicks"
        label={texts.link_clicks}
        shown={clicks}
        flushed={Object.hasOwn(flushed.links, link_id) ? (flushed.links[link_id] ?? 0) : 0}
        previous={previous?.clicks}
      />
      <LiveTile
        {...props}
        kind="views"
        label={texts.link_views}
        shown={totals.views}
        flushed={flushed.views}
        previous={previous?.views}
      />
      <RateTile {...props} now={{ views: totals.views, clicks }} before={previous} />
      <Tile label={texts.share_of_clicks} kind="share" change={null}>
        <span data-live-share data-shown={totals.clicks} data-flushed={flushed.clicks}>
          {formatRate(locale, clicks, totals.clicks)}
        </span>
      </Tile>
    </dl>
  );
}

/** A value's numbers do not move: live numbers have no dimensions. */
export function ValueTiles(props: StatsPageProps & { filter: ValueTrend }) {
  const { locale, stats, filter } = props;
  const { dimension, views, clicks } = filter;
  const texts = DASHBOARD_TEXTS[locale];
  const previous = filter.previous === null ? null : previousOf(props, filter.previous);
  const before = (kind: keyof Counts) => previous?.[kind] ?? null;
  return (
    <dl class="tiles">
      <Tile label={texts.views} kind="views" change={changeOf(locale, views, before("views"))}>
        {formatNumber(locale, views)}
      </Tile>
      <Tile label={PART_TEXTS[locale].share_of_views} kind="share" change={null}>
        {formatRate(locale, views, viewsOf(stats.breakdowns[dimension]))}
      </Tile>
      {KNOWN_OF_CLICKS.has(dimension) && (
        <>
          <Tile
            label={texts.clicks}
            kind="clicks"
            change={changeOf(locale, clicks, before("clicks"))}
          >
            {formatNumber(locale, clicks)}
          </Tile>
          <RateTile {...props} now={filter} before={previous} />
        </>
      )}
    </dl>
  );
}

/** All time has no period before. */
function previousOf<T>({ range }: StatsPageProps, previous: T): T | null {
  return range === "all" ? null : previous;
}

function LiveTile(
  props: SectionProps & {
    kind: "views" | "clicks";
    label: string;
    shown: number;
    flushed: number;
    previous: number | undefined;
  },
) {
  const { locale, kind, label, shown, flushed, previous } = props;
  return (
    <Tile label={label} kind={kind} change={changeOf(locale, shown, previous ?? null)}>
      <span data-live={kind} data-shown={shown} data-flushed={flushed} data-previous={previous}>
        {formatNumber(locale, shown)}
      </span>
    </Tile>
  );
}

/**
 * The live number is of one day of the page, so the script needs the number of that day which is in
 * `shown`, and the end of the last day that belongs to the period.
 */
function Visitors({ locale, stats, page }: StatsPageProps) {
  const { visitors } = stats.totals;
  const day = stats.flushed.visitors;
  return (
    <span
      data-live-visitors
      data-shown={visitors}
      data-day={day?.day}
      data-flushed={day?.n}
      data-until={new Date(spanOf({ ...stats, tz: page.time_zone }).to_s * 1_000).toISOString()}
      data-previous={stats.previous.visitors ?? undefined}
    >
      {formatNumber(locale, visitors)}
    </span>
  );
}

function RateTile(props: SectionProps & { now: Counts; before: Counts | null }) {
  const { locale, now, before } = props;
  const change = before === null ? null : rateChangeOf(locale, now, before);
  return (
    <Tile label={DASHBOARD_TEXTS[locale].rate} kind="rate" change={change}>
      <span data-live-rate>{formatRate(locale, now.clicks, now.views)}</span>
    </Tile>
  );
}

function Tile(props: { label: string; kind: string; change: Change | null; children?: unknown }) {
  const { label, kind, change } = props;
  return (
    <div class={`card tile of-${kind}`}>
      <dt>{label}</dt>
      <dd>
        <span class="number">{props.children}</span>
        {/* Rendered hidden if there is no change yet: the script fills it when the numbers change. */}
        <span class="change" data-direction={change?.direction} hidden={change === null}>
          <Icon name="rise" />
          <span aria-hidden="true">{change?.short}</span>
          <span class="sr">{change?.full}</span>
        </span>
      </dd>
    </div>
  );
}

export function ExcludedTraffic({ locale, stats }: SectionProps) {
  const texts = DASHBOARD_TEXTS[locale];
  return (
    <div class="excluded">
      <h2>{texts.excluded}</h2>
      <dl>
        {(["bots", "owner", "limited"] as const).map((kind) => (
          <div>
            <dt>
              {texts[kind]} <span class="why">{texts[`${kind}_what`]}</span>
            </dt>
            <dd data-live={kind} data-shown={stats.totals[kind]} data-flushed={stats.flushed[kind]}>
              {formatNumber(locale, stats.totals[kind])}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
