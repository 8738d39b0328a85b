/** The contact cards of pages (docs/contract.md section 4). */
import { Hono } from "hono";
import { ApiError } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import type { AppEnv } from "../http/context.ts";
import { edgeLimit } from "../http/edge-limit.ts";
import { onlyMethods } from "../http/methods.ts";
import { fetchRendition, slugOf } from "./rendition.ts";
import { cardPath, Version } from "./vcard.ts";

const PATH = "/vcard/:file{[^/]+\\.vcf}";

export const vcards = new Hono<AppEnv>();

/**
 * A page's card: vCard 4.0, or 3.0 with `?v=3`. 200 text/vcard, 304, 308 to the canonical spelling
 * of a page that has one, 400 for another version, 404 PAGE_NOT_FOUND for a page without a contact
 * too, 410 PAGE_SUSPENDED, 429, 503 when it is not cached and D1 fails.
 */
vcards.get(PATH, edgeLimit, async (c) => {
  const { pathname, search } = new URL(c.req.url);
  const v = Version.safeParse(c.req.query("v"));
  if (!v.success) {
    throw new ApiError("VALIDATION_FAILED", {
      details: { issues: v.error.issues.map(({ message }) => ({ path: "v", message })) },
    });
  }
  const { spelled, slug } = slugOf(pathname.slice("/vcard/".length, -".vcf".length));
  const response = await fetchRendition(c, cardPath(slug, v.data === "3" ? "3.0" : "4.0"));
  if (spelled !== slug) {
    const Location = cardPath(slug, "4.0") + search;
    return c.body(null, 308, { Location, "Cache-Control": "public, max-age=300" });
  }
  return conditional(c, response);
});
vcards.all(PATH, onlyMethods("GET"));
