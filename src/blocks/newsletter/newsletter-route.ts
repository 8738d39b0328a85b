import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { classify } from "../../counting/classify.ts";
import { ApiError, dependencyDown } from "../../http/api-error.ts";
import { JSON_TYPES, parseJson, readBytes } from "../../http/body.ts";
import { requireConfig } from "../../http/config.ts";
import { type AppContext, type AppEnv, countingSettings, senderOf } from "../../http/context.ts";
import { callDependency } from "../../http/dependency.ts";
import { NEWSLETTER_PATH } from "../../http/endpoints.ts";
import { checkTogether, exactLimit, objectName } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { readerLanguage } from "../../http/reader-language.ts";
import { networkOf, senderName } from "../../http/sender.ts";
import { tooMany } from "../../http/too-many.ts";
import { validate } from "../../http/validate.ts";
import { shownTextIn } from "../../pages/document/page-words.ts";
import type { Locale } from "../../views/locale.ts";
import {
  NEWSLETTER_BYTES_MAX,
  NEWSLETTER_NETWORK_PER_DAY,
  NEWSLETTER_PER_DAY,
  NEWSLETTER_WINDOW_S,
} from "./limits.ts";
import { newsletterPage } from "./newsletter-page.tsx";
import { publishedName } from "./newsletter-page-query.ts";
import { findOpenNewsletter } from "./open-newsletter.ts";
import { Subscription, Where } from "./subscription-schema.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";
const FAILED = "newsletter_failed";

export const newsletter = new Hono<AppEnv>();

newsletter.use(NEWSLETTER_PATH, exactLimit);

/**
 * Asks to subscribe, as JSON or as a form (docs/contract.md section 11). 202 `{"ok":true}` once it is durable,
 * after the same work whether the address is known or not; a mail with a link to confirm follows. A form gets
 * a page likewise. 404 for a page without an open newsletter.
 */
newsletter.post(NEWSLETTER_PATH, async (c) => {
  const { MAIL_FROM, SITE_ORIGIN } = requireConfig(c.env, "mail");
  const { is_form, body } = await readBody(c);
  const where = validate(Where, body);
  const locale = where.locale ?? readerLanguage(c);
  if (is_form) c.set("locale", locale);
  const { page_id } = where;
  const found = await callDependency(FAILED, () =>
    findOpenNewsletter(c.env.DB, page_id, where.link_id, Date.now()),
  );
  if (found === undefined) throw new ApiError("PAGE_NOT_FOUND");
  if (found === null || MAIL_FROM === "") throw new ApiError("LINK_NOT_FOUND");
  const subscription = Subscription.safeParse(body);
  if (is_form && !subscription.success) return pageAnswer(c, page_id, locale, "invalid");
  const { email } = subscription.data ?? validate(Subscription, body);
  await chargeSignUp(c);
  const { class: eventClass, origin } = classify(c.env, c.req.raw, page_id, senderOf(c), {});
  const is_taken = await callDependency(FAILED, () =>
    c.env.SUBSCRIBERS.getByName(page_id).request({
      email,
      locale,
      link_id: found.link_id,
      class: eventClass === "limited" ? "human" : eventClass,
      origin,
      site: SITE_ORIGIN,
      page_name: shownTextIn(found, found.name, locale),
    }),
  );
  if (!is_taken) {
    logError("newsletter_full", { page_id });
    throw dependencyDown();
  }
  return is_form ? pageAnswer(c, page_id, locale, "asked") : c.json({ ok: true }, 202);
});
newsletter.all(NEWSLETTER_PATH, onlyMethods("POST"));

/**
 * Charges the daily sign-ups of the sender and of its /48: each may make a mail, of which all pages together have a
 * limited number. Both windows are in the object of the /48, so that a sign-up counts in both or in none.
 */
async function chargeSignUp(c: AppContext): Promise<void> {
  const { SENDER_KEY, LIMITER_SHARDS } = countingSettings(c);
  const [scope, window_s] = ["newsletter_day", NEWSLETTER_WINDOW_S];
  const sender = senderName(SENDER_KEY, senderOf(c));
  const network = senderName(SENDER_KEY, networkOf(senderOf(c)));
  const parts = [{ sender, limit: NEWSLETTER_PER_DAY }];
  if (network !== sender) parts.push({ sender: network, limit: NEWSLETTER_NETWORK_PER_DAY });
  const check = { scope, window_ms: window_s * SECOND_MS, parts };
  const verdict = await checkTogether(c.env, objectName(LIMITER_SHARDS, network), check);
  if (verdict.admitted) return;
  const limit = parts[verdict.refused]?.limit;
  throw tooMany({ scope, limit, window_s }, verdict.reset_ms);
}

async function readBody(c: AppContext): Promise<{ is_form: boolean; body: unknown }> {
  const type = (c.req.header("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const is_form = type === FORM_TYPE;
  if (!is_form && !JSON_TYPES.has(type)) {
    const types = [...JSON_TYPES, FORM_TYPE].filter(Boolean);
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { details: { types } });
  }
  const bytes = await readBytes(c.req.raw, NEWSLETTER_BYTES_MAX);
  if (!is_form) return { is_form, body: parseJson(bytes) };
  return {
    is_form,
    body: Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes))),
  };
}

async function pageAnswer(
  c: AppContext,
  page_id: string,
  locale: Locale,
  state: "asked" | "invalid",
): Promise<Response> {
  const page = await callDependency(FAILED, () => publishedName(c.env.DB, page_id, locale));
  c.header("X-Robots-Tag", "noindex");
  return c.html(newsletterPage({ locale, state, page }), state === "asked" ? 202 : 400);
}
