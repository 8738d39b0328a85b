import type { Context } from "hono";
import { allowsLoopback } from "../../../objects/platform/local-setting.ts";
import { callable, isLoopback, PAGE_RULES } from "../../../objects/platform/public-address.ts";
import { chargeDay } from "../../accounts/day-limit.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { readJson } from "../../http/body.ts";
import { siteOrigin } from "../../http/config.ts";
import { callDependency } from "../../http/dependency.ts";
import { READ_PAGE_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { plainText } from "../../views/plain-text.ts";
import { FETCH_READ_TIMEOUT_MS, FETCH_TIMEOUT_MS, READ_PAGE_BODY_BYTES_MAX } from "./limits.ts";
import { PAGE_FAULTS, type PageFault } from "./page-faults.ts";
import type { OutsidePicture } from "./read-outside.ts";
import { ReadPageInput } from "./read-page-schema.ts";
import { withScheme } from "./with-scheme.ts";

export const readingPages = new Hono<SignedIn>();

readingPages.use(READ_PAGE_PATH, exactLimit);

/**
 * Reads the page that a creator has elsewhere, for a preview: its name, picture and links (docs/contract.md section
 * 10). Stores nothing. The workshop fetches it, by the rules of docs/security.md S27; a page and its picture are one
 * fetch each of the user's day.
 *
 * 200 `{ok, address, name, bio, picture: {type, data} | null, links: [{label, url, kind?}], left_out}`, `data` in
 * base64. 400 VALIDATION_FAILED for what is no address of a public host; 422 PAGE_UNREADABLE with `{reason, text,
 * text_en}`; 401, 403 CSRF_REQUIRED, 413, 415, 429, 503.
 */
readingPages.post(READ_PAGE_PATH, privateRoute, async (c) => {
  const input = await readJson(c.req.raw, ReadPageInput, READ_PAGE_BODY_BYTES_MAX);
  const limits = { own_hosts: ownHosts(c), allows_loopback: allowsLoopback(c.env) };
  const address = addressIn(input.address, limits.allows_loopback);
  if (limits.own_hosts.includes(address.host)) throw unreadable("own_page");
  await chargeDay(c, { page_reads_day: 1 });
  const ends_at = Date.now() + FETCH_TIMEOUT_MS;
  const { page, fault } = await callDependency(
    "page_read_failed",
    () => c.env.WORKSHOP.readPage(address.href, limits, FETCH_TIMEOUT_MS),
    FETCH_READ_TIMEOUT_MS,
  );
  if (page === null) throw unreadable(fault ?? "failed");
  const { picture_address, ...read } = page;
  const picture =
    picture_address === null
      ? null
      : await pictureAt(c, picture_address, limits, ends_at - Date.now());
  return c.json({
    ok: true,
    ...read,
    picture: picture && { type: picture.type, data: picture.bytes.toBase64() },
  });
});
readingPages.all(READ_PAGE_PATH, onlyMethods("POST"));

/** A page is worth reading without its picture, whatever that fails by. */
async function pictureAt(
  c: Context<SignedIn>,
  address: string,
  limits: { own_hosts: string[]; allows_loopback: boolean },
  time_ms: number,
): Promise<OutsidePicture | null> {
  if (time_ms <= 0) return null;
  try {
    await chargeDay(c, { page_reads_day: 1 });
    return await callDependency(
      "page_read_failed",
      () => c.env.WORKSHOP.readPagePicture(address, limits, time_ms),
      FETCH_READ_TIMEOUT_MS,
    );
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function ownHosts(c: Context<SignedIn>): string[] {
  const site = URL.parse(siteOrigin(c.env))?.host;
  return [new URL(c.req.url).host, ...(site === undefined ? [] : [site])];
}

const INVISIBLE = /[\u200b\u2060\ufeff\u00ad]/g;

/** As lenient as the editor's field for a link: the scheme may be missing. */
function addressIn(text: string, allows_loopback: boolean): URL {
  const url = URL.parse(withScheme(plainText(text).replace(INVISIBLE, "").trim()) ?? "");
  if (url?.protocol === "http:" && !(allows_loopback && isLoopback(url))) url.protocol = "https:";
  const called = url && callable(url.href, { ...PAGE_RULES, allows_loopback });
  if (called !== null) return called;
  const issues = [{ path: "address", message: "the https address of a page at a public host" }];
  throw new ApiError("VALIDATION_FAILED", { details: { issues } });
}

function unreadable(reason: PageFault): ApiError {
  const { ar, en } = PAGE_FAULTS[reason];
  return new ApiError("PAGE_UNREADABLE", { details: { reason, text: ar, text_en: en } });
}
