/**
 * The page object without a limiter: the product's and the naive design's behind the same route, to
 * compare what an event costs in its page.
 */
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { withTimeout } from "../../../objects/platform/clock.ts";
import type { PageEvent, Receipt } from "../../../objects/tables/event.ts";
import { Beacon } from "../../../src/counting/beacon-schema.ts";
import { beaconEvent, OUTCOME_HEADER, record } from "../../../src/counting/record.ts";
import { dependencyDown } from "../../../src/http/api-error.ts";
import { readJson } from "../../../src/http/body.ts";
import type { AppContext, AppEnv } from "../../../src/http/context.ts";
import { answerError } from "../../../src/http/error-answer.tsx";
import { BEACON_BYTES_MAX, RECORD_TIMEOUT_MS } from "../../../src/http/limits.ts";
import { securityHeaders } from "../../../src/http/security-headers.ts";

type Record = (c: AppContext, page_id: string, event: PageEvent) => Promise<Receipt>;

function route(recordIn: Record): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(requestId({ limitLength: 64 }), securityHeaders);
  app.onError(answerError);
  app.post("/api/analytics/view", async (c) => {
    const beacon = await readJson(c.req.raw, Beacon, BEACON_BYTES_MAX);
    const { page_id, link_id = "", event_id, ...claims } = beacon;
    const event = await beaconEvent(c, page_id, link_id, event_id, claims);
    const { outcome } = await recordIn(c, page_id, event);
    if (outcome !== "counted" && outcome !== "duplicate") throw dependencyDown();
    c.header(OUTCOME_HEADER, outcome);
    return c.json({ ok: true }, 202);
  });
  return app;
}

export const pageAlone = route(record);
export const naivePageAlone = route((c, page_id, event) =>
  withTimeout<Receipt>(c.env.NAIVE_PAGE.getByName(page_id).record(event), RECORD_TIMEOUT_MS),
);
