/**
 * The page of a tip (docs/contract.md section 11). The block of a bio page leads here; nothing is ever
 * sent by a GET. The page's form carries an idempotency key that was made with it, so however often it
 * is sent, reloaded or tried again, it is one tip.
 */
import { Hono } from "hono";
import * as z from "zod/mini";
import { isOwnForm, isSameOrigin } from "../accounts/csrf.ts";
import { csrfToken, findSession, type Session, sessionCookie } from "../accounts/session.ts";
import { ApiError, ERRORS } from "../http/api-error.ts";
import { readBytes } from "../http/body.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { callDependency } from "../http/dependency.ts";
import { LOGIN_PATH } from "../http/endpoints.ts";
import { chargeOrRefuse, exactLimit } from "../http/exact-limit.ts";
import { TIP_BYTES_MAX } from "../http/limits.ts";
import { onlyMethods } from "../http/methods.ts";
import { newId } from "../http/new-id.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { validate } from "../http/validate.ts";
import { type Page, readPage } from "../pages/pages-store.ts";
import { TIP_PATH } from "../pages/tip-address.ts";
import type { Locale } from "../views/locale.ts";
import { sendTip } from "./send-tip.ts";
import { draftOf, formKey, type TipDraft, TipFields, tipAddress } from "./tip-form.ts";
import { findTipJar } from "./tip-jar.ts";
import { TipPage, type TipStep } from "./tip-page.tsx";

const FORM_TYPE = "application/x-www-form-urlencoded";

/** Errors after which the tip may have been sent, or may be sent by the same form later. */
const TRY_AGAIN: ReadonlySet<string> = new Set([
  "INTERNAL",
  "UPSTREAM_ERROR",
  "UPSTREAM_TIMEOUT",
  "DEPENDENCY_DOWN",
]);

const PostFields = z.extend(TipFields, { csrf_token: z._default(z.string(), "") });

export const tipPage = new Hono<AppEnv>();

/**
 * Shows what will be sent: `?page_id=&link_id=&points=&own=&message=&lang=&key=`. 200 HTML, with a form
 * for who is signed in, else with the way to sign in; 400, 404 PAGE_NOT_FOUND or LINK_NOT_FOUND, 410
 * PAGE_SUSPENDED or LINK_EXPIRED, 429, 502, 503, 504 as error pages.
 */
tipPage.get(TIP_PATH, exactLimit, async (c) => {
  const fields = validate(TipFields, c.req.query());
  const asked = askedOf(c, fields);
  const page = await openPage(c, asked.draft);
  const key = formKey(fields.key);
  const state = firstStep(c, { ...asked, page, session: await sessionOf(c), key });
  return show(c, 200, { ...asked, page, state });
});

/**
 * Sends the tip: the fields of the GET, `csrf_token` and `key`. 200 HTML once it is sent; 402 where the
 * points do not suffice; 401 with the way to sign in; 403 with a new form where the session is another
 * one; 502, 503, 504 with a form that tries again. All forms have the same key, whatever fails: somebody
 * who cannot learn what became of a tip would start anew. Other errors as error pages, 429 too: it must
 * cost little.
 */
tipPage.post(TIP_PATH, async (c) => {
  const refused = await chargeOrRefuse(c, "tip").catch(asApiError);
  if (refused !== null && !TRY_AGAIN.has(refused.code)) throw refused;
  const form = await readForm(c);
  // The token of this browser's cookie, also where its session is over.
  const cookie = sessionCookie(c.env, c.req.raw);
  const isOwn = cookie === null || isOwnForm(c, cookie, form?.csrf_token ?? "");
  if (!isOwn && (form === null || !isSameOrigin(c))) throw new ApiError("CSRF_REQUIRED");
  if (form === null) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { details: { types: [FORM_TYPE] } });
  }
  const fields = validate(PostFields, form);
  const key = formKey(fields.key);
  if (key === null) throw new ApiError("IDEMPOTENCY_KEY_REQUIRED");
  const asked = askedOf(c, fields);
  const { draft, locale } = asked;
  let page: Page | null = null;
  try {
    if (refused !== null) throw refused;
    page = await publicPage(c, draft.page_id);
    const session = await sessionOf(c);
    if (!isOwn || session === null || draft.points === null || !draft.is_whole) {
      page = await openPage(c, draft);
      const state = firstStep(c, { ...asked, page, session, key });
      return show(c, session === null ? 401 : isOwn ? 400 : 403, { ...asked, page, state });
    }
    const { page_id, link_id, points, message } = draft;
    const request = { page_id, points, message, ...(link_id === "" ? {} : { link_id }) };
    await sendTip(c, session, key, request);
    return show(c, 200, { ...asked, page, state: { step: "sent" } });
  } catch (error) {
    const { code, headers } = asApiError(error);
    const { status, [locale]: why } = ERRORS[code];
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    const say = (state: TipStep) => show(c, status, { ...asked, page, state });
    if (code === "INSUFFICIENT_POINTS") return say({ step: "not_enough" });
    if (code === "AUTH_REQUIRED") return say(signInStep({ ...asked, key }));
    if (!TRY_AGAIN.has(code)) throw error;
    const csrf_token = cookie === null ? "" : csrfToken(c.env, cookie);
    return say({ step: "again", why, csrf_token, key });
  }
});
tipPage.all(TIP_PATH, onlyMethods("GET", "POST"));

interface Asked {
  draft: TipDraft;
  locale: Locale;
}

function askedOf(c: AppContext, fields: z.output<typeof TipFields>): Asked {
  const locale = fields.lang ?? readerLanguage(c);
  c.set("locale", locale);
  return { draft: draftOf(fields), locale };
}

/** The page, if it has the tip jar. Throws what `findTipJar` throws. */
async function openPage(c: AppContext, { page_id, link_id }: TipDraft): Promise<Page> {
  return (await findTipJar(c.env.DB, page_id, link_id || undefined, Date.now())).page;
}

/** The page, for its name and look; null while it is not public, and where D1 fails. */
async function publicPage(c: AppContext, page_id: string): Promise<Page | null> {
  const page = await callDependency("tip_failed", () => readPage(c.env.DB, page_id)).catch(
    () => null,
  );
  return page?.status === "published" && page.ends_at === null ? page : null;
}

/** What the page asks for before anything is sent. Its form has the key, or a new one. */
function firstStep(
  c: AppContext,
  { page, session, ...asked }: Asked & { page: Page; session: Session | null; key: string | null },
): TipStep {
  const { draft, key } = asked;
  if (draft.points === null || !draft.is_whole) return { step: "correct" };
  if (session === null) return signInStep(asked);
  if (session.user.id === page.owner_id) return { step: "own_page" };
  const csrf_token = csrfToken(c.env, session.cookie);
  return { step: "confirm", user_name: session.user.name, csrf_token, key: key ?? newId() };
}

function signInStep({ draft, locale, key }: Asked & { key: string | null }): TipStep {
  const return_to = encodeURIComponent(tipAddress(draft, locale, key));
  return { step: "sign_in", address: `${LOGIN_PATH}?return_to=${return_to}` };
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

/** Null for a body of another type. */
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
