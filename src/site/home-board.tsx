/** The landing page's figure: a week of numbers, as on the dashboard. */
import type { Locale } from "../views/locale.ts";
import { readerLocale } from "../views/numbering.ts";
import { formatNumber, formatRate } from "../views/numbers.ts";
import { HOME_TEXTS } from "./home-texts.ts";

/** Views by day, oldest first, and clicks by link. */
const VIEWS = [168, 191, 174, 223, 246, 259, 226];
const CLICKS = [298, 186, 155];
const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

const CHART = { width: 280, height: 88, bar: 28, corner: 5 };
const ROW = { width: 280, height: 6 };

export function Board({ locale }: { locale: Locale }) {
  const { caption, period, views, clicks, rate, links } = HOME_TEXTS[locale].board;
  // One page serves all countries, so its Arabic has the digits of most.
  const reader = readerLocale(locale, "arab");
  const tiles = [
    [formatNumber(reader, sum(VIEWS)), views],
    [formatNumber(reader, sum(CLICKS)), clicks],
    [formatRate(reader, sum(CLICKS), sum(VIEWS)), rate],
  ];
  return (
    <figure class="board">
      <figcaption>{caption}</figcaption>
      <p class="period">{period}</p>
      <ul class="tiles">
        {tiles.map(([figure, words]) => (
          <li>
            <strong>{figure}</strong> {words}
          </li>
        ))}
      </ul>
      <Days locale={locale} />
      <ul class="rows">
        {links.map((label, i) => (
          <li>
            <span>{label}</span>
            <strong>{formatNumber(reader, CLICKS[i] ?? 0)}</strong>
            <Row locale={locale} share={(CLICKS[i] ?? 0) / Math.max(...CLICKS)} />
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Days({ locale }: { locale: Locale }) {
  const { width, height, bar, corner } = CHART;
  const step = (width - bar) / (VIEWS.length - 1);
  return (
    <svg class="days" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {VIEWS.map((n, i) => {
        const tall = Math.round((n / Math.max(...VIEWS)) * height);
        const x = Math.round(step * (locale === "ar" ? VIEWS.length - 1 - i : i));
        return <rect x={x} y={height - tall} width={bar} height={tall} rx={corner} />;
      })}
    </svg>
  );
}

function Row(props: { locale: Locale; share: number }) {
  const { width, height } = ROW;
  const long = Math.round(props.share * width);
  const x = props.locale === "ar" ? width - long : 0;
  return (
    <svg
      class="row"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect x={x} y="0" width={long} height={height} />
    </svg>
  );
}
