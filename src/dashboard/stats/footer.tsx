import { timeAt } from "../../views/dates.ts";
import { Icon } from "../../views/icons.tsx";
import { languageOf } from "../../views/numbering.ts";
import { plainText } from "../../views/plain-text.ts";
import { publicAddress } from "../addresses.ts";
import { CopyButton } from "../copy-button.tsx";
import { QrCode } from "../qr-code.tsx";
import { csvAddress, qrAddress } from "./addresses.ts";
import type { SectionProps, StatsPageProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

export function EmptyPeriod(props: StatsPageProps) {
  const texts = DASHBOARD_TEXTS[props.locale];
  return (
    <section class="card share empty" data-empty>
      {isPublic(props) && <Code {...props} />}
      <div class="share-words">
        <h2>{props.range === "today" ? texts.empty_today : texts.empty}</h2>
        {isPublic(props) && (
          <>
            <p>{texts.empty_why}</p>
            <Address {...props} />
          </>
        )}
      </div>
    </section>
  );
}

/** Nothing while nobody can see the page. `is_wide` where it has a row of its own. */
export function SharePage(props: StatsPageProps & { is_wide: boolean }) {
  const texts = DASHBOARD_TEXTS[props.locale];
  if (!isPublic(props)) return null;
  return (
    <section class={props.is_wide ? "card share wider" : "card share"}>
      <Code {...props} />
      <div class="share-words">
        <h2>{texts.share}</h2>
        <Address {...props} />
      </div>
    </section>
  );
}

function isPublic({ page }: StatsPageProps): boolean {
  return page.status === "published";
}

/** Part of the page, because a picture would be one more request of a reader's minute. */
function Code({ locale, page, origin, qr }: StatsPageProps) {
  if (qr === null) return null;
  const title = DASHBOARD_TEXTS[locale].qr_of(addressOf(page.slug, origin));
  return (
    <div class="code">
      <QrCode drawing={qr} title={title} />
    </div>
  );
}

function Address({ locale, page, origin }: StatsPageProps) {
  const texts = DASHBOARD_TEXTS[locale];
  return (
    <>
      <p class="address">
        <a href={publicAddress(page.slug)}>
          <bdi dir="ltr">{addressOf(page.slug, origin)}</bdi>
        </a>
      </p>
      <a class="quiet" href={qrAddress(page.page_id)} download={`sila-${page.page_id}.svg`}>
        <Icon name="save" />
        {texts.qr_download}
      </a>
      <CopyButton locale={locale} text={fullAddress(page.slug, origin)} />
    </>
  );
}

function fullAddress(slug: string, origin: string): string {
  return new URL(publicAddress(slug), origin).href;
}

/** People read the address without a scheme and without percent-encoding. */
function addressOf(slug: string, origin: string): string {
  return `${new URL(origin).host}/${plainText(slug)}`;
}

export function Colophon(props: SectionProps & { page_id: string }) {
  const { locale, stats, page_id } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const { views, clicks } = stats.imported;
  return (
    <footer class="colophon">
      <a class="quiet" href={csvAddress(page_id, stats, languageOf(locale))} download>
        <Icon name="save" />
        {texts.csv}
      </a>
      <p>
        <time datetime={stats.as_of}>
          {texts.as_of(timeAt(locale, Date.parse(stats.as_of), stats.tz))}
        </time>
        {" · "}
        {texts.time_zone} <bdi dir="ltr">{stats.tz}</bdi>
      </p>
      {views + clicks > 0 && <p>{texts.imported(views, clicks)}</p>}
    </footer>
  );
}
