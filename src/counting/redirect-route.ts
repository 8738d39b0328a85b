/**
 * The redirect: a page's links point to it, so that clicks are counted without JavaScript and
 * despite blockers (docs/contract.md section 4). A failure to count never prevents the redirect.
 */

import { CONTACT_LINK } from "../../objects/events/event.ts";
import { systemClock } from "../../objects/platform/ports.ts";
import { ApiError } from "../http/api-error.ts";
import type { AppEnv } from "../http/context.ts";
import { REDIRECT_PATH, TAP_PARAMETER } from "../http/endpoints.ts";
import { charge, refusal } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { Id } from "../http/ids.ts";
import { LIMITS_PER_MINUTE } from "../http/limits.ts";
import { onlyMethods } from "../http/methods.ts";
import { cardPath } from "../pages/document/card-address.ts";
import { parseLinkAddress } from "../pages/document/link-address.ts";
import { Clicks } from "./clicks.ts";
import { clickEvent, OUTCOME_HEADER, portsOf, recorder, takeOfDay, usedUp } from "./record.ts";

const SCOPE = "public";

const clicks = new Clicks(systemClock, recorder);

export const redirect = new Hono<AppEnv>();

/**
 * A click. 302 to the link's address, or from the contact button to the page's card, with
 * `X-Beacon-Outcome` once it is counted; 404, 410, 429 and 503 as {@link Clicks.follow} throws
 * them. `?t=<tap_id>` makes it one click from whatever address it comes, `?e=<event_id>` one of its
 * sender; with both, `t` decides. HEAD counts nothing.
 */
redirect.get(REDIRECT_PATH, async (c) => {
  const page_id = Id.safeParse(c.req.param("page_id"));
  const link_id = Id.safeParse(c.req.param("link_id"));
  if (!page_id.success || !link_id.success) throw new ApiError("LINK_NOT_FOUND");
  const link = { page_id: page_id.data, link_id: link_id.data };
  const ids = {
    tap_id: Id.safeParse(c.req.query(TAP_PARAMETER)).data,
    event_id: Id.safeParse(c.req.query("e")).data,
  };
  const { url, outcome } = await clicks.follow(
    {
      ...portsOf(c),
      db: c.env.DB,
      limit: LIMITS_PER_MINUTE[SCOPE],
      charge: () => charge(c, SCOPE),
      refusal: (decision) => refusal(SCOPE, decision),
      counts: c.req.method !== "HEAD" && usedUp(c) === null,
      makeEvent: async () => {
        if (!(await takeOfDay(c))) throw new Error("the day's events are used up");
        return clickEvent(c, link.page_id, link.link_id, ids);
      },
      setLocale: (locale) => c.set("locale", locale),
    },
    link,
  );
  if (outcome !== undefined) c.header(OUTCOME_HEADER, outcome);
  // Checked when it was stored, and again here (docs/security.md S10).
  const address = link.link_id === CONTACT_LINK ? cardPath(url, "3.0") : parseLinkAddress(url);
  if (address === null) throw new ApiError("LINK_NOT_FOUND");
  c.header("X-Robots-Tag", "noindex, nofollow");
  return c.redirect(address, 302);
});
redirect.all(REDIRECT_PATH, onlyMethods("GET"));
