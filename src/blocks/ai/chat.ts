/**
 * Client of an OpenAI-compatible endpoint, `POST <AI_URL>/chat/completions`. A client library would
 * add 100 KB to the Worker for this one call.
 *
 * The answer is bounded in time and size, no redirect is followed (the key must not reach another
 * host), and only texts that match their schema leave this file (docs/security.md S30). Not a stream:
 * suggestions are short, and are shown once all of them have been checked.
 */
import * as z from "zod/mini";
import { logError } from "../../../objects/platform/log.ts";
import { parseJson, readStream } from "../../http/body.ts";
import type { Settings } from "../../http/config.ts";
import { AI_ANSWER_BYTES_MAX, AI_TIMEOUT_MS, AI_TRIES_MAX } from "./limits.ts";
import type { Message } from "./prompt.ts";
import { unavailable } from "./quota.ts";

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).check(z.minLength(1)),
});

/**
 * Asks once more where `read` refuses the model's answer, a JSON value, by returning null. Null where the
 * endpoint must be paid for nothing usable: nonsense twice, too much, or over 20 s in all. Throws 503
 * AI_UNAVAILABLE where it refused to work, or cannot be reached.
 */
export async function askModel<T>(
  settings: Settings<"ai">,
  messages: readonly Message[],
  read: (answer: unknown) => T | null,
): Promise<T | null> {
  const signal = AbortSignal.timeout(AI_TIMEOUT_MS);
  let is_paid = false;
  try {
    for (let tries = 0; tries < AI_TRIES_MAX; tries += 1) {
      const response = await post(settings, messages, signal);
      is_paid = true;
      const result = read(await completionOf(response));
      if (result !== null) return result;
    }
    throw new Error("the endpoint gave no usable suggestions");
  } catch (cause) {
    logError("ai_failed", {}, cause);
    // The endpoint bills an answer that nobody waited for all the same.
    if (is_paid || signal.aborted) return null;
    throw unavailable(cause);
  }
}

async function post(
  { AI_URL, AI_MODEL, AI_KEY = "" }: Settings<"ai">,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(`${AI_URL}/chat/completions`, {
    method: "POST",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      ...(AI_KEY === "" ? {} : { Authorization: `Bearer ${AI_KEY}` }),
    },
    body: JSON.stringify({ model: AI_MODEL, messages, response_format: { type: "json_object" } }),
    redirect: "manual",
    signal,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the endpoint answered ${response.status}`);
  }
  return response;
}

async function completionOf(response: Response): Promise<unknown> {
  const body = await readStream(response.body, AI_ANSWER_BYTES_MAX, AI_TIMEOUT_MS);
  if (body === null) throw new Error("the endpoint answered too much");
  const completion = Completion.safeParse(jsonOf(() => parseJson(body)));
  const content = completion.data?.choices[0]?.message.content ?? "";
  // Some models write a fence or a sentence around the object.
  const object = content.slice(Math.max(0, content.indexOf("{")), content.lastIndexOf("}") + 1);
  return jsonOf(() => JSON.parse(object));
}

function jsonOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return null;
  }
}
