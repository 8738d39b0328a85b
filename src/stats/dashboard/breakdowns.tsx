/** Referrers, countries, devices, languages and campaigns as ranked lists. */
import { OTHER } from "../../../objects/tables/breakdowns.ts";
import type { Dimension } from "../../../objects/tables/event.ts";
import type { Locale } from "../../views/locale.ts";
import { plainText } from "../../views/plain-text.ts";
import type { BreakdownShare } from "../stats-shape.ts";
import { Bar } from "./bar.tsx";
import { pageDayBegins } from "./dates.ts";
import { formatNumber } from "./numbers.ts";
import type { SectionProps, StatsPageProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

/** Clicks on redirects have a country and a device, but not their view's referrer and campaign. */
const KNOWN_OF_CLICKS: ReadonlySet<Dimension> = new Set(["country", "device"]);
/** Rows shown at once; the others are in a closed `<details>`. */
const SHOWN_MAX = 8;
const CAMPAIGNS = ["utm_source", "utm_medium", "utm_campaign"] as const;
/** The name of each language in that language. */
const LANGUAGES: Readonly<Record<string, string>> = { ar: "العربية", en: "English" };
/** Cloudflare's country code for the Tor network. */
const TOR = "T1";

const USUAL = ["referrer", "country", "device"] as const;

/** False on a page that has and had one language only: there the breakdown says nothing. */
export function hasLanguages({ page, stats }: Pick<StatsPageProps, "page" | "stats">): boolean {
  const languages = stats.breakdowns.language.filter(({ value }) => value !== null);
  return page.is_bilingual || languages.length > 1;
}

export function Breakdowns(props: StatsPageProps) {
  const { locale, stats } = props;
  const dimensions = [...USUAL, ...(hasLanguages(props) ? (["language"] as const) : [])];
  return (
    <>
      {dimensions.map((dimension) => (
        <section class="card">
          <h2>{DASHBOARD_TEXTS[locale][dimension]}</h2>
          <Ranked locale={locale} dimension={dimension} shares={stats.breakdowns[dimension]} />
        </section>
      ))}
    </>
  );
}

/** Views without a campaign are left out. Empty without campaigns, as on most pages. */
export function Campaigns({ locale, stats }: SectionProps) {
  const texts = DASHBOARD_TEXTS[locale];
  const campaigns = CAMPAIGNS.map((dimension) => ({
    dimension,
    shares: withViews(stats.breakdowns[dimension]).filter(({ value }) => value !== null),
  })).filter(({ shares }) => shares.length > 0);
  if (campaigns.length === 0) return null;
  return (
    <section class="card wider">
      <h2>{texts.campaigns}</h2>
      <div class="campaigns">
        {campaigns.map(({ dimension, shares }) => (
          <div>
            <h3>{texts[dimension]}</h3>
            <Ranked locale={locale} dimension={dimension} shares={shares} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** A note where the shown days are of another zone than the page's, which these numbers use. */
export function PageDays({ locale, stats, page, now_ms }: StatsPageProps) {
  const zones = { tz: stats.tz, page_zone: page.time_zone };
  const begins = pageDayBegins(locale, now_ms, zones);
  if (begins === null) return null;
  return <p class="why wider">{DASHBOARD_TEXTS[locale].by_page_days(begins)}</p>;
}

function withViews(shares: readonly BreakdownShare[]): BreakdownShare[] {
  return shares.filter(({ views }) => views > 0);
}

function Ranked(props: {
  locale: Locale;
  dimension: Dimension;
  shares: readonly BreakdownShare[];
}) {
  const { locale, shares } = props;
  const texts = DASHBOARD_TEXTS[locale];
  if (shares.length === 0) return <p class="why">{texts.nothing_known}</p>;
  const rest = shares.slice(SHOWN_MAX);
  const most = Math.max(...shares.map(({ views }) => views));
  return (
    <>
      <Rows {...props} shares={shares.slice(0, SHOWN_MAX)} most={most} />
      {rest.length > 0 && (
        <details class="rest">
          <summary>{texts.more(rest.length)}</summary>
          <Rows {...props} shares={rest} most={most} />
        </details>
      )}
    </>
  );
}

function Rows(props: {
  locale: Locale;
  dimension: Dimension;
  shares: readonly BreakdownShare[];
  most: number;
}) {
  const { locale, dimension, shares, most } = props;
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
          {has_clicks && <th scope="col">{texts.clicks}</th>}
        </tr>
      </thead>
      <tbody>
        {shares.map((share) => (
          <tr>
            <th scope="row">
              <span class="label">
                <bdi>{nameOf(locale, dimension, share.value)}</bdi>
              </span>
              <Bar part={share.views} whole={most} />
            </th>
            <td>{formatNumber(locale, share.views)}</td>
            {has_clicks && <td>{formatNumber(locale, share.clicks)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The name of a value. Referrers and campaigns are untrusted text, the others are codes. */
export function nameOf(locale: Locale, dimension: Dimension, value: string | null): string {
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
    default:
      return plainText(value) || texts.unknown;
  }
}

/** A code without a name is shown as it is. */
function named(names: Readonly<Record<string, string>>, code: string): string {
  return (Object.hasOwn(names, code) ? names[code] : undefined) ?? plainText(code);
}

function countryName(locale: Locale, code: string): string {
  if (code === TOR) return DASHBOARD_TEXTS[locale].tor;
  try {
    return new Intl.DisplayNames(locale, { type: "region" }).of(code) ?? code;
  } catch {
    // RangeError: not a country code.
    return plainText(code);
  }
}
