/** Suggestions of the service, and how many the creator has left (docs/contract.md section 11). */
import { useSyncExternalStore } from "hono/jsx/dom";
import type { Refusal } from "../../api.ts";
import type { Editing } from "../editing.ts";
import { AI_TEXTS } from "./ai-texts.ts";
import { type Left, leftOf } from "./wire.ts";

/** The service waits 20 s for its endpoint; the rest is for the way there and back. */
const TIMEOUT_MS = 30_000;

export interface Suggestions {
  bio: readonly string[];
  labels: readonly (readonly string[])[];
  translate: readonly (readonly string[])[];
  alt: readonly string[];
}

export type Asked<T> = { ok: true; suggestions: T } | { ok: false; why: string };

export async function ask<R extends keyof Suggestions>(
  { api }: Pick<Editing, "api">,
  route: R,
  json: unknown,
): Promise<Asked<Suggestions[R]>> {
  const answer = await api.call<{ suggestions: Suggestions[R] }>(`/api/ai/${route}`, {
    method: "POST",
    json,
    timeout_ms: TIMEOUT_MS,
  });
  if (!answer.ok) {
    const { limit } = answer.details;
    if (answer.code === "AI_QUOTA_EXCEEDED" && typeof limit === "number") {
      setLeft({ n: 0, of: limit });
    }
    return { ok: false, why: reasonOf(answer) };
  }
  const known = leftOf(answer.headers);
  if (known !== null) setLeft(known);
  return { ok: true, suggestions: answer.body.suggestions };
}

function reasonOf({ code, message, retry_after_s }: Refusal): string {
  if (code === "NO_ANSWER") return AI_TEXTS.no_answer;
  if (code === "AI_UNAVAILABLE") return AI_TEXTS.unavailable;
  if (code === "AI_QUOTA_EXCEEDED" && retry_after_s !== null) {
    return AI_TEXTS.used_up(Date.now() + retry_after_s * 1_000);
  }
  return message || AI_TEXTS.no_answer;
}

let left: Left | null = null;
const listeners = new Set<() => void>();

function setLeft(next: Left): void {
  left = next;
  for (const listener of listeners) listener();
}

export function useLeft(): Left | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => left,
  );
}
