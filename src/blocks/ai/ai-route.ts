/**
 * Suggestions (docs/contract.md section 11). The shapes are in `suggestion-schema.ts`.
 *
 *   POST /api/ai/bio        {locale, about}                  {ok, suggestions: string[]}
 *   POST /api/ai/labels     {locale, links: [{url, label?}]} {ok, suggestions: string[][]}, one list per link
 *   POST /api/ai/translate  {from, to, texts: string[]}      {ok, suggestions: string[][]}, one list per text
 *   POST /api/ai/alt        {locale, image}                  {ok, suggestions: string[]}
 *
 * A request is one unit of the user's quota; each list has one to three texts, the best first. `RateLimit-Policy:
 * "ai";q=10;w=86400` and `RateLimit: "ai";r=9;t=86400` come with 200, with 429 AI_QUOTA_EXCEEDED (`details: {limit,
 * window_s, retry_after_s}`, `Retry-After`) and with 503 AI_UNAVAILABLE, which uses the unit if the endpoint must be
 * paid. Other errors: 400, 401, 403 CSRF_REQUIRED, 404 for another user's picture, 413, 415, 429 RATE_LIMITED, 502,
 * 503, 504.
 */
import type { Context } from "hono";
import type * as z from "zod/mini";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { readJson } from "../../http/body.ts";
import { readConfig } from "../../http/config.ts";
import {
  AI_ALT_PATH,
  AI_BIO_PATH,
  AI_LABELS_PATH,
  AI_TRANSLATE_PATH,
} from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import {
  ALT_CHARS_MAX,
  BIO_CHARS_MAX,
  LINK_LABEL_CHARS_MAX,
  LINK_TEXT_CHARS_MAX,
} from "../../pages/document/limits.ts";
import { askModel } from "./chat.ts";
import { AI_BODY_BYTES_MAX } from "./limits.ts";
import { ownPicture } from "./own-picture.ts";
import { altPrompt, bioPrompt, labelsPrompt, type Message, translatePrompt } from "./prompt.ts";
import { forOneUnit, unavailable } from "./quota.ts";
import { readList, readLists } from "./read-suggestions.ts";
import { AltRequest, BioRequest, LabelsRequest, TranslateRequest } from "./suggestion-schema.ts";

const PATHS = [AI_BIO_PATH, AI_LABELS_PATH, AI_TRANSLATE_PATH, AI_ALT_PATH] as const;

export const ai = new Hono<SignedIn>();
for (const path of PATHS) ai.use(path, exactLimit);

ai.post(AI_BIO_PATH, privateRoute, async (c) => {
  const messages = bioPrompt(await request(c, BioRequest));
  return suggest(c, messages, (answer) => readList(answer, BIO_CHARS_MAX));
});

ai.post(AI_LABELS_PATH, privateRoute, async (c) => {
  const wanted = await request(c, LabelsRequest);
  return suggest(c, labelsPrompt(wanted), (answer) =>
    readLists(answer, wanted.links.length, LINK_LABEL_CHARS_MAX),
  );
});

ai.post(AI_TRANSLATE_PATH, privateRoute, async (c) => {
  const wanted = await request(c, TranslateRequest);
  return suggest(c, translatePrompt(wanted), (answer) =>
    readLists(answer, wanted.texts.length, LINK_TEXT_CHARS_MAX),
  );
});

ai.post(AI_ALT_PATH, privateRoute, async (c) => {
  const { locale, image } = await request(c, AltRequest);
  const picture = await ownPicture(c.env, c.get("session").user.id, image);
  return suggest(c, altPrompt(locale, picture), (answer) => readList(answer, ALT_CHARS_MAX));
});

for (const path of PATHS) ai.all(path, onlyMethods("POST"));

function request<S extends z.ZodMiniType>(c: Context<SignedIn>, schema: S): Promise<z.output<S>> {
  return readJson(c.req.raw, schema, AI_BODY_BYTES_MAX);
}

async function suggest<T>(
  c: Context<SignedIn>,
  messages: readonly Message[],
  read: (answer: unknown) => T | null,
): Promise<Response> {
  const settings = readConfig(c.env).ai;
  if (settings === null || settings.AI_URL === "") throw unavailable();
  const suggesting = forOneUnit(c, () => askModel(settings, messages, read));
  // A client that leaves does not stop the work between the call and its settling.
  c.executionCtx.waitUntil(suggesting.catch(() => undefined));
  return c.json({ ok: true, suggestions: await suggesting });
}
