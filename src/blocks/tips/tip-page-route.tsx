/**
 * The page of a tip (docs/contract.md section 11), to which the block of a bio page leads. Its address has
 * the tip and an idempotency key, so it is one tip however often the form is sent, after a reload, on the
 * way back or in another tab. A GET never sends it.
 */

import { isOwnForm, isSameOrigin } from "../../accounts/csrf.ts";
import { csrfToken, findSession, type Session, sessionCookie } from "../../accounts/session.ts";
import { ApiError, ERRORS } from "../../http/api-error.ts";
import { readBytes } from "../../http/body.ts";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { callDependency } from "../../http/dependency.ts";
import { LOGIN_PATH } from "../../http/endpoints.ts";
import { chargeOrRefuse, exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { readerLanguage } from "../../http/reader-language.ts";
import { validate } from "../../http/validate.ts";
import { shownWords } from "../../pages/document/page-words.ts";
import { type Page, readPage } from "../../pages/document/pages-store.ts";
import { TIP_PATH } from "../../pages/document/tip-address.ts";
import type { Locale } from "../../views/locale.ts";
import { TIP_BYTES_MAX } from "./limits.ts";
import { recallTip, recentTip, sendTip } from "./send-tip.ts";
import type { TipBody } from "./tip-body.ts";
import {
  bodyOf,
  draftOf,
  isKey,
  isOver,
  newKey,
  type TipDraft,
  TipFields,
  tipAddress,
} from "./tip-draft.ts";
import { findTipJar } from "./tip-jar.ts";
import { TipPage, type TipStep } from "./tip-page.tsx";

const FORM_TYPE = "application/x-www-form-urlencoded";

/** Errors after which the tip may have been sent, or can be sent later with the same form. */
const TRY_AGAIN: ReadonlySet<string> = new Set([
  "INTERNAL",
  "UPSTREAM_ERROR",
  "UPSTREAM_TIMEOUT",
  "DEPENDENCY_DOWN",
]);

export const tipPage = new Hono<AppEnv>();

/**
 * Shows what will be sent: `?page_id=&link_id=&points=&own=&message=&lang=&key=`. 303 without a key, to the
 * same with a new one. 200 HTML: a form for a signed-in user, else the way to sign in; a used key gets the
 * answer of the POST. 400, 404 PAGE_NOT_FOUND or LINK_NOT_FOUND, 410 PAGE_SUSPENDED or LINK_EXPIRED, 429,
 * 502, 503, 504 as error pages.
 */
tipPage.get(TIP_PATH, exactLimit, async (c) => {
  const asked = askedOf(c);
  const { draft, locale, key } = asked;
  const body = bodyOf(draft);
  if (body !== null && key === null) {
    return c.redirect(tipAddress(draft, locale, newKey(Date.now())), 303);
  }
  const session = await sessionOf(c);
  if (body !== null && key !== null) {
    const known = await knownStep(c, { ...asked, key }, session, body);
    const page = known && (await publicPage(c, draft.page_id));
    if (known !== null) return show(c, known.status, { ...asked, page, state: known.state });
  }
  const page = await openPage(c, draft);
  const state = await firstStep(c, { ...asked, page, session });
  return show(c, 200, { ...asked, page, state });
});

/**
 * Sends the tip of the address, as the GET; the form has `csrf_token`. 200 HTML once it is sent; 402 for too
 * few points; 401 with the way to sign in; 403 with a new form for another session; 409 with a new
 * confirmation for a key that is over or was used for another tip; 502, 503, 504 with a form to try again. All
 * forms have the same key, whatever fails: a user who cannot learn the outcome would start a new tip. Other
 * errors as error pages, 429 too: it must cost little.
 */
tipPage.post(TIP_PATH, async (c) => {
  const refused = await chargeOrRefuse(c, "tip").catch(asApiError);
  if (refused !== null && !TRY_AGAIN.has(refused.code)) throw refused;
  const form = await readForm(c);
  // The token of this browser's cookie, also after its session ended.
  const cookie = sessionCookie(c.env, c.req.raw);
  const isOwn = cookie === null || isOwnForm(c, cookie, form?.csrf_token ?? "");
  if (!isOwn && (form === null || !isSameOrigin(c))) throw new ApiError("CSRF_REQUIRED");
  if (form === null) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { details: { types: [FORM_TYPE] } });
  }
  const asked = askedOf(c);
  const { draft, key } = asked;
  if (key === null) throw new ApiError("IDEMPOTENCY_KEY_REQUIRED");
  let page: Page | null = null;
  try {
    if (refused !== null) throw refused;
    page = await publicPage(c, draft.page_id);
    const session = await sessionOf(c);
    const body = bodyOf(draft);
    if (!isOwn || session === null || body === null) {
      page = await openPage(c, draft);
      const state = await firstStep(c, { ...asked, page, session });
      return show(c, session === null ? 401 : isOwn ? 400 : 403, { ...asked, page, state });
    }
    if (isOver(key, Date.now())) throw new ApiError("IDEMPOTENCY_CONFLICT");
    await sendTip(c, session, key, body);
    return show(c, 200, { ...asked, page, state: { step: "sent" } });
  } catch (error) {
    const { status, state } = stepAfter(c, { ...asked, key }, error);
    return show(c, status, { ...asked, page, state });
  }
});
tipPage.all(TIP_PATH, onlyMethods("GET", "POST"));

interface Asked {
  draft: TipDraft;
  locale: Locale;
  key: string | null;
}

interface Confirmation extends Asked {
  key: string;
}

function askedOf(c: AppContext): Asked {
  const fields = validate(TipFields, c.req.query());
  const locale = fields.lang ?? readerLanguage(c);
  c.set("locale", locale);
  return { draft: draftOf(fields), locale, key: isKey(fields.key) ? fields.key : null };
}

/** Throws what `findTipJar` throws. */
async function openPage(c: AppContext, { page_id, link_id }: TipDraft): Promise<Page> {
  return (await findTipJar(c.env.DB, page_id, link_id || undefined, Date.now())).page;
}

async function publicPage(c: AppContext, page_id: string): Promise<Page | null> {
  const page = await callDependency("tip_failed", () => readPage(c.env.DB, page_id)).catch(
    () => null,
  );
  return page?.status === "published" && page.ends_at === null ? shownWords(page) : null;
}

async function firstStep(
  c: AppContext,
  { page, session, ...asked }: Asked & { page: Page; session: Session | null },
): Promise<TipStep> {
  const { draft, key } = asked;
  if (bodyOf(draft) === null || key === null) return { step: "correct" };
  if (session === null) return signInStep(asked);
  const { user, cookie } = session;
  if (user.id === page.owner_id) return { step: "own_page" };
  const recent = await recentTip(c, user.id, draft.page_id);
  return {
    step: "confirm",
    user_name: user.name,
    csrf_token: csrfToken(c.env, cookie),
    key,
    recent,
  };
}

function signInStep({ draft, locale, key }: Asked): TipStep {
  const return_to = encodeURIComponent(tipAddress(draft, locale, key));
  return { step: "sign_in", address: `${LOGIN_PATH}?return_to=${return_to}` };
}

interface Known {
  status: Status;
  state: TipStep;
}

/** A used key's outcome. Null for a new one, and without an answer: the form can be sent again. */
async function knownStep(
  c: AppContext,
  asked: Confirmation,
  session: Session | null,
  body: TipBody,
): Promise<Known | null> {
  try {
    if (isOver(asked.key, Date.now())) throw new ApiError("IDEMPOTENCY_CONFLICT");
    const tip = session && (await recallTip(c, session.user.id, asked.key, body));
    return tip && { status: 200, state: { step: "sent" } };
  } catch (error) {
    return asApiError(error).code === "DEPENDENCY_DOWN" ? null : stepAfter(c, asked, error);
  }
}

/** The page's words for an error. Rethrows one without. */
function stepAfter(c: AppContext, asked: Confirmation, error: unknown): Known {
  const { code, headers } = asApiError(error);
  const { status, [asked.locale]: why } = ERRORS[code];
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (code === "INSUFFICIENT_POINTS") return { status, state: { step: "not_enough" } };
  if (code === "AUTH_REQUIRED") return { status, state: signInStep(asked) };
  if (code === "IDEMPOTENCY_CONFLICT") return { status, state: { step: "over" } };
  if (!TRY_AGAIN.has(code)) throw error;
  const cookie = sessionCookie(c.env, c.req.raw);
  const csrf_token = cookie === null ? "" : csrfToken(c.env, cookie);
  return { status, state: { step: "again", why, csrf_token, key: asked.key } };
}

async function sessionOf(c: AppContext): Promise<Session | null> {
  const cookie = sessionCookie(c.env, c.req.raw);
  return cookie === null ? null : await findSession(c, cookie);
}

/** Rethrows what is no answer to a client. */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

async function readForm(c: AppContext): Promise<Record<string, string> | null> {
  const type = (c.req.header("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE) return null;
  const bytes = await readBytes(c.req.raw, TIP_BYTES_MAX);
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)));
}

type Status = 200 | 400 | (typeof ERRORS)[keyof typeof ERRORS]["status"];

function show(c: AppContext, status: Status, props: Asked & { page: Page | null; state: TipStep }) {
  return c.html(`<!DOCTYPE html>${<TipPage {...props} />}`, status);
}
