import type { Dimension } from "../../../objects/events/event.ts";
import { OTHER } from "../../../objects/page/tables/breakdowns.ts";
import { PLACE_NAMES } from "../../pages/document/place-names.ts";
import { KNOWN_OF_CLICKS } from "../../stats/breakdown-shares.ts";
import type { BreakdownShare } from "../../stats/stats-shape.ts";
import { byReader, numberingOf, type ReaderLocale } from "../../views/numbering.ts";
import { formatNumber, formatRateInColumn } from "../../views/numbers.ts";
import { plainText } from "../../views/plain-text.ts";
import { changed } from "../addresses.ts";
import { Bar } from "./bar.tsx";
import { pageDayBegins } from "./dates.ts";
import { PART_TEXTS } from "./part-texts.ts";
import type { StatsPageProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

/** The other rows are in a closed `<details>`. */
const SHOWN_MAX = 8;
const CAMPAIGNS = ["utm_source", "utm_medium", "utm_campaign"] as const;
/** Each language is named in itself. */
const LANGUAGES: Readonly<Record<string, string>> = { ar: "العربية", en: "English" };
const PLACES = byReader<Readonly<Record<string, string>>>(() => PLACE_NAMES.ar, PLACE_NAMES.en);
/** Cloudflare's country code for the Tor network. */
const TOR = "T1";

const USUAL = ["referrer", "country", "device"] as const;

/** False on a page that has and had one language only: there the breakdown says nothing. */
export function hasLanguages({ page, stats }: Pick<StatsPageProps, "page" | "stats">): boolean {
  const languages = stats.breakdowns.language.filter(({ value }) => value !== null);
  return page.is_bilingual || languages.length > 1;
}

export function Breakdowns(props: StatsPageProps) {
  const { locale, url, stats } = props;
  const dimensions = [...USUAL, ...(hasLanguages(props) ? (["language"] as const) : [])];
  return (
    <>
      {dimensions.map((dimension) => (
        <section class="card">
          <h2>{DASHBOARD_TEXTS[locale][dimension]}</h2>
          <Ranked {...{ locale, url, dimension }} shares={stats.breakdowns[dimension]} />
        </section>
      ))}
    </>
  );
}

export function OneBreakdown(props: StatsPageProps & { dimension: Dimension }) {
  const { locale, url, stats, dimension } = props;
  return (
    <section class="card wider">
      <h2>{DASHBOARD_TEXTS[locale][dimension]}</h2>
      <Ranked
        {...{ locale, url, dimension }}
        shares={stats.breakdowns[dimension]}
        chosen={stats.filter?.value}
      />
    </section>
  );
}

/** Views without a campaign are left out. Empty without campaigns, as on most pages. */
export function Campaigns({ locale, url, stats }: StatsPageProps) {
  const texts = DASHBOARD_TEXTS[locale];
  const campaigns = CAMPAIGNS.map((dimension) => ({
    dimension,
    whole: viewsOf(stats.breakdowns[dimension]),
    shares: withViews(stats.breakdowns[dimension]).filter(({ value }) => value !== null),
  })).filter(({ shares }) => shares.length > 0);
  if (campaigns.length === 0) return null;
  return (
    <section class="card wider">
      <h2>{texts.campaigns}</h2>
      <div class="campaigns">
        {campaigns.map(({ dimension, ...list }) => (
          <div>
            <h3>{texts[dimension]}</h3>
            <Ranked {...{ locale, url, dimension }} {...list} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** Notes that the shown days are of another zone than the page's, which these numbers use. */
export function PageDays({ locale, stats, page, now_ms }: StatsPageProps) {
  const zones = { tz: stats.tz, page_zone: page.time_zone };
  const begins = pageDayBegins(locale, now_ms, zones);
  if (begins === null) return null;
  return <p class="why wider">{DASHBOARD_TEXTS[locale].by_page_days(begins)}</p>;
}

function withViews(shares: readonly BreakdownShare[]): BreakdownShare[] {
  return shares.filter(({ views }) => views > 0);
}

export function viewsOf(shares: readonly BreakdownShare[]): number {
  return shares.reduce((sum, { views }) => sum + views, 0);
}

interface RankedProps {
  locale: ReaderLocale;
  url: URL;
  dimension: Dimension;
  shares: readonly BreakdownShare[];
  /** The views of which each value has a share; by default those of `shares`. */
  whole?: number;
  chosen?: string | undefined;
}

function Ranked(props: RankedProps) {
  const { locale, shares, chosen } = props;
  const texts = DASHBOARD_TEXTS[locale];
  if (shares.length === 0) return <p class="why">{texts.nothing_known}</p>;
  const rest = shares.slice(SHOWN_MAX);
  const most = Math.max(...shares.map(({ views }) => views));
  const whole = props.whole ?? viewsOf(shares);
  return (
    <>
      <Rows {...props} shares={shares.slice(0, SHOWN_MAX)} {...{ most, whole }} />
      {rest.length > 0 && (
        <details class="rest" open={rest.some(({ value }) => value !== null && value === chosen)}>
          <summary>{texts.more(rest.length)}</summary>
          <Rows {...props} shares={rest} {...{ most, whole }} />
        </details>
      )}
    </>
  );
}

function Rows(props: RankedProps & { most: number; whole: number }) {
  const { locale, dimension, shares, most, whole } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const has_clicks = KNOWN_OF_CLICKS.has(dimension);
  return (
    <table class="ranked">
      <caption class="sr">{texts[dimension]}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="sr">{texts[dimension]}</span>
          </th>
          <th scope="col">{texts.views}</th>
          <th scope="col">
            <abbr title={PART_TEXTS[locale].share_of_views}>
              {numberingOf(locale) === "arab" ? "٪" : "%"}
            </abbr>
          </th>
          {has_clicks && <th scope="col">{texts.clicks}</th>}
        </tr>
      </thead>
      <tbody>
        {shares.map((share) => (
          <tr>
            <th scope="row">
              <span class="label">
                <Value {...props} value={share.value} />
              </span>
              <Bar part={share.views} whole={most} />
            </th>
            <td>{formatNumber(locale, share.views)}</td>
            <td class="percent">{formatRateInColumn(locale, share.views, whole)}</td>
            {has_clicks && <td>{formatNumber(locale, share.clicks)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Leads to the numbers of the value, where it is one: the others are a sum of many. */
function Value(props: RankedProps & { value: string | null }) {
  const { locale, url, dimension, value, chosen } = props;
  const name = <bdi>{nameOf(locale, dimension, value)}</bdi>;
  if (value === null || value === OTHER) return name;
  const filter = `${dimension}:${value}`;
  return (
    <a href={changed(url, { filter })} aria-current={value === chosen ? "true" : undefined}>
      {name}
    </a>
  );
}

/** Referrers and campaigns are untrusted text, other values are codes. */
export function nameOf(locale: ReaderLocale, dimension: Dimension, value: string | null): string {
  const texts = DASHBOARD_TEXTS[locale];
  if (value === null) return dimension === "referrer" ? texts.direct : texts.unknown;
  if (value === OTHER) return texts.others;
  switch (dimension) {
    case "device":
      return named(texts.devices, value);
    case "language":
      return named(LANGUAGES, value);
    case "country":
      return countryName(locale, value);
    case "utm_source":
      // Addresses of the share sheet have codes; any other text is a campaign's own.
      return named(PLACES[locale], value) || texts.unknown;
    default:
      return plainText(value) || texts.unknown;
  }
}

/** A code without a name is shown as it is. */
function named(names: Readonly<Record<string, string>>, code: string): string {
  return (Object.hasOwn(names, code) ? names[code] : undefined) ?? plainText(code);
}

function countryName(locale: ReaderLocale, code: string): string {
  if (code === TOR) return DASHBOARD_TEXTS[locale].tor;
  try {
    return new Intl.DisplayNames(locale, { type: "region" }).of(code) ?? code;
  } catch {
    // RangeError: not a country code.
    return plainText(code);
  }
}
