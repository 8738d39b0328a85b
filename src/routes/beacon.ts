/**
 * Beacon and pixel: views and clicks as page scripts and `<noscript>` report them (CONTRACT
 * sections 4 and 5). Each costs one limiter call and one page call.
 */
import { Hono } from "hono";
import { Beacon } from "../beacon.ts";
import { readJson } from "../body.ts";
import type { AppEnv } from "../context.ts";
import { ApiError } from "../errors.ts";
import { Id } from "../ids.ts";
import { BEACON_BYTES_MAX } from "../limits.ts";
import { anyOrigin } from "../middleware/any-origin.ts";
import { exactLimit } from "../middleware/limiter.ts";
import { onlyMethods } from "../middleware/methods.ts";
import { eventOf, OUTCOME_HEADER, record } from "../record.ts";

const BEACON_PATH = "/api/analytics/view";
const PIXEL_PATH = "/p/:file{[^/]+\\.gif}";

/** A transparent GIF of one pixel, 43 bytes. */
const PIXEL = Uint8Array.fromBase64("R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==");

export const beacon = new Hono<AppEnv>();

beacon.use(BEACON_PATH, anyOrigin("POST"), exactLimit);
beacon.use(PIXEL_PATH, anyOrigin("GET"), exactLimit);

/**
 * The beacon. 202 `{"ok":true}` with `X-Beacon-Outcome: counted` or `duplicate`; 400, 404, 413,
 * 415, 429, or 503 when nothing was acknowledged and the same event may be sent again.
 */
beacon.post(BEACON_PATH, async (c) => {
  const {
    page_id,
    link_id = "",
    event_id,
    ...claims
  } = await readJson(c.req.raw, Beacon, BEACON_BYTES_MAX);
  const { outcome } = await record(
    c,
    page_id,
    await eventOf(c, page_id, link_id, event_id, claims),
  );
  c.header(OUTCOME_HEADER, outcome);
  return c.json({ ok: true }, 202);
});
beacon.all(BEACON_PATH, onlyMethods("POST"));

/** Views without JavaScript. 200 image/gif; HEAD counts nothing; errors as for the beacon. */
beacon.get(PIXEL_PATH, async (c) => {
  const page_id = Id.safeParse(c.req.param("file").slice(0, -".gif".length));
  if (!page_id.success) throw new ApiError("PAGE_NOT_FOUND");
  if (c.req.method !== "HEAD") {
    const event = await eventOf(c, page_id.data, "", undefined, {});
    c.header(OUTCOME_HEADER, (await record(c, page_id.data, event)).outcome);
  }
  return c.body(PIXEL, 200, { "Content-Type": "image/gif", "Cache-Control": "no-store" });
});
beacon.all(PIXEL_PATH, onlyMethods("GET"));
