import type { OwnedPage } from "../stats/owned-pages-store.ts";
import { assetUrl } from "../views/assets.ts";
import { Icon, Mark } from "../views/icons.tsx";
import { numberingOf } from "../views/numbering.ts";
import { newPageAddress } from "./addresses.ts";
import { DashboardFrame, type Frame } from "./dashboard-frame.tsx";
import { PageCard } from "./page-card.tsx";
import { PAGES_TEXTS } from "./pages-texts.ts";

export interface PagesPageProps extends Frame {
  pages: readonly OwnedPage[];
  pages_max: number;
}

export function PagesPage(props: PagesPageProps) {
  const { locale, url, tz, pages } = props;
  const texts = PAGES_TEXTS[locale];
  return (
    <DashboardFrame
      frame={props}
      title={texts.title}
      main_id="pages"
      head={<script defer src={assetUrl("pages.js")} />}
    >
      <main class="dashboard" id="pages" tabindex={-1} data-locale={locale}>
        <div class="title">
          <h1>{texts.title}</h1>
          {pages.length > 0 && <NewPage {...props} />}
        </div>
        {pages.length === 0 ? (
          <FirstPage {...props} />
        ) : (
          <ul class="owned">
            {pages.map((page) => (
              <li>
                <PageCard {...{ page, locale, url, tz }} />
              </li>
            ))}
          </ul>
        )}
      </main>
    </DashboardFrame>
  );
}

/** A full plan is said in words: a link that only looks faint would not say why. */
function NewPage({ locale, url, pages, pages_max }: PagesPageProps) {
  const texts = PAGES_TEXTS[locale];
  const words = (
    <>
      <Icon name="plus" />
      {texts.new_page}
    </>
  );
  if (pages.filter(({ ends_at }) => ends_at === null).length < pages_max) {
    return (
      <a class="primary new-page" href={newPageAddress(url)}>
        {words}
      </a>
    );
  }
  return (
    <p class="new-page no-room">
      <span class="why">{texts.plan_full(pages_max)}</span>
      {/* A link without an address, as HTML has no disabled one. */}
      {/* biome-ignore lint/a11y/useValidAnchor: it leads nowhere on purpose */}
      <a class="primary" role="link" aria-disabled="true">
        {words}
      </a>
    </p>
  );
}

function FirstPage({ locale, url }: PagesPageProps) {
  const texts = PAGES_TEXTS[locale];
  return (
    <section class="card nothing">
      <Mark />
      <h2>{texts.none}</h2>
      <p>{texts.none_why}</p>
      <ol class={numberingOf(locale) === "arab" ? "first-steps in-arabic" : "first-steps"}>
        {texts.none_steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
      <a class="primary" href={newPageAddress(url)}>
        {texts.first_page}
      </a>
    </section>
  );
}
