import { PRESENT_STEP_MS } from "../../../objects/page/tables/present.ts";
import { dateAt } from "../../stats/calendar.ts";
import type { LinkStats, ValueTrend } from "../../stats/stats-shape.ts";
import { assetUrl } from "../../views/assets.ts";
import { timeAt } from "../../views/dates.ts";
import { Icon } from "../../views/icons.tsx";
import { OwnName } from "../../views/own-name.tsx";
import { plainText } from "../../views/plain-text.ts";
import { publicAddress, statsAddress, subscribersAddress, webhooksAddress } from "../addresses.ts";
import { DashboardFrame } from "../dashboard-frame.tsx";
import { editAddress } from "./addresses.ts";
import { Behind, UsedUp } from "./behind.tsx";
import { Chart } from "./chart.tsx";
import { Downloads } from "./downloads.tsx";
import { Audit } from "./exact-mark.tsx";
import { Colophon, EmptyPeriod, SharePage } from "./footer.tsx";
import { Links } from "./links.tsx";
import { LinkPart, shownLink, ValuePart } from "./part.tsx";
import { PART_TEXTS } from "./part-texts.ts";
import type { StatsPageProps } from "./props.ts";
import { Ranges } from "./ranges.tsx";
import { Breakdowns, Campaigns, hasLanguages, OneBreakdown, PageDays } from "./ranked-lists.tsx";
import { DASHBOARD_TEXTS } from "./texts.ts";
import { ExcludedTraffic, LinkTiles, Tiles, ValueTiles } from "./tiles.tsx";
import { Tips } from "./tips-part.tsx";

export function StatsPage(props: StatsPageProps) {
  const { locale, page, stats, now_ms, used_up_at } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const today = dateAt(now_ms, stats.tz);
  const is_live = stats.filter === null && stats.to >= today && stats.from <= today;
  const link = shownLink(stats);
  return (
    <DashboardFrame
      frame={props}
      title={page.name}
      main_id="numbers"
      head={
        <>
          <link rel="stylesheet" href={assetUrl("dashboard.css")} />
          <script defer src={assetUrl("dashboard.js")} />
        </>
      }
    >
      <main
        class="dashboard"
        id="numbers"
        tabindex={-1}
        data-locale={locale}
        data-tz={stats.tz}
        data-page={page.page_id}
        data-link={link?.link_id}
        data-day={is_live ? today : undefined}
        data-as-of={stats.as_of}
      >
        <Title {...props} />
        {page.status === "suspended" && (
          <p class="card warning">
            {texts.suspended}
            {page.takedown_reason && (
              <>
                {" "}
                {texts.takedown_reason} <bdi>{plainText(page.takedown_reason)}</bdi>
              </>
            )}
          </p>
        )}
        {page.status === "draft" && (
          <p class="card">
            {texts.draft}{" "}
            <a class="primary" href={editAddress(page.page_id)}>
              {texts.publish}
            </a>
          </p>
        )}
        {used_up_at !== null && <UsedUp locale={locale} tz={stats.tz} at_ms={used_up_at} />}
        <Behind locale={locale} stats={stats} />
        <Ranges {...props} />
        <p class="loading" role="status" data-loading />
        {stats.filter !== null ? (
          <OneValue {...props} filter={stats.filter} />
        ) : link !== null ? (
          <OneLink {...props} link={link} is_live={is_live} />
        ) : (
          <Everything {...props} is_live={is_live} />
        )}
        <Colophon locale={locale} stats={stats} page_id={page.page_id} />
      </main>
    </DashboardFrame>
  );
}

function Everything(props: StatsPageProps & { is_live: boolean }) {
  const { locale, stats, is_live } = props;
  const { views, clicks, bots, owner, limited } = stats.totals;
  // Bots and the creator's own visits do not count as visits here.
  const is_empty = views + clicks === 0;
  const section = { locale, stats };
  return (
    <>
      <section aria-label={DASHBOARD_TEXTS[locale].summary}>
        <NumbersStatus {...props} />
        <Tiles {...props} />
        {bots + owner + limited > 0 || is_live ? <ExcludedTraffic {...section} /> : null}
      </section>
      {is_empty && <EmptyPeriod {...props} />}
      <Tips {...props} />
      <div class="details" data-filled hidden={is_empty}>
        <Chart {...props} />
        <Links {...props} />
        <Downloads {...props} />
        <Breakdowns {...props} />
        <SharePage {...props} is_wide={hasLanguages(props)} />
        <Campaigns {...props} />
        <PageDays {...props} />
      </div>
    </>
  );
}

function OneLink(props: StatsPageProps & { link: LinkStats; is_live: boolean }) {
  return (
    <>
      <LinkPart {...props} />
      <section aria-label={DASHBOARD_TEXTS[props.locale].summary}>
        <NumbersStatus {...props} />
        <LinkTiles {...props} />
      </section>
      <div class="details">
        <Chart {...props} />
      </div>
    </>
  );
}

/** No more is stored of a value. */
function OneValue(props: StatsPageProps & { filter: ValueTrend }) {
  const { dimension } = props.filter;
  return (
    <>
      <ValuePart {...props} />
      <section aria-label={DASHBOARD_TEXTS[props.locale].summary}>
        <ValueTiles {...props} />
      </section>
      <div class="details">
        <Chart {...props} is_live={false} />
        <OneBreakdown {...props} dimension={dimension} />
        <PageDays {...props} />
      </div>
    </>
  );
}

function Title(props: StatsPageProps) {
  const { locale, page } = props;
  const texts = DASHBOARD_TEXTS[locale];
  return (
    <div class="title">
      <h1>
        <OwnName page={page} />
      </h1>
      {page.status === "published" ? (
        <a class="address" href={publicAddress(page.slug)}>
          <span class="sr">{texts.open_page}: </span>
          <bdi dir="ltr">/{plainText(page.slug)}</bdi>
          <Icon name="outward" class="outward" />
        </a>
      ) : (
        <bdi class="address" dir="ltr">
          /{plainText(page.slug)}
        </bdi>
      )}
      <a class="quiet edit-page" href={editAddress(page.page_id)}>
        {PART_TEXTS[locale].edit_page}
      </a>
      <a class="quiet" href={subscribersAddress(props.url, page.page_id)}>
        <Icon name="mail" />
        {PART_TEXTS[locale].subscribers}
        {/* The script writes their number there. */}
        <strong data-subscribers hidden />
      </a>
      <a class="quiet" href={webhooksAddress(props.url, page.page_id)}>
        <Icon name="share" />
        {PART_TEXTS[locale].webhooks}
      </a>
      <Switcher {...props} />
    </div>
  );
}

/** The script says here whether the numbers are live, and whether they are exact. */
function NumbersStatus(props: StatsPageProps & { is_live: boolean }) {
  const { locale, audit, now_ms } = props;
  const { imported, tz } = props.stats;
  const time = timeAt(locale, now_ms, tz);
  return (
    <div class="numbers-status">
      {props.is_live && (
        <p class="live" role="status" data-live-state="connecting" hidden>
          <span class="dot" aria-hidden="true" />
          <span data-live-words />
        </p>
      )}
      {props.is_live && (
        <p data-present={PART_TEXTS[locale].present} data-step={PRESENT_STEP_MS} hidden />
      )}
      <Audit {...{ locale, audit, time }} has_imported={imported.views + imported.clicks > 0} />
    </div>
  );
}

function Switcher(props: StatsPageProps) {
  const { locale, url, page } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const others = props.pages.filter(({ page_id }) => page_id !== page.page_id);
  if (others.length === 0) return null;
  return (
    <details class="menu" data-menu>
      <summary class="quiet">
        {texts.other_page}
        <Icon name="down" />
      </summary>
      <ul class="menu-panel">
        {others.map((other) => (
          <li>
            <a class="menu-item" href={statsAddress(url, other.page_id)}>
              <span>
                <OwnName page={other} />
              </span>
              <bdi class="address" dir="ltr">
                /{plainText(other.slug)}
              </bdi>
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
