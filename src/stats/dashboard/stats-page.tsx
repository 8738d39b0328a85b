/** The statistics of one page: the totals first, then the details. */
import { Icon } from "../../views/icons.tsx";
import { plainText } from "../../views/plain-text.ts";
import { dateAt } from "../calendar.ts";
import { publicAddress, statsAddress } from "./addresses.ts";
import { Audit } from "./audit.tsx";
import { Breakdowns, Campaigns, hasLanguages, PageDays } from "./breakdowns.tsx";
import { Chart } from "./chart.tsx";
import { Colophon, EmptyPeriod, SharePage } from "./footer.tsx";
import { DashboardFrame } from "./frame.tsx";
import { Links } from "./links.tsx";
import type { StatsPageProps } from "./props.ts";
import { Ranges } from "./ranges.tsx";
import { DASHBOARD_TEXTS } from "./texts.ts";
import { ExcludedTraffic, Tiles } from "./tiles.tsx";

/** The whole page, without `<!DOCTYPE html>`. */
export function StatsPage(props: StatsPageProps) {
  const { locale, page, stats, now_ms } = props;
  const { views, clicks, bots, owner, limited } = stats.totals;
  const texts = DASHBOARD_TEXTS[locale];
  const is_live = stats.to >= dateAt(now_ms, stats.tz) && stats.from <= dateAt(now_ms, stats.tz);
  // Bots and the creator's own visits do not count as visits here.
  const is_empty = views + clicks === 0;
  const section = { locale, stats };
  return (
    <DashboardFrame frame={props} title={page.name}>
      <main
        class="dashboard"
        id="numbers"
        tabindex={-1}
        data-locale={locale}
        data-tz={stats.tz}
        data-page={page.page_id}
        data-day={is_live ? dateAt(now_ms, stats.tz) : undefined}
        data-as-of={stats.as_of}
      >
        <Title {...props} />
        {page.status === "suspended" && <p class="card warning">{texts.suspended}</p>}
        <Ranges {...props} />
        <p class="loading" role="status" data-loading />
        <section aria-label={texts.summary}>
          <NumbersStatus {...props} is_live={is_live} />
          <Tiles {...section} />
          {bots + owner + limited > 0 || is_live ? <ExcludedTraffic {...section} /> : null}
        </section>
        {is_empty && <EmptyPeriod {...props} />}
        <div class="details" data-filled hidden={is_empty}>
          <Chart {...props} is_live={is_live} />
          <Links {...section} />
          <Breakdowns {...props} />
          <SharePage {...props} is_wide={hasLanguages(props)} />
          <Campaigns {...section} />
          <PageDays {...props} />
        </div>
        <Colophon {...section} page_id={page.page_id} />
      </main>
    </DashboardFrame>
  );
}

function Title(props: StatsPageProps) {
  const { locale, page } = props;
  const texts = DASHBOARD_TEXTS[locale];
  return (
    <div class="title">
      <h1>
        <bdi>{plainText(page.name)}</bdi>
      </h1>
      <a class="address" href={publicAddress(page.slug)}>
        <span class="sr">{texts.open_page}: </span>
        <bdi dir="ltr">/{plainText(page.slug)}</bdi>
        <Icon name="outward" class="outward" />
      </a>
      <Switcher {...props} />
    </div>
  );
}

/** Whether the numbers are live, and whether they are exact. The script fills both. */
function NumbersStatus(props: StatsPageProps & { is_live: boolean }) {
  const { imported } = props.stats;
  return (
    <div class="numbers-status">
      {props.is_live && (
        <p class="live" role="status" data-live-state="connecting" hidden>
          <span class="dot" aria-hidden="true" />
          <span data-live-words />
        </p>
      )}
      <Audit locale={props.locale} has_imported={imported.views + imported.clicks > 0} />
    </div>
  );
}

/** The menu of the creator's other pages. */
function Switcher(props: StatsPageProps) {
  const { locale, url, page } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const others = props.pages.filter(({ page_id }) => page_id !== page.page_id);
  if (others.length === 0) return null;
  return (
    <details class="switcher">
      <summary class="quiet">
        {texts.other_page}
        <Icon name="down" />
      </summary>
      <ul>
        {others.map(({ page_id, name, slug }) => (
          <li>
            <a href={statsAddress(url, page_id)}>
              <span>
                <bdi>{plainText(name)}</bdi>
              </span>
              <bdi class="address" dir="ltr">
                /{plainText(slug)}
              </bdi>
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
