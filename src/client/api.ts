/** Calls of the service's API from signed-in pages (docs/contract.md sections 3, 8 and 10). */
import { CSRF_HEADER, LOGIN_PATH, SESSION_PATH } from "../http/endpoints.ts";
import type { Locale } from "../views/locale.ts";
import { type OwnAnswer, REQUEST_TIMEOUT_MS, readOwn, retryAfter } from "./own-answer.ts";

/** A file's size adds to the time, by the slowest line on which it still arrives. */
const SLOWEST_BYTES_PER_MS = 16;

export interface Issue {
  /** `links.3.url`. */
  path: string;
  message: string;
}

/** An answer that is not 2xx; status 0 if the service gave none, whoever else may have answered. */
export interface Refusal {
  ok: false;
  status: number;
  /** docs/contract.md section 3; `NO_ANSWER` for status 0, `OTHER_USER` of {@link Api.call}. */
  code: string;
  message: string;
  issues: readonly Issue[];
  details: Readonly<Record<string, unknown>>;
  /** A repeated request is admitted then; null where the answer does not say. */
  retry_after_s: number | null;
}

export type Answer<T> = { ok: true; status: number; body: T; headers: Headers } | Refusal;

export interface Call {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  json?: unknown;
  body?: BodyInit;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Some answers take longer to make than the usual time. */
  timeout_ms?: number;
}

export interface Who {
  user_id: string;
  csrf_token: string;
}

export class Api {
  readonly #locale: Locale;
  #csrf_token: string;
  readonly #user_id: string | null;
  readonly #fetch: typeof fetch;

  /** @param user_id whose session each call needs; null: the session of any user will do */
  constructor(
    locale: Locale,
    csrf_token: string,
    user_id: string | null,
    ask: typeof fetch = fetch.bind(globalThis),
  ) {
    this.#locale = locale;
    this.#csrf_token = csrf_token;
    this.#user_id = user_id;
    this.#fetch = ask;
  }

  /**
   * Never rejects. After a 403 CSRF_REQUIRED it gets the session's token and repeats the call once.
   * It is not repeated in the name of somebody else who is signed in now: that is a 401 OTHER_USER.
   */
  async call<T>(path: string, call: Call = {}): Promise<Answer<T>> {
    const first = await this.#send<T>(path, call);
    if (first.ok || first.code !== "CSRF_REQUIRED") return first;
    const who = await this.who();
    if (who === null) return first;
    if (this.#user_id !== null && who.user_id !== this.#user_id) {
      return { ...first, status: 401, code: "OTHER_USER" };
    }
    return this.#send<T>(path, call);
  }

  /** Null if nobody is signed in now, and without an answer. */
  async who(): Promise<Who | null> {
    type Session = { user: { id: string } | null; csrf_token: string | null };
    const answer = await this.#send<Session>(SESSION_PATH, {});
    if (!answer.ok || answer.body.user === null || answer.body.csrf_token === null) return null;
    this.#csrf_token = answer.body.csrf_token;
    return { user_id: answer.body.user.id, csrf_token: this.#csrf_token };
  }

  async #send<T>(path: string, call: Call): Promise<Answer<T>> {
    const { method = "GET", json, body, headers, signal } = call;
    const late = new AbortController();
    const bytes = body instanceof Blob ? body.size : 0;
    const { timeout_ms = REQUEST_TIMEOUT_MS } = call;
    const timer = setTimeout(() => late.abort(), timeout_ms + bytes / SLOWEST_BYTES_PER_MS);
    const stop = () => late.abort();
    signal?.addEventListener("abort", stop);
    try {
      const response = await this.#fetch(path, {
        method,
        // Browsers would keep some answers for ever that somebody else gave, such as a 410.
        cache: "no-cache",
        headers: {
          ...(method === "GET" ? {} : { [CSRF_HEADER]: this.#csrf_token }),
          ...(json === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        body: json === undefined ? (body ?? null) : JSON.stringify(json),
        signal: late.signal,
      });
      const answer = await readOwn(response);
      if (answer === null) return NO_ANSWER;
      return answer.ok ? { ...answer, body: answer.body as T } : refusal(answer, this.#locale);
    } catch {
      return NO_ANSWER;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}

/** The service did not answer, but may have processed the request. */
export const NO_ANSWER: Refusal = {
  ok: false,
  status: 0,
  code: "NO_ANSWER",
  message: "",
  issues: [],
  details: {},
  retry_after_s: null,
};

/** Something on the way took `If-Match` off, or the network was too slow for the body. */
const MUTILATED: ReadonlySet<string> = new Set(["PRECONDITION_REQUIRED", "INVALID_JSON"]);

function refusal(
  { status, headers, body }: Extract<OwnAnswer, { ok: false }>,
  locale: Locale,
): Refusal {
  const { code, error, message_en, details } = body;
  if (MUTILATED.has(code)) return NO_ANSWER;
  const { issues = [] } = details as { issues?: readonly Issue[] };
  const message = locale === "ar" ? error : message_en;
  const retry_after_s = retryAfter(headers);
  return { ok: false, status, code, message, issues, details, retry_after_s };
}

export function signInAddress(return_to: string): string {
  return `${LOGIN_PATH}?${new URLSearchParams({ return_to })}`;
}
