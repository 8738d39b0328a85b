import type { LinkStats } from "../../stats/stats-shape.ts";
import { drawn, inLanguage } from "../../views/drawn-text.ts";
import type { Locale } from "../../views/locale.ts";
import { languageOf, type ReaderLocale } from "../../views/numbering.ts";
import { formatNumber, formatRateInColumn } from "../../views/numbers.ts";
import { plainText } from "../../views/plain-text.ts";
import { changed } from "../addresses.ts";
import { Bar } from "./bar.tsx";
import type { StatsPageProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

export function Links({ locale, url, stats, page }: StatsPageProps) {
  const texts = DASHBOARD_TEXTS[locale];
  const { links, flushed, totals } = stats;
  const most = links[0]?.clicks ?? 0;
  return (
    <section class="card wide">
      <h2>{texts.links}</h2>
      {links.length === 0 ? (
        <p class="why">{texts.no_links}</p>
      ) : (
        <table class="ranked of-clicks" data-links>
          <caption class="sr">{texts.links}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.link}</th>
              <th scope="col">{texts.clicks}</th>
              <th scope="col">{texts.rate}</th>
            </tr>
          </thead>
          <tbody>
            {links.map((link) => (
              <tr>
                <th scope="row">
                  <Label
                    link={link}
                    locale={locale}
                    language={page.locale}
                    href={changed(url, { link: link.link_id, filter: null })}
                  />
                  <Bar part={link.clicks} whole={most} />
                </th>
                <td
                  data-live-link={link.link_id}
                  data-shown={link.clicks}
                  data-flushed={
                    Object.hasOwn(flushed.links, link.link_id) ? flushed.links[link.link_id] : 0
                  }
                >
                  {formatNumber(locale, link.clicks)}
                </td>
                <td data-link-rate>{formatRateInColumn(locale, link.clicks, totals.views)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** A link may have no name, and an old one that was removed no known one. */
export function linkName(locale: ReaderLocale, { label }: LinkStats): string {
  const texts = DASHBOARD_TEXTS[locale];
  return label === null ? texts.removed_link : plainText(label) || texts.unnamed_link;
}

/**
 * `language`: the page's first one. The numbers do not say which labels exist in its other language
 * alone; what is drawn of those has no letter of the first.
 */
export function LinkName(props: { link: LinkStats; locale: ReaderLocale; language: Locale }) {
  const { link, locale } = props;
  const language = plainText(link.label ?? "") === "" ? languageOf(locale) : props.language;
  return <bdi {...inLanguage(language)}>{drawn(linkName(locale, link), language)}</bdi>;
}

function Label(props: { link: LinkStats; locale: ReaderLocale; language: Locale; href: string }) {
  const { link, locale, language, href } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const name = (
    <a href={href}>
      <LinkName {...{ link, locale, language }} />
    </a>
  );
  if (!link.removed) return <span class="label">{name}</span>;
  return (
    <span class="label gone">
      {name}{" "}
      <span class="why">
        {link.label === null ? texts.removed_link_what : `· ${texts.removed_link}`}
      </span>
    </span>
  );
}
