/**
 * What the rules need of a hub under test: its six routes, asked as the service asks them, two users, and what must come.
 * A `Broken` is thrown where something else comes.
 */
import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import * as z from "zod/mini";
import { withTimeout } from "../../objects/platform/clock.ts";
import { Wallet } from "../../src/accounts/hub-answers.ts";
import { HUB_ANSWER_BYTES_MAX, HUB_TIMEOUT_MS } from "../../src/accounts/limits.ts";
import { parseJson, readStream } from "../../src/http/body.ts";

export interface HubUnderTest {
  /** Its address without a slash at its end. */
  url: string;
  cookieName: string;
  /** Values of the cookie. The first user needs `POINTS_MIN`, and this session ends. */
  session: string;
  otherSession: string;
  secret: string;
  /** What sends the requests, for a hub that is not on the network. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Rules of every answer. The rule whose request met a breach of one cannot be judged. */
export const PROMPT = "every request is answered within 5 s";
export const SMALL = "no answer has more than 65,536 bytes";
export const DIRECT = "no answer is a redirect";
export const MANNERS = [PROMPT, SMALL, DIRECT] as const;

/** A rule is broken: the one that is judged, or one of `MANNERS`. */
export class Broken extends Error {
  readonly manner: (typeof MANNERS)[number] | undefined;

  constructor(reason: string, manner?: (typeof MANNERS)[number]) {
    super(reason);
    this.manner = manner;
  }
}

/** A session by its name in reasons, which never show its value; without a value there is no cookie. */
export interface Session {
  name: string;
  value?: string;
}

interface User {
  session: Session & { value: string };
  /** The hub's id, once the session has told it. */
  id: string;
  /** Points and pending points at the beginning. */
  held_before: number;
}

export interface Answer {
  asked: string;
  status: number;
  body: Uint8Array<ArrayBuffer>;
}

interface Asked {
  session?: Session;
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** How a close is signed; by default as the service does it. */
export interface Signing {
  secret?: string;
  /** The body that is signed, where another one is sent. */
  body?: string;
  age_s?: number;
}

export const TRANSFERS = "/api/wallet/transfers";
const EXCERPT_CHARS_MAX = 200;
const IN_ENGLISH = { error: z.locales.en().localeError };

/** What a wallet has; what arrives may be pending first. */
export const held = ({ points, pending }: Wallet) => points + pending;

/** A key as long as the longest that the service sends: `<id of a tip>.<attempt>`. */
export function newKey(): string {
  return `tip_${randomUUID().replaceAll("-", "")}.100`;
}

export class Trial {
  readonly sender: User;
  readonly recipient: User;
  readonly #hub: HubUnderTest;

  constructor(hub: HubUnderTest) {
    this.#hub = hub;
    this.sender = { session: { name: "HUB_SESSION", value: hub.session }, id: "", held_before: 0 };
    const session = { name: "HUB_OTHER_SESSION", value: hub.otherSession };
    this.recipient = { session, id: "", held_before: 0 };
  }

  get(path: string, session?: Session): Promise<Answer> {
    return this.#send("GET", path, session && { session });
  }

  post(path: string, asked: Asked): Promise<Answer> {
    return this.#send("POST", path, asked);
  }

  transfer(key: string | undefined, points: number, order: object = {}, asked: Asked = {}) {
    const body = { to: this.recipient.id, points, notify: false, ...order };
    return this.post(TRANSFERS, { session: this.sender.session, key, body, ...asked });
  }

  giveBack(key: string, points: number): Promise<Answer> {
    return this.transfer(key, points, { to: this.sender.id }, { session: this.recipient.session });
  }

  /** Null: without a signature. */
  close(user_id: string, key: string, signing: Signing | null = {}): Promise<Answer> {
    const body = JSON.stringify({ user_id, key });
    const path = `${TRANSFERS}/close`;
    if (signing === null) return this.post(path, { body });
    const id = `msg_${randomUUID().replaceAll("-", "")}`;
    const date = new Date(Date.now() - (signing.age_s ?? 0) * 1_000);
    const signed = new Webhook(signing.secret ?? this.#hub.secret);
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(date.getTime() / 1_000)),
      "webhook-signature": signed.sign(id, date, signing.body ?? body),
    };
    return this.post(path, { body, headers });
  }

  async wallet({ session }: User): Promise<Wallet> {
    return read(await this.get("/api/wallet", session), 200, Wallet);
  }

  async moves(work: () => Promise<number>): Promise<void> {
    const wallets = () => Promise.all([this.wallet(this.sender), this.wallet(this.recipient)]);
    const before = await wallets();
    const points = await work();
    const after = await wallets();
    const [lost, won] = [held(before[0]) - held(after[0]), held(after[1]) - held(before[1])];
    if (lost === points && won === points) return;
    throw new Broken(
      `the answers say that ${points} points moved; the wallets say that the sender has ${lost} less ` +
        `(of ${held(before[0])}) and the recipient ${won} more, pending ones included`,
    );
  }

  /** A text without the sessions and the secret, which a hub may have repeated in an answer. */
  withoutSecrets(text: string): string {
    const { session, otherSession, secret } = this.#hub;
    return [session, otherSession, secret, secret.replace(/^whsec_/, "")].reduce(
      (shown, value) => shown.replaceAll(value, "[secret]"),
      text,
    );
  }

  async #send(method: "GET" | "POST", path: string, asked: Asked = {}): Promise<Answer> {
    const { session, key, body, headers } = asked;
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const words = [`${method} ${path}`, session && `with ${session.name}`, key, text]
      .filter(Boolean)
      .join(" ");
    const cookie = session?.value;
    // Not `AbortSignal.timeout`: Node may collect a request's signal that follows it before it fires.
    const ending = new AbortController();
    const request = new Request(this.#hub.url + path, {
      method,
      headers: {
        Accept: "application/json",
        ...(cookie === undefined ? {} : { Cookie: `${this.#hub.cookieName}=${cookie}` }),
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
        ...(text === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
      redirect: "manual",
      signal: ending.signal,
    });
    const asking = (this.#hub.fetch ?? fetch)(request).then(async (response) => ({
      status: response.status,
      bytes: await readStream(response.body, HUB_ANSWER_BYTES_MAX, HUB_TIMEOUT_MS),
    }));
    const { status, bytes } = await withTimeout(asking, HUB_TIMEOUT_MS)
      .catch((error: Error & { cause?: { code?: string } }) => {
        throw new Broken(`${words}: ${error.cause?.code ?? error.message}`, PROMPT);
      })
      .finally(() => ending.abort());
    if (bytes === null) throw new Broken(`${words}: ${status} with more bytes than that`, SMALL);
    if (status >= 300 && status < 400) throw new Broken(`${words}: ${status}`, DIRECT);
    return { asked: words, status, body: bytes };
  }
}

/** @throws {Broken} for another status than one of these */
export function demand(answer: Answer, ...statuses: readonly number[]): void {
  if (!statuses.includes(answer.status)) throw unlike(answer, statuses.join(" or "));
}

/** @throws {Broken} for a status that does not refuse */
export function demandRefusal(answer: Answer): void {
  if (answer.status < 400 || answer.status > 499) throw unlike(answer, "4xx");
}

/** The answer's JSON. @throws {Broken} for another status, or JSON that does not match */
export function read<S extends z.ZodMiniType>(
  answer: Answer,
  status: number,
  schema: S,
): z.output<S> {
  demand(answer, status);
  const parsed = schema.safeParse(json(answer), IN_ENGLISH);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw unlike(answer, `as docs/contract.md section 8 has it (${faults.join("; ")})`);
}

function json(answer: Answer): unknown {
  try {
    return parseJson(answer.body);
  } catch {
    throw unlike(answer, "JSON");
  }
}

/** The answers of requests that are sent at once. Rejects once all have come, where one is a breach. */
export async function atOnce(requests: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  const answers = requests.map((ask) => ask());
  await Promise.allSettled(answers);
  return Promise.all(answers);
}

export function unlike({ asked, status, body }: Answer, wanted: string): Broken {
  const text = new TextDecoder().decode(body.subarray(0, EXCERPT_CHARS_MAX));
  return new Broken(
    `${asked}: ${status}${text && ` ${JSON.stringify(text)}`}; it must be ${wanted}`,
  );
}
