/**
 * Calls to one object, gathered. While a call to it is on its way, what other requests in this
 * isolate want of the same object waits for a moment and goes along with the next call: a busy
 * object is asked once for many, and is billed once. A quiet one is asked at once.
 *
 * The platform ties I/O to the request that began it. So every call is made by one of the requests
 * it serves, each request awaits a promise of its own, and `waitUntil` sees both through when a
 * client hangs up. Should a call vanish with its request all the same, the next one that comes does
 * not wait for it, and takes along whoever did.
 */
import { withTimeout } from "../objects/clock.ts";
import { systemClock } from "../objects/ports.ts";
import type { AppContext } from "./context.ts";

/** Longest wait for a call that is on its way before another one is made beside it, in milliseconds. */
const GATHER_MS = 5;
/** Most items of one call. */
const GROUP_MAX = 1_000;

/**
 * Whether the platform hands a promise that one request resolves back to the request that awaits it;
 * it does by its compatibility date. Without that, every request calls for itself.
 */
const CAN_GATHER = Cloudflare.compatibilityFlags.handle_cross_request_promise_resolution === true;

/** An item and what its request is told: its answer, or that the next call is its to make. */
interface Waiting<Item, Answer> {
  item: Item;
  tell: (news: { answer: Answer } | "call") => void;
  fail: (reason: unknown) => void;
}

/** What waits for one object. */
interface Line<Item, Answer> {
  waiting: Waiting<Item, Answer>[];
  /** The call that the others wait for; null when the next one may be made. */
  calling: { since: number } | null;
}

export class Gatherer<Item, Answer> {
  readonly #send: (env: Cloudflare.Env, name: string, items: Item[]) => Promise<Answer[]>;
  readonly #timeout_ms: number;
  readonly #can_gather: boolean;
  readonly #lines = new Map<string, Line<Item, Answer>>();

  /** `send` calls the object of that name and answers each item in order, within `timeout_ms`. */
  constructor(
    send: (env: Cloudflare.Env, name: string, items: Item[]) => Promise<Answer[]>,
    timeout_ms: number,
    can_gather: boolean = CAN_GATHER,
  ) {
    this.#send = send;
    this.#timeout_ms = timeout_ms;
    this.#can_gather = can_gather;
  }

  /** The object's answer to one item. Rejects with the call's error, or when it takes too long. */
  async submit(c: AppContext, name: string, item: Item): Promise<Answer> {
    const line = this.#lines.get(name) ?? { waiting: [], calling: null };
    this.#lines.set(name, line);
    if (this.#can_gather && isUnderWay(line.calling)) {
      const { promise, resolve, reject } = Promise.withResolvers<{ answer: Answer } | "call">();
      line.waiting.push({ item, tell: resolve, fail: reject });
      c.executionCtx.waitUntil(promise.catch(() => undefined));
      const news = await promise;
      if (news !== "call") return news.answer;
    }
    return this.#call(c, name, line, item);
  }

  /** Makes the next call, for this request's item and for all that wait. */
  async #call(c: AppContext, name: string, line: Line<Item, Answer>, item: Item): Promise<Answer> {
    const others = line.waiting.splice(0, GROUP_MAX - 1);
    const calling = { since: Date.now() };
    line.calling = calling;
    const giveTurn = () => {
      if (line.calling !== calling) return;
      line.calling = null;
      const next = line.waiting.shift();
      if (next !== undefined) next.tell("call");
      else this.#lines.delete(name);
    };
    const callOff = systemClock.after(GATHER_MS, giveTurn);
    const carrying = this.#carry(c.env, name, item, others).finally(() => {
      callOff();
      giveTurn();
    });
    c.executionCtx.waitUntil(carrying.catch(() => undefined));
    return carrying;
  }

  /** Sends the items of a call; answers the first and tells the others. */
  async #carry(
    env: Cloudflare.Env,
    name: string,
    item: Item,
    others: readonly Waiting<Item, Answer>[],
  ): Promise<Answer> {
    try {
      const items = [item, ...others.map((other) => other.item)];
      const answers = await withTimeout(this.#send(env, name, items), this.#timeout_ms);
      const [mine, ...theirs] = answers;
      // The object answers item by item; one that is missing is a bug of ours, not an answer.
      if (mine === undefined || theirs.length !== others.length)
        throw new Error("not all answered");
      theirs.forEach((answer, i) => void others[i]?.tell({ answer }));
      return mine;
    } catch (error) {
      for (const { fail } of others) fail(error);
      throw error;
    }
  }
}

/** A clock that stepped back makes no call younger than it is. */
function isUnderWay(calling: { since: number } | null): boolean {
  if (calling === null) return false;
  const age_ms = Date.now() - calling.since;
  return age_ms >= 0 && age_ms < GATHER_MS;
}
