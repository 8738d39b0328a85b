import { ownerAndPage } from "../accounts/owner-and-page.ts";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { PREVIEW_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { defaultLocale } from "../pages/document/page-words.ts";
import { BioPage } from "../pages/render/bio-page.tsx";
import { requirePage } from "./own-pages.ts";
import { PreviewQuery } from "./preview-query.ts";

export const preview = new Hono<SignedIn>();

preview.use(PREVIEW_PATH, exactLimit);

/**
 * The saved page as visitors would see it now, in any status; `?lang=` is by default the page's default
 * language (docs/contract.md section 10). Nothing on it is counted, and it may stand in a frame of this
 * site. 200 text/html; 400 for another language, 404 also for a language that the page lacks.
 */
preview.get(PREVIEW_PATH, privateRoute, async (c) => {
  const { lang } = validate(PreviewQuery, c.req.query());
  const page = await requirePage(c, ownerAndPage(c));
  const locale = lang ?? defaultLocale(page);
  if (!page.locales.includes(locale)) throw new ApiError("PAGE_NOT_FOUND");
  const { origin } = new URL(c.req.url);
  c.set("policy", "embeddable");
  const now = Date.now();
  return c.html(
    `<!DOCTYPE html>${<BioPage page={page} locale={locale} origin={origin} now={now} is_preview />}`,
  );
});
preview.all(PREVIEW_PATH, onlyMethods("GET"));
