/** The list of the creator's pages with their recent counts: the first page after signing in. */
import { Icon, Mark } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { plainText, truncated } from "../../views/plain-text.ts";
import type { OwnedPage } from "../owned-pages-store.ts";
import type { Counts } from "../stats-shape.ts";
import { statsAddress } from "./addresses.ts";
import { DashboardFrame } from "./frame.tsx";
import { counted } from "./numbers.ts";
import type { PagesPageProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

const SLUG_MAX_CHARACTERS = 60;

/** The whole page, without `<!DOCTYPE html>`. */
export function PagesPage(props: PagesPageProps) {
  const { locale, url, pages } = props;
  const texts = DASHBOARD_TEXTS[locale];
  return (
    <DashboardFrame frame={props} title={texts.my_pages}>
      <main class="dashboard" id="numbers" tabindex={-1} data-locale={locale}>
        <h1>{texts.my_pages}</h1>
        {pages.length === 0 ? (
          <section class="card nothing">
            <Mark />
            <h2>{texts.no_pages}</h2>
            <p>{texts.no_pages_why}</p>
          </section>
        ) : (
          <ul class="owned">
            {pages.map((page) => (
              <li>
                <PageCard page={page} locale={locale} href={statsAddress(url, page.page_id)} />
              </li>
            ))}
          </ul>
        )}
      </main>
    </DashboardFrame>
  );
}

function PageCard(props: { page: OwnedPage; locale: Locale; href: string }) {
  const { page, locale, href } = props;
  const texts = DASHBOARD_TEXTS[locale];
  return (
    <a class="card owned-page" href={href}>
      <span class="owned-name">
        <span>
          <bdi>{plainText(page.name)}</bdi>
        </span>
        {page.status === "draft" && <span class="badge">{texts.draft_mark}</span>}
        {page.status === "suspended" && <span class="badge">{texts.suspended_mark}</span>}
        <Icon name="onward" class="onward" />
      </span>
      <bdi class="address" dir="ltr">
        /{truncated(page.slug, SLUG_MAX_CHARACTERS)}
      </bdi>
      <span class="lately">
        <Lately label={texts.today} counts={page.today} locale={locale} />
        <Lately label={texts.last_30_days} counts={page.month} locale={locale} />
      </span>
    </a>
  );
}

function Lately(props: { label: string; counts: Counts; locale: Locale }) {
  const { label, counts, locale } = props;
  return (
    <span class="lately-days">
      <span class="lately-label">{label}</span>
      <span class="lately-count of-views">{counted(locale, "view", counts.views)}</span>
      <span class="lately-count of-clicks">{counted(locale, "click", counts.clicks)}</span>
    </span>
  );
}
