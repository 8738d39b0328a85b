/** A bio page as HTML: 200, 404 where there is none, 410 where it is suspended. */
import { withTimeout } from "../../objects/clock.ts";
import { utf8 } from "../bytes.ts";
import { decodeSegment } from "../ids.ts";
import { findPageBySlug } from "../stores/pages.ts";
import { BioPage } from "../views/bio-page.tsx";
import { absentPage, PAGE_FRESHNESS, STORE_TIMEOUT_MS, strongEtag, tagOf } from "./freshness.ts";

/** The page at `/<canonical slug>`. */
export async function renderPage(
  env: Cloudflare.Env,
  { pathname, origin }: URL,
): Promise<Response> {
  const slug = decodeSegment(pathname.slice(1)) ?? "";
  const page = await withTimeout(findPageBySlug(env.DB, slug), STORE_TIMEOUT_MS);
  if (page?.status !== "published") return absentPage(page);
  const html = utf8(`<!DOCTYPE html>${(<BioPage page={page} origin={origin} />).toString()}`);
  return new Response(html, {
    headers: {
      ...PAGE_FRESHNESS,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Language": page.locale,
      "Cache-Control": "public, max-age=0",
      "Cache-Tag": tagOf(page.page_id),
      ETag: await strongEtag(html),
    },
  });
}
