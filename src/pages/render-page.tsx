/** Bio pages as HTML. */
import { withTimeout } from "../../objects/platform/clock.ts";
import { utf8 } from "../http/bytes.ts";
import { decodeSegment } from "../http/ids.ts";
import { BioPage } from "./bio-page.tsx";
import { absentPage, PAGE_FRESHNESS, STORE_TIMEOUT_MS, strongEtag, tagOf } from "./freshness.ts";
import { findPageBySlug } from "./pages-store.ts";

/** `/<canonical slug>`: 200; 404 if there is no such page, 410 if it is suspended. */
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
