/** Uses of the page's files and the bytes that were sent, of all time whatever the period. */

import { formatBytes, formatNumber } from "../../views/numbers.ts";
import { changed } from "../addresses.ts";
import { Bar } from "./bar.tsx";
import { LinkName } from "./links.tsx";
import type { StatsPageProps } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

export function Downloads({ locale, url, stats, page, downloads }: StatsPageProps) {
  const texts = DASHBOARD_TEXTS[locale];
  if (downloads.length === 0) return null;
  const links = new Map(stats.links.map((link) => [link.link_id, link]));
  const most = downloads[0]?.uses ?? 0;
  return (
    <section class="card wide" data-downloads={texts.bytes("#")}>
      <h2>{texts.downloads}</h2>
      <p class="why">{texts.downloads_what}</p>
      <table class="ranked">
        <caption class="sr">{texts.downloads}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.file}</th>
            <th scope="col">{texts.downloads}</th>
            <th scope="col">{texts.bytes_sent}</th>
          </tr>
        </thead>
        <tbody>
          {downloads.map(({ link_id, uses, bytes }) => {
            const link = links.get(link_id);
            return (
              <tr data-download={link_id}>
                <th scope="row">
                  <span class="label">
                    {link === undefined ? (
                      texts.removed_link
                    ) : (
                      <a href={changed(url, { link: link_id, filter: null })}>
                        <LinkName {...{ link, locale }} language={page.locale} />
                      </a>
                    )}
                  </span>
                  <Bar part={uses} whole={most} />
                </th>
                <td data-n={uses}>{formatNumber(locale, uses)}</td>
                <td>
                  <span data-n={bytes} title={texts.bytes(formatNumber(locale, bytes))}>
                    {formatBytes(locale, bytes)}
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
