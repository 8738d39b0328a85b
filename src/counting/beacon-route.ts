/**
 * Beacon and pixel: views and clicks from page scripts and `<noscript>`
 * (docs/contract.md sections 4 and 5). Each costs at most one call to a limiter and one to a page.
 */

import { withTimeout } from "../../objects/platform/clock.ts";
import type { Decision } from "../http/admission.ts";
import { ApiError } from "../http/api-error.ts";
import { readJson } from "../http/body.ts";
import { type AppContext, type AppEnv, timersOf } from "../http/context.ts";
import { CORS_HEADERS, cors } from "../http/cors.ts";
import { BEACON_PATH } from "../http/endpoints.ts";
import {
  charge,
  chargeOrRefuse,
  exactLimit,
  limitOf,
  policyOf,
  refusal,
} from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { Id } from "../http/ids.ts";
import { onlyMethods } from "../http/methods.ts";
import { preparedHeaders } from "../http/security-headers.ts";
import { Beacon, Language } from "./beacon-schema.ts";
import type { Claims } from "./classify.ts";
import { BEACON_BYTES_MAX, REFUSED_BODY_MS, UTM_CHARS_MAX } from "./limits.ts";
import { beaconEvent, OUTCOME_HEADER, queueLimited, record, usedUp } from "./record.ts";
import type { Counted } from "./recorder.ts";

const PIXEL_PATH = "/p/:file{[^/]+\\.gif}";
const SCOPE = "public";

/** A transparent GIF of one pixel, 43 bytes. */
const PIXEL = Uint8Array.fromBase64("R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==");

const OK = JSON.stringify({ ok: true });
const COUNTED = {
  "Content-Type": "application/json",
  ...CORS_HEADERS,
  "RateLimit-Policy": policyOf(SCOPE),
  [OUTCOME_HEADER]: "counted",
};
const ACCEPTED = preparedHeaders("https:", COUNTED);
const ACCEPTED_BY_HTTP = preparedHeaders("http:", COUNTED);

export const beacon = new Hono<AppEnv>();

beacon.use(BEACON_PATH, cors("POST"));
beacon.use(PIXEL_PATH, cors("GET"));

/**
 * The beacon. 202 `{"ok":true}` with `X-Beacon-Outcome: counted` or `duplicate`; 400, 404, 410,
 * 413, 415, 429, or 503: then nothing was acknowledged, and the client may retry with the same
 * event id.
 */
beacon.post(BEACON_PATH, async (c) => {
  // A day's events are limited for the sake of cost, so the limiter is not called first.
  const over = usedUp(c);
  if (over !== null) throw over;
  const decision = await charge(c, SCOPE);
  const reading = readJson(c.req.raw, Beacon, BEACON_BYTES_MAX, timersOf(c));
  if (decision?.admitted === false) {
    // The page counts the refused event as limited. The 429 does not wait long for the body,
    // because its `Retry-After` would be wrong by then.
    const body = await withTimeout(reading, REFUSED_BODY_MS).catch((): Partial<Beacon> => ({}));
    if (body.page_id !== undefined) queueLimited(c, body.page_id, body.link_id ?? "");
    throw refusal(SCOPE, decision);
  }
  const { page_id, link_id = "", event_id, ...claims } = await reading;
  const event = beaconEvent(c, page_id, link_id, event_id, claims);
  const { outcome } = await record(c, page_id, event);
  return accepted(c, decision, outcome);
});
beacon.all(BEACON_PATH, exactLimit, onlyMethods("POST"));

/** The headers of the 202 are prepared, because they are most of its cost. */
function accepted(c: AppContext, decision: Decision | null, outcome: Counted["outcome"]): Response {
  c.set("hasAllHeaders", true);
  const headers = new Headers(c.req.url.startsWith("https:") ? ACCEPTED : ACCEPTED_BY_HTTP);
  if (decision === null) headers.delete("RateLimit-Policy");
  else headers.set("RateLimit", limitOf(SCOPE, decision));
  if (outcome !== "counted") headers.set(OUTCOME_HEADER, outcome);
  headers.set("X-Request-Id", c.get("requestId"));
  return new Response(OK, { status: 202, headers });
}

/**
 * The pixel: views without JavaScript. 200 image/gif; HEAD counts nothing; errors as for the
 * beacon. `?l=ar` or `?l=en` is the language of the page; any other value is ignored. The campaign
 * is the one in the address of the page, where `Referer` has it.
 */
beacon.get(PIXEL_PATH, async (c) => {
  if (usedUp(c) !== null) return pixel(c);
  const refused = await chargeOrRefuse(c, SCOPE);
  const page_id = Id.safeParse(c.req.param("file").slice(0, -".gif".length));
  const counts = c.req.method !== "HEAD";
  if (refused !== null) {
    if (page_id.success && counts) queueLimited(c, page_id.data, "");
    throw refused;
  }
  if (!page_id.success) throw new ApiError("PAGE_NOT_FOUND");
  if (counts) {
    const language = Language.parse(c.req.query("l"));
    const claims = { language, ...campaignOf(c.req.raw) };
    const event = beaconEvent(c, page_id.data, "", undefined, claims);
    try {
      c.header(OUTCOME_HEADER, (await record(c, page_id.data, event)).outcome);
    } catch (error) {
      if (usedUp(c) === null) throw error;
    }
  }
  return pixel(c);
});
beacon.all(PIXEL_PATH, exactLimit, onlyMethods("GET"));

function pixel(c: AppContext): Response {
  return c.body(PIXEL, 200, { "Content-Type": "image/gif", "Cache-Control": "no-store" });
}

/** Browsers send the whole address of a page of this host, and so its campaign. */
function campaignOf({ headers, url }: Request): Omit<Claims, "referrer" | "language"> {
  const page = URL.parse(headers.get("Referer") ?? "");
  if (page === null || page.host !== new URL(url).host) return {};
  const utm = (name: string) =>
    [...(page.searchParams.get(`utm_${name}`) ?? "")].slice(0, UTM_CHARS_MAX).join("");
  return { utm_source: utm("source"), utm_medium: utm("medium"), utm_campaign: utm("campaign") };
}
