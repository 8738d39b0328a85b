import type { OwnedPage } from "../stats/owned-pages-store.ts";
import { timeAt } from "../views/dates.ts";
import { Icon } from "../views/icons.tsx";
import type { ReaderLocale } from "../views/numbering.ts";
import { counted } from "../views/numbers.ts";
import { OwnName } from "../views/own-name.tsx";
import { plainText, truncated } from "../views/plain-text.ts";
import { editAddress, publicAddress, statsAddress } from "./addresses.ts";
import { CopyButton } from "./copy-button.tsx";
import { PAGES_TEXTS } from "./pages-texts.ts";

interface CardProps {
  page: OwnedPage;
  locale: ReaderLocale;
  url: URL;
  tz: string;
}

const SLUG_MAX_CHARACTERS = 60;

export function PageCard(props: CardProps) {
  const { page, locale, url } = props;
  if (page.ends_at !== null) return <DeletedPage {...props} ends_at={page.ends_at} />;
  const texts = PAGES_TEXTS[locale];
  const stats = statsAddress(url, page.page_id);
  return (
    <article class="card owned-page">
      <Name
        page={page}
        badge={page.status === "published" ? null : texts[page.status]}
        href={stats}
      />
      {page.status !== "published" && <p class="why">{texts[`${page.status}_what`]}</p>}
      {page.takedown_reason && (
        <p class="why">
          {texts.takedown_reason} <bdi>{plainText(page.takedown_reason)}</bdi>
        </p>
      )}
      {page.status === "draft" && page.is_new && (
        <p class="owned-next">
          {/* The steps of a new page go on where its creator left them. */}
          <a class="primary" href={`${editAddress(url, page.page_id)}#start`}>
            {texts.finish}
            <Of page={page} />
          </a>
        </p>
      )}
      <dl class="lately">
        <Lately label={texts.today} counts={page.today} locale={locale} />
        <Lately label={texts.last_30_days} counts={page.month} locale={locale} />
      </dl>
      <Actions {...props} stats={stats} />
    </article>
  );
}

function Actions({ page, locale, url, stats }: CardProps & { stats: string }) {
  const texts = PAGES_TEXTS[locale];
  const address = publicAddress(page.slug);
  return (
    <p class="owned-actions">
      <a class="quiet" href={stats}>
        <Icon name="chart" />
        {texts.statistics}
        <Of page={page} />
      </a>
      {page.status !== "suspended" && (
        <a class="quiet" href={editAddress(url, page.page_id)}>
          <Icon name="edit" />
          {texts.edit}
          <Of page={page} />
        </a>
      )}
      {page.status === "published" && (
        <>
          <a class="quiet" href={address}>
            <Icon name="outward" class="outward" />
            {texts.open}
            <Of page={page} />
          </a>
          <CopyButton locale={locale} text={new URL(address, url).href} />
        </>
      )}
    </p>
  );
}

/** Tells screen readers the page's name: otherwise all pages' links would sound the same. */
function Of({ page }: { page: OwnedPage }) {
  return (
    <span class="sr">
      {" "}
      <OwnName page={page} />
    </span>
  );
}

/** The page can be brought back until its end; the script shows the button. */
function DeletedPage({ page, locale, tz, ends_at }: CardProps & { ends_at: number }) {
  const texts = PAGES_TEXTS[locale];
  return (
    <article class="card owned-page deleted">
      <Name page={page} badge={texts.deleted} href={null} />
      <p class="why">{texts.deleted_what(timeAt(locale, ends_at, tz))}</p>
      <button
        class="quiet"
        type="button"
        data-undelete={`/api/me/pages/${encodeURIComponent(page.page_id)}/undelete`}
        hidden
      >
        <Icon name="undo" />
        <span data-words>{texts.undelete}</span>
        <Of page={page} />
      </button>
    </article>
  );
}

function Name(props: { page: OwnedPage; badge: string | null; href: string | null }) {
  const { page, badge, href } = props;
  const name = <OwnName page={page} />;
  return (
    <>
      <h2 class="owned-name">
        {href === null ? (
          <span>{name}</span>
        ) : (
          <a href={href}>
            {/* Without this the grid would make a block of the isolate, with its own alignment. */}
            <span>{name}</span>
          </a>
        )}
        {badge !== null && (
          <span class={page.ends_at === null ? `badge is-${page.status}` : "badge"}>{badge}</span>
        )}
      </h2>
      <bdi class="address" dir="ltr">
        /{truncated(page.slug, SLUG_MAX_CHARACTERS)}
      </bdi>
    </>
  );
}

function Lately(props: { label: string; counts: OwnedPage["today"]; locale: ReaderLocale }) {
  const { label, counts, locale } = props;
  return (
    <div class="lately-days">
      <dt class="lately-label">{label}</dt>
      <dd class="lately-count of-views">{counted(locale, "view", counts.views)}</dd>
      <dd class="lately-count of-clicks">{counted(locale, "click", counts.clicks)}</dd>
    </div>
  );
}
