/**
 * The four totals of the period, and below them the excluded traffic.
 *
 * `data-shown` is the number of the period, and `data-flushed` the lifetime number when the page
 * was made. The script shows `shown + (live - flushed)`.
 */
import { Icon } from "../../views/icons.tsx";
import { type Change, changeOf, rateChangeOf } from "./change.ts";
import { formatNumber, formatRate } from "./numbers.ts";
import type { SectionProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

export function Tiles({ locale, stats }: SectionProps) {
  const texts = DASHBOARD_TEXTS[locale];
  const { totals, previous, flushed } = stats;
  return (
    <dl class="tiles">
      {(["views", "clicks"] as const).map((kind) => (
        <Tile
          label={texts[kind]}
          kind={kind}
          change={changeOf(locale, totals[kind], previous[kind])}
        >
          <span
            data-live={kind}
            data-shown={totals[kind]}
            data-flushed={flushed[kind]}
            data-previous={previous[kind]}
          >
            {formatNumber(locale, totals[kind])}
          </span>
        </Tile>
      ))}
      <Tile
        label={texts.visitors}
        kind="visitors"
        change={changeOf(locale, totals.visitors, previous.visitors)}
      >
        {formatNumber(locale, totals.visitors)}
      </Tile>
      <Tile label={texts.rate} kind="rate" change={rateChangeOf(locale, totals, previous)}>
        <span data-live-rate>{formatRate(locale, totals.clicks, totals.views)}</span>
      </Tile>
    </dl>
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
