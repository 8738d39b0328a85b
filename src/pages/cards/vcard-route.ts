import { ApiError } from "../../http/api-error.ts";
import type { AppEnv } from "../../http/context.ts";
import { edgeLimit } from "../../http/edge-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { answerRendition, slugOf } from "../cache/rendition.ts";
import { cardPath } from "../document/card-address.ts";
import { Version } from "./vcard.ts";

const PATH = "/vcard/:file{[^/]+\\.vcf}";

export const vcards = new Hono<AppEnv>();

/**
 * A page's card (docs/contract.md section 4): vCard 4.0, or 3.0 with `?v=3`. 200 text/vcard, 304,
 * 308 to the canonical spelling of a page that has one and from a slug that it has given up, 400
 * for another version, 404 PAGE_NOT_FOUND for a page without a contact too, 410 PAGE_SUSPENDED,
 * 429, 503 when it is not cached and D1 fails.
 */
vcards.get(PATH, edgeLimit, async (c) => {
  const { pathname } = new URL(c.req.url);
  const v = Version.safeParse(c.req.query("v"));
  if (!v.success) {
    throw new ApiError("VALIDATION_FAILED", {
      details: { issues: v.error.issues.map(({ message }) => ({ path: "v", message })) },
    });
  }
  const { spelled, slug } = slugOf(pathname.slice("/vcard/".length, -".vcf".length));
  return answerRendition(c, {
    path: cardPath(slug, v.data === "3" ? "3.0" : "4.0"),
    address: cardPath(slug, "4.0"),
    is_canonical: spelled === slug,
  });
});
vcards.all(PATH, onlyMethods("GET"));
