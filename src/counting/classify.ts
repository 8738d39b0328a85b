/** The class of an event's visitor, and the stored data about it (docs/contract.md section 2). */
import { isbot } from "isbot";
import type { EventClass, Origin, PageEvent } from "../../objects/events/event.ts";
import { LABEL_CHARS_MAX } from "../../objects/events/event.ts";
import { BoundedMap } from "../../objects/platform/bounded-map.ts";
import { hasOwnerCookie } from "../accounts/owner-cookie.ts";
import type { Locale } from "../views/locale.ts";
import { saysBot } from "./automatic-requests.ts";
import { type Device, deviceOf } from "./device.ts";
import { VISITOR_AGENT_CHARS_MAX } from "./limits.ts";

/**
 * In-app browsers are used by people, though isbot takes some for bots: `Mozilla/5.0` with the
 * app's name. The apps' link-preview fetchers have no `Mozilla/5.0` and stay bots.
 */
const IN_APP =
  /^Mozilla\/5\.0 .*(?:Instagram|\bFB(?:AN|AV|_IAB)\b|musical_ly|BytedanceWebview|TikTok|Snapchat|Twitter for|\bLine\/|WhatsApp\/)/;

export type Visit = Pick<PageEvent, "class" | "visitor" | "origin">;

/** Untrusted statements of a client about where an event came from. */
export interface Claims {
  referrer?: string | undefined;
  utm_source?: string | undefined;
  utm_medium?: string | undefined;
  utm_campaign?: string | undefined;
  language?: Locale | undefined;
}

/** Visitor and origin are null for bots, owners, and under GPC and DNT (docs/contract.md section 2). */
export function classify(
  env: Cloudflare.Env,
  request: Request,
  page_id: string,
  sender: string,
  claims: Claims,
): Visit {
  const { headers } = request;
  const user_agent = headers.get("User-Agent") ?? "";
  const eventClass = hasOwnerCookie(env, request, page_id, Date.now())
    ? "owner"
    : classOf(headers, user_agent);
  const wants_privacy = headers.get("Sec-GPC") === "1" || headers.get("DNT") === "1";
  if (eventClass !== "human" || wants_privacy) {
    return { class: eventClass, visitor: null, origin: null };
  }
  return {
    class: eventClass,
    visitor: `${sender}\n${user_agent.slice(0, VISITOR_AGENT_CHARS_MAX)}`,
    origin: originOf(request, user_agent, claims),
  };
}

function classOf(headers: Headers, user_agent: string): EventClass {
  const is_bot = saysBot(headers) || agentOf(user_agent).is_bot;
  return is_bot ? "bot" : "human";
}

function originOf(request: Request, user_agent: string, claims: Claims): Origin {
  const { cf } = request as Request<unknown, IncomingRequestCfProperties>;
  const values: { [dimension in keyof Origin]: string | null | undefined } = {
    referrer: refererHost(claims.referrer, request.url),
    country: cf?.country,
    device: agentOf(user_agent).device,
    utm_source: label(claims.utm_source),
    utm_medium: label(claims.utm_medium),
    utm_campaign: label(claims.utm_campaign),
    language: claims.language,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as Origin;
}

/** Null also for pages of this service. */
function refererHost(referrer: string | undefined, own_url: string): string | null {
  if (referrer === undefined) return null;
  const url = URL.parse(referrer);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.host === new URL(own_url).host) return null;
  return url.hostname.slice(0, LABEL_CHARS_MAX);
}

interface Agent {
  is_bot: boolean;
  device: Device | undefined;
}

/** Parsing a user agent takes longer than counting an event. */
const AGENTS_MAX = 1_000;
const agents = new BoundedMap<string, Agent>(AGENTS_MAX);
/** Longer user agents are not cached. */
const AGENT_CHARS_MAX = 512;

function agentOf(user_agent: string): Agent {
  let agent = agents.get(user_agent);
  if (agent === undefined) {
    agent = {
      is_bot: isbot(user_agent) && !IN_APP.test(user_agent),
      device: deviceOf(user_agent),
    };
    if (user_agent.length <= AGENT_CHARS_MAX) agents.set(user_agent, agent);
  }
  return agent;
}

/**
 * Referrers and campaigns come from strangers and stand in tables: one line, without control or bidi
 * characters.
 */
function label(text: string | undefined): string | undefined {
  return text
    ?.toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .trim();
}
