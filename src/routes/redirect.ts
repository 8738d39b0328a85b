/**
 * The redirect: what a page's links point at, so that clicks are counted without JavaScript and in
 * spite of blockers (CONTRACT section 4). It never keeps a person from the address.
 */
import { Hono } from "hono";
import { withTimeout } from "../../objects/clock.ts";
import { CONTACT_LINK } from "../../objects/event.ts";
import { systemClock } from "../../objects/ports.ts";
import type { AppContext, AppEnv } from "../context.ts";
import type { Decision } from "../counting/admission.ts";
import { keepCounting } from "../counting/keep-counting.ts";
import { ApiError, dependencyDown } from "../errors.ts";
import { Id } from "../ids.ts";
import { CEILING_READ_MS, RECORD_TIMEOUT_MS, REDIRECT_BUDGET_MS } from "../limits.ts";
import { parseLinkAddress } from "../link-address.ts";
import { logError } from "../log.ts";
import { charge, isPastCeiling, refusal } from "../middleware/limiter.ts";
import { onlyMethods } from "../middleware/methods.ts";
import {
  type Counted,
  clickOf,
  limitedEvent,
  OUTCOME_HEADER,
  record,
  recordRefused,
} from "../record.ts";
import { type LinkTarget, LinkTargets } from "../stores/link-targets.ts";
import { cardPath } from "../vcard.ts";

const PATH = "/r/:page_id/:link_id";
const SCOPE = "public";

/** Per isolate, and only a shortcut. */
const targets = new LinkTargets(systemClock);

export const redirect = new Hono<AppEnv>();

/**
 * A click. 302 to the link's address, or from the contact button to the page's card, with
 * `X-Beacon-Outcome` once it is counted. Over the limit it is classed `limited`, and past ten times the limit
 * handed over as a number; after 300 ms the person goes on and the counting is tried again behind them. 404
 * for what does not exist, 410 for a suspended page, 429 past ten times the limit for a page that is not
 * known here, 503 only when nobody can say where the link leads. `?e=<event_id>` makes it idempotent for its
 * sender. HEAD counts nothing.
 */
redirect.get(PATH, async (c) => {
  const page_id = Id.safeParse(c.req.param("page_id"));
  const link_id = Id.safeParse(c.req.param("link_id"));
  if (!page_id.success || !link_id.success) throw new ApiError("LINK_NOT_FOUND");
  const link = { page_id: page_id.data, link_id: link_id.data };
  const deadline = Date.now() + REDIRECT_BUDGET_MS;

  const charging = charge(c, SCOPE);
  const { decision, target, finding } = await prepare(c, link, charging);
  if (target !== undefined) refuseAbsent(c, target);
  const isHead = c.req.method === "HEAD";
  if (isHead || isPastCeiling(SCOPE, decision)) {
    if (!isHead) recordRefused(c, link.page_id, link.link_id);
    return goTo(c, link.link_id, target?.url ?? (await firstAddress(c, [finding])));
  }

  const counting = countClick(c, link, charging);
  // A clock that was set back meanwhile must not make the person wait for longer.
  const counted = await within(counting, Math.min(REDIRECT_BUDGET_MS, deadline - Date.now()));
  if (counted !== undefined) c.header(OUTCOME_HEADER, counted.outcome);
  // The object learns of changes before this isolate does, so its address is preferred. '' comes from objects
  // whose stored copy is older than the slug in it.
  const url = counted?.url || target?.url || (await firstAddress(c, [counting, finding]));
  return goTo(c, link.link_id, url);
});
redirect.all(PATH, onlyMethods("GET"));

interface LinkOfPage {
  page_id: string;
  link_id: string;
}

interface Prepared {
  decision: Decision | null | undefined;
  target: LinkTarget | null | undefined;
  /** The target, however late it is. */
  finding: Promise<LinkTarget | null>;
}

/**
 * What must be known first, each within half the budget; undefined is what could not be had in time. Throws
 * 429 where only D1 could say where the link leads and the sender is past its ceiling.
 */
async function prepare(
  c: AppContext,
  { page_id, link_id }: LinkOfPage,
  charging: Promise<Decision | null>,
): Promise<Prepared> {
  const half_ms = REDIRECT_BUDGET_MS / 2;
  const known = targets.recall(page_id, link_id);
  const decision = await within(charging, half_ms);
  if (known !== undefined) return { decision, target: known, finding: Promise.resolve(known) };
  if (decision && isPastCeiling(SCOPE, decision) && !mayRead(Date.now())) {
    const old = targets.recallOld(page_id, link_id);
    if (old === undefined) throw refusal(SCOPE, decision);
    return { decision, target: old, finding: Promise.resolve(old) };
  }
  const finding = targets.find(c.env.DB, page_id, link_id);
  const found = await within(finding, half_ms);
  const target = found === undefined ? targets.recallOld(page_id, link_id) : found;
  return { decision, target, finding };
}

/**
 * Where the link leads, from whichever of the object and D1 answers first: none did in the redirect's time, and
 * one that fails says nothing about the other. Throws 404 and 410 by what the first one says, and 503 when none
 * answers within 10 s.
 */
async function firstAddress(
  c: AppContext,
  answers: readonly Promise<{ url: string } | LinkTarget | null>[],
): Promise<string | null> {
  const addresses = answers.map(async (answer) => {
    const found = await answer.catch(refusalOf);
    if (found instanceof ApiError) return found;
    if (found?.url === "") throw new Error("the object's copy has no slug");
    return found;
  });
  try {
    const found = await withTimeout(Promise.any(addresses), RECORD_TIMEOUT_MS);
    if (found instanceof ApiError) throw found;
    if (found === null || "status" in found) refuseAbsent(c, found);
    return found?.url ?? null;
  } catch (error) {
    throw isRefusal(error) ? error : dependencyDown(error);
  }
}

/** When D1 was last read for a sender past its ceiling, in unix milliseconds. */
let read_at = 0;

/** Whether D1 may be read once more for senders past their ceiling: ten times a second in an isolate. */
function mayRead(now: number): boolean {
  if (now >= read_at && now - read_at < CEILING_READ_MS) return false;
  read_at = now;
  return true;
}

/** Throws 404 for what does not exist and 410, in the page's language, where the page is suspended. */
function refuseAbsent(c: AppContext, target: LinkTarget | null): void {
  if (target === null) throw new ApiError("LINK_NOT_FOUND");
  c.set("locale", target.locale);
  if (target.status === "suspended") throw new ApiError("PAGE_SUSPENDED");
  if (target.url === null) throw new ApiError("LINK_NOT_FOUND");
}

/** Counts the click until it is counted, behind the answer too and when the client has hung up. */
function countClick(
  c: AppContext,
  { page_id, link_id }: LinkOfPage,
  charging: Promise<Decision | null>,
): Promise<{ url: string; outcome: Counted["outcome"] | "limited" }> {
  const making = clickOf(c, page_id, link_id, Id.safeParse(c.req.query("e")).data);
  const count = async () => {
    const event = await making;
    const limited = (await charging)?.admitted === false;
    const { url, outcome } = await record(c, page_id, limited ? limitedEvent(event) : event);
    return { url, outcome: limited && outcome === "counted" ? ("limited" as const) : outcome };
  };
  const counting = keepCounting(count, isFinal, systemClock);
  const request_id = c.get("requestId");
  c.executionCtx.waitUntil(
    counting.catch((error) => {
      if (isRefusal(error)) return;
      logError("click_not_counted", { page_id, request_id }, error);
    }),
  );
  return counting;
}

/** 302; the address is checked again although it was checked when written (SECURITY S10). */
function goTo(c: AppContext, link_id: string, url: string | null | undefined): Response {
  if (url == null || url === "") throw dependencyDown();
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
    if (isRefusal(error)) throw error;
    return undefined;
  }
}

/** A refusal is an answer, which the other source must not keep waiting; a failure is none. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError && isRefusal(error)) return error;
  throw error;
}

/** Whether the client asked for something that cannot be had, now or later. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code !== "DEPENDENCY_DOWN";
}

/** Another try would not help, and more calls are the last thing an overloaded object needs (FAULTS F15). */
function isFinal(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : error;
  const isOverloaded = cause instanceof Error && "overloaded" in cause && cause.overloaded === true;
  return isRefusal(error) || isOverloaded;
}
