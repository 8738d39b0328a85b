/**
 * The redirect: what a page's links point at, so that clicks are counted without JavaScript and in
 * spite of blockers (CONTRACT section 4). It never keeps a person from the address.
 */
import { Hono } from "hono";
import { withTimeout } from "../../objects/clock.ts";
import { CONTACT_LINK } from "../../objects/event.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { ApiError, dependencyDown } from "../errors.ts";
import { Id } from "../ids.ts";
import { RECOUNT_PAUSES_MS, REDIRECT_BUDGET_MS } from "../limits.ts";
import { parseLinkAddress } from "../link-address.ts";
import { logError } from "../log.ts";
import { charge } from "../middleware/limiter.ts";
import { onlyMethods } from "../middleware/methods.ts";
import { eventOf, OUTCOME_HEADER, record } from "../record.ts";
import { rememberedLinkTarget } from "../stores/link-targets.ts";
import { cardPath } from "../vcard.ts";

const PATH = "/r/:page_id/:link_id";

export const redirect = new Hono<AppEnv>();

/**
 * A click. 302 to the link's address, or from the contact button to the page's card, with
 * `X-Beacon-Outcome` once it is counted. Over the limit it is classed `limited`; after 300 ms the
 * person goes on and the counting is tried again behind them. 404 for what does not exist, 410 for a
 * suspended page, 503 only when nobody can say where the link leads. `?e=<event_id>` makes it
 * idempotent. HEAD counts nothing.
 */
redirect.get(PATH, async (c) => {
  const page_id = Id.safeParse(c.req.param("page_id"));
  const link_id = Id.safeParse(c.req.param("link_id"));
  if (!page_id.success || !link_id.success) throw new ApiError("LINK_NOT_FOUND");
  const deadline = Date.now() + REDIRECT_BUDGET_MS;

  // Half the budget for what must be known first; undefined is what could not be had in time.
  const charging = charge(c, "public").catch(() => null);
  const [target] = await Promise.all([
    within(rememberedLinkTarget(c.env.DB, page_id.data, link_id.data), REDIRECT_BUDGET_MS / 2),
    within(charging, REDIRECT_BUDGET_MS / 2),
  ]);
  if (target === null) throw new ApiError("LINK_NOT_FOUND");
  if (target?.status === "suspended") {
    c.set("locale", target.locale);
    throw new ApiError("PAGE_SUSPENDED");
  }
  if (c.req.method === "HEAD") return goTo(c, link_id.data, target?.url);

  const event_id = Id.safeParse(c.req.query("e"));
  const event = await eventOf(c, page_id.data, link_id.data, event_id.data, {});
  const count = async () => {
    const limited = (await charging)?.admitted === false;
    const { url, outcome } = await record(
      c,
      page_id.data,
      limited ? { ...event, class: "limited", visitor: null, origin: null } : event,
    );
    return { url, outcome: limited && outcome === "counted" ? "limited" : outcome };
  };
  const counting = count();
  const counted = await within(counting, deadline - Date.now());
  if (counted === undefined) c.executionCtx.waitUntil(keepCounting(counting, count, page_id.data));
  else c.header(OUTCOME_HEADER, counted.outcome);
  return goTo(c, link_id.data, target?.url ?? counted?.url);
});
redirect.all(PATH, onlyMethods("GET"));

/** 302; the address is checked again although it was checked when written (SECURITY S10). */
function goTo(c: AppContext, link_id: string, url: string | undefined): Response {
  // '' is all that objects knew of the contact before they kept the slug.
  if (url === undefined || url === "") throw dependencyDown();
  const address = link_id === CONTACT_LINK ? cardPath(url, "3.0") : parseLinkAddress(url);
  if (address === null) throw new ApiError("LINK_NOT_FOUND");
  c.header("X-Robots-Tag", "noindex, nofollow");
  return c.redirect(address, 302);
}

/** The promise's value if it comes within `ms` milliseconds, else undefined. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  try {
    return await withTimeout(promise, Math.max(0, ms));
  } catch (error) {
    // What the client asked for wrongly stays an answer; what we failed at is not one.
    if (error instanceof ApiError && error.code !== "DEPENDENCY_DOWN") throw error;
    return undefined;
  }
}

function isOverloaded(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : error;
  return cause instanceof Error && "overloaded" in cause && cause.overloaded === true;
}

/**
 * Tries on after the person has left. Every try carries the same key, so a first one that did
 * reach the disk makes the later ones duplicates.
 */
async function keepCounting(
  first: Promise<unknown>,
  count: () => Promise<unknown>,
  page_id: string,
): Promise<void> {
  let trying = first;
  for (const pause_ms of [...RECOUNT_PAUSES_MS, 0]) {
    try {
      await trying;
      return;
    } catch (error) {
      if (error instanceof ApiError && error.code !== "DEPENDENCY_DOWN") return;
      // More calls are the last thing an overloaded object needs (FAULTS F15).
      if (pause_ms === 0 || isOverloaded(error)) break;
      await scheduler.wait(pause_ms);
      trying = count();
    }
  }
  logError("click_not_counted", { page_id });
}
