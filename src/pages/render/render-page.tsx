import { utf8 } from "../../http/bytes.ts";
import { freshnessUntil, nextChange, strongEtag, tagOf } from "../cache/freshness.ts";
import { pagePath } from "../document/page-address.ts";
import { restoreAccentSheet } from "./accent-sheets.ts";
import { BioPage } from "./bio-page.tsx";
import { pageAt } from "./shown-page.ts";

/**
 * `/<canonical slug>`, or with `/<locale>` behind it: 200; 308 if the page has given the slug up,
 * or if the locale is its default one; 404 if there is no such page or it lacks the language, 410
 * if it is suspended.
 */
export async function renderPage(
  env: Cloudflare.Env,
  { pathname, origin }: URL,
): Promise<Response> {
  const found = await pageAt(env.DB, pathname, pagePath);
  if (found instanceof Response) return found;
  const { page, locale } = found;
  await restoreAccentSheet(env.MEDIA, page);
  // After D1, so as close as possible to the time at which the edge stores the page.
  const now = Date.now();
  const document = (
    <BioPage page={page} locale={locale} origin={origin} now={now} is_preview={false} />
  );
  const html = utf8(`<!DOCTYPE html>${document.toString()}`);
  return new Response(html, {
    headers: {
      ...freshnessUntil(nextChange(page.links, now), now),
      "Content-Type": "text/html; charset=utf-8",
      "Content-Language": locale,
      "Cache-Control": "public, max-age=0",
      "Cache-Tag": tagOf(page.page_id),
      ETag: await strongEtag(html),
    },
  });
}
