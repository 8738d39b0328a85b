/**
 * Pages behind links of mails (docs/contract.md section 11). They need no session: the link's token alone allows
 * confirming and unsubscribing. Links in the creators' table (`unsubscribe-link.ts`) only unsubscribe.
 */
import type { Next } from "hono";
import { ApiError } from "../../http/api-error.ts";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { callDependency } from "../../http/dependency.ts";
import { edgeRefusal, isAdmittedByEdge } from "../../http/edge-limit.ts";
import { DOWNLOAD_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { readerLanguage } from "../../http/reader-language.ts";
import type { Locale } from "../../views/locale.ts";
import { signFileToken } from "./file-token.ts";
import { pageOfToken } from "./mail-token.ts";
import { newsletterPage as render } from "./newsletter-page.tsx";
import { publishedName, subscribersFiles } from "./newsletter-page-query.ts";
import type { NewsletterState } from "./newsletter-texts.ts";
import {
  isUnsubscribeToken,
  subscriberOfUnsubscribeToken,
  UNSUBSCRIBE_PATH,
} from "./unsubscribe-link.ts";

const CONFIRM_PATH = "/newsletter/confirm";

export const newsletterPage = new Hono<AppEnv>();

newsletterPage.use(CONFIRM_PATH, exactLimit);
newsletterPage.use(UNSUBSCRIBE_PATH, leavingLimit);

/** Asks whether to subscribe. 200 HTML; 410 HTML for an expired link; 429, 503. */
newsletterPage.get(CONFIRM_PATH, async (c) => {
  const link = await linkOf(c);
  if (link.state === "gone") return answer(c, link, "gone", 410);
  return answer(c, link, link.state === "confirmed" ? "confirmed" : "confirm");
});

/** Subscribes, once: a repeat changes nothing. 200 HTML; 410 HTML for an expired link; 429, 503. */
newsletterPage.post(CONFIRM_PATH, async (c) => {
  const link = await linkOf(c);
  if (link.object === null || link.state === "gone") return answer(c, link, "gone", 410);
  const { object } = link;
  const outcome = await callDependency("newsletter_failed", () => object.confirm(link.token));
  return outcome === "confirmed" ? answer(c, link, "confirmed") : answer(c, link, "gone", 410);
});
newsletterPage.all(CONFIRM_PATH, onlyMethods("GET", "POST"));

/** Asks whether to unsubscribe. 200 HTML; 404 for a wrong signature of the table's link, 429, 503. */
newsletterPage.get(UNSUBSCRIBE_PATH, async (c) => {
  const link = await leavingLinkOf(c);
  return answer(c, link, link.state === "gone" ? "unsubscribed" : "unsubscribe");
});

/**
 * Deletes the subscriber's address, also for mail programs that post `List-Unsubscribe=One-Click` (RFC 8058 section
 * 3.1): the body is not read, and an unknown token of a mail gets the same answer. 200 HTML; 404 as above, 429, 503.
 */
newsletterPage.post(UNSUBSCRIBE_PATH, async (c) => {
  const link = await leavingLinkOf(c);
  const { object, id, token } = link;
  if (object !== null) {
    await callDependency("newsletter_failed", async () => {
      if (id === null) await object.unsubscribe(token);
      else await object.remove(id);
    });
  }
  return answer(c, link, "unsubscribed");
});
newsletterPage.all(UNSUBSCRIBE_PATH, onlyMethods("GET", "POST"));

/**
 * Mail providers unsubscribe many readers from a few addresses: a POST of a signed link is charged to the link.
 */
async function leavingLimit(c: AppContext, next: Next): Promise<Response | undefined> {
  const is_post = c.req.method === "POST";
  const named = is_post && subscriberOfUnsubscribeToken(c.env, c.req.query("token") ?? "");
  if (!named) return (await exactLimit(c, next)) ?? undefined;
  if (!(await isAdmittedByEdge(c, `unsubscribe ${named.id}`))) throw edgeRefusal(Date.now());
  await next();
}

type MailLink = Awaited<ReturnType<typeof linkOf>>;

/** The state of the link's token. Also sets the language of an error page. */
async function linkOf(c: AppContext) {
  const token = c.req.query("token") ?? "";
  const page_id = pageOfToken(token);
  if (page_id === null) {
    return { token, object: null, page_id, state: "gone", locale: readerLanguage(c) } as const;
  }
  const object = c.env.SUBSCRIBERS.getByName(page_id);
  const { state, locale } = await callDependency("newsletter_failed", () =>
    object.tokenState(token),
  );
  // An unknown token has no language.
  const language: Locale = state === "gone" ? readerLanguage(c) : locale;
  c.set("locale", language);
  return { token, object, page_id, state, locale: language };
}

/** {@link linkOf} for a link to unsubscribe; `id` is the subscriber's if the token itself names it. */
async function leavingLinkOf(c: AppContext): Promise<MailLink & { id: string | null }> {
  const token = c.req.query("token") ?? "";
  if (!isUnsubscribeToken(token)) return { ...(await linkOf(c)), id: null };
  const named = subscriberOfUnsubscribeToken(c.env, token);
  if (named === null) throw new ApiError("NOT_FOUND");
  const { page_id, id } = named;
  const object = c.env.SUBSCRIBERS.getByName(page_id);
  const found = await callDependency("newsletter_failed", async () => object.subscriber(id));
  const locale = found?.source.locale ?? readerLanguage(c);
  c.set("locale", locale);
  return { token, id, object, page_id, state: found === null ? "gone" : "confirmed", locale };
}

async function answer(
  c: AppContext,
  { token, page_id, locale }: MailLink,
  state: NewsletterState,
  status: 200 | 410 = 200,
): Promise<Response> {
  const page =
    page_id === null
      ? null
      : await callDependency("newsletter_failed", () => publishedName(c.env.DB, page_id, locale));
  const query = `?token=${encodeURIComponent(token)}`;
  const has_button = state === "confirm" || state === "unsubscribe";
  const props = {
    files:
      state !== "confirmed" || page_id === null ? [] : await filesOf(c, token, page_id, locale),
    ...(has_button ? { action: c.req.path + query } : {}),
    ...(state === "confirmed" ? { leave: UNSUBSCRIBE_PATH + query } : {}),
  };
  c.header("X-Robots-Tag", "noindex");
  return c.html(render({ locale, state, page, ...props }), status);
}

async function filesOf(c: AppContext, token: string, page_id: string, locale: Locale) {
  const [files, id] = await callDependency("newsletter_failed", () =>
    Promise.all([
      subscribersFiles(c.env.DB, page_id, locale, Date.now()),
      c.env.SUBSCRIBERS.getByName(page_id).subscriberOf(token),
    ]),
  );
  if (id === null) return [];
  const subscriber = signFileToken(c.env, page_id, id);
  return files.map(({ file_id, link_id, label }) => {
    const query = new URLSearchParams({ page_id, link_id, subscriber });
    return { label, href: `${DOWNLOAD_PATH}/${file_id}?${query}` };
  });
}
