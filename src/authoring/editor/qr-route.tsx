import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { QrCode } from "../../dashboard/qr-code.tsx";
import { ApiError } from "../../http/api-error.ts";
import { callDependency } from "../../http/dependency.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { defaultLocale } from "../../pages/document/page-words.ts";
import { shareAddress } from "../../pages/document/share-address.ts";
import { requirePage } from "../own-pages.ts";
import { QrQuery } from "./qr-query.ts";

const PATH = "/dashboard/pages/:page_id/qr.svg";

export const qr = new Hono<SignedIn>();

qr.use(PATH, exactLimit);

/**
 * The page's address as a QR code, for the place `?source=` and in the language `?lang=`. 200
 * image/svg+xml; 400, 401, 404 also for a language that the page lacks, 429, 502, 503, 504.
 */
qr.get(PATH, privateRoute, async (c) => {
  const { source = null, lang } = validate(QrQuery, c.req.query());
  const page = await requirePage(c, ownerAndPage(c));
  const locale = lang ?? defaultLocale(page);
  if (!page.locales.includes(locale)) throw new ApiError("PAGE_NOT_FOUND");
  const { origin } = new URL(c.req.url);
  const address = shareAddress(origin, page, locale, source);
  const drawing = await callDependency("qr_code_failed", () => c.env.WORKSHOP.qrCode(address));
  const svg = <QrCode drawing={drawing} title={address} />;
  return c.body(`${svg}`, 200, { "Content-Type": "image/svg+xml" });
});
qr.all(PATH, onlyMethods("GET"));
