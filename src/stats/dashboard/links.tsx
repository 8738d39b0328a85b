/** The page's links, the most clicked first. */
import type { Locale } from "../../views/locale.ts";
import { plainText } from "../../views/plain-text.ts";
import type { LinkStats } from "../stats-shape.ts";
import { Bar } from "./bar.tsx";
import { formatNumber, formatRate } from "./numbers.ts";
import type { SectionProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

export function Links({ locale, stats }: SectionProps) {
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
                  <Label link={link} locale={locale} />
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
                <td data-link-rate>{formatRate(locale, link.clicks, totals.views)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Label(props: { link: LinkStats; locale: Locale }) {
  const { label, removed } = props.link;
  const texts = DASHBOARD_TEXTS[props.locale];
  if (label === null) {
    return (
      <span class="label gone">
        {texts.removed_link} <span class="why">{texts.removed_link_what}</span>
      </span>
    );
  }
  return (
    <span class={removed ? "label gone" : "label"}>
      <bdi>{plainText(label) || texts.unnamed_link}</bdi>
      {removed && <span class="why"> · {texts.removed_link}</span>}
    </span>
  );
}
