/**
 * A newsletter's object that is killed at every step, and whose calls fail or lose their answers at
 * every step: the set of subscribers, their conversions and mails come out the same.
 */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { ComposedMail } from "../../objects/newsletter/compose-mail.ts";
import {
  MAIL_PAUSE_MS,
  MAIL_TRIES_MAX,
  TOKENS_KEPT,
  WELCOME_PAUSE_MS,
} from "../../objects/newsletter/mail-queue.ts";
import { NewsletterBook, PENDING_MS } from "../../objects/newsletter/newsletter-book.ts";
import type { NewsletterPorts } from "../../objects/newsletter/newsletter-ports.ts";
import { HOUR_MS, MINUTE_MS } from "../../objects/platform/clock.ts";
import type { Database, Statement, Storage } from "../../objects/platform/ports.ts";
import type { Conversion } from "../../objects/tables/conversion.ts";
import { Disk } from "../model/disk.ts";

/**
 * What happens at a step: power is lost before or after it, or its answer is an error, before or after it;
 * or power is lost right after the object has acknowledged a call.
 */
type Fault = "kill" | "kill after" | "fail" | "lose" | "kill when acknowledged";

const KILLED = new Error("killed");

class World {
  now = Date.UTC(2026, 9, 1);
  readonly mails: ComposedMail[] = [];
  readonly conversions: Conversion[] = [];
  readonly announced: { n: number; version: number }[] = [];
  charged = 0;
  steps = 0;
  acknowledged = 0;
  /** Mails that the budget still admits. */
  budget = Number.POSITIVE_INFINITY;
  mail_from = "news@sila.example";
  is_published = true;
  d1_fails = false;
  /** The page ends while D1 is asked. */
  ends_when_asked = false;
  /** The clock steps forward by so much while D1 is asked. */
  step_when_asked_ms = 0;
  /** How often D1 was asked whether the page is published. */
  asked = 0;
  /** Mails that were handed over while the mail service refuses them. */
  refused: number | null = null;
  loses_answers = false;
  readonly #fault: Fault | null;
  readonly #at: number;
  readonly #commits: (() => void)[] = [];
  readonly #disk = new Disk({
    commitDelay: () => 0,
    after: (_, run) => this.#commits.push(run),
    writeFails: () => false,
    broken: () => {},
    committed: () => {},
  });
  #life = 0;
  #random = 0;
  /** Rejects for those who wait for the object when it is killed. */
  #killed = Promise.withResolvers<never>();
  #book: NewsletterBook;
  #storage: Storage;

  constructor(fault: Fault | null = null, at = 0) {
    this.#fault = fault;
    this.#at = at;
    [this.#book, this.#storage] = this.#wake();
  }

  /** Calls the object as a client that repeats what was not acknowledged. */
  async call<T>(work: (book: NewsletterBook) => Promise<T> | T): Promise<T> {
    for (let tries = 0; tries < 5; tries += 1) {
      try {
        const answer = await this.#drive(Promise.resolve().then(() => work(this.#book)));
        this.acknowledged += 1;
        const is_last = this.#fault === "kill when acknowledged" && this.acknowledged === this.#at;
        if (is_last) this.#kill();
        return answer;
      } catch {
        // It was not acknowledged.
      }
    }
    throw new Error("never acknowledged");
  }

  /** Fires the alarms of this length of time. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    for (let alarms = 0; ; alarms += 1) {
      if (alarms > 500) throw new Error("the alarm never rests");
      await this.#pump();
      const at = this.#disk.alarm;
      if (at === null || at > until) break;
      this.now = Math.max(this.now, at);
      this.#disk.clearAlarm();
      await this.#drive(this.#book.onAlarm()).catch((error) => {
        if (error !== KILLED) throw error;
      });
    }
    this.now = until;
  }

  /** The platform loses the alarm, and the object is evicted. */
  async loseAlarm(): Promise<void> {
    await this.#pump();
    this.#disk.clearAlarm();
    await this.#pump();
    this.#kill();
    await this.#pump();
  }

  /** All that is stored, as text. */
  stored(): string {
    const tables = this.#disk.contents().filter((name) => /^[a-z]+$/.test(name));
    return tables
      .filter((name) => !["alarm", "salt", "version", "announced"].includes(name))
      .map((name) => JSON.stringify(this.#storage.sql.exec(`SELECT * FROM ${name}`).toArray()))
      .join("\n");
  }

  mailsWaiting(): number {
    return this.#storage.sql.exec("SELECT id FROM mails").toArray().length;
  }

  get contents(): string[] {
    return this.#disk.contents();
  }

  #wake(): [NewsletterBook, Storage] {
    this.#life += 1;
    const life = this.#life;
    const isAlive = () => life === this.#life;
    const storage = this.#disk.open(isAlive, () => false);
    const sync = storage.sync;
    const call = <T>(effect: () => T): Promise<T> => this.#step(isAlive, effect);
    const ports: NewsletterPorts = {
      // Each commit is a step of its own.
      storage: Object.assign(storage, { sync: () => call(() => undefined).then(() => sync()) }),
      clock: { now: () => this.now, after: () => () => {} },
      random: () => 0.5,
      abort: (reason) => {
        throw new Error(reason);
      },
      pageId: () => "page",
      db: database(() =>
        call(() => {
          this.asked += 1;
          this.now += this.step_when_asked_ms;
          if (this.ends_when_asked) void this.#book.end();
          if (this.d1_fails) throw new Error("D1 refuses");
          return this.is_published ? [{ n: 1 }] : [];
        }),
      ),
      mail_from: this.mail_from,
      sendMail: (mail) =>
        call(() => {
          if (this.refused === null) this.mails.push(mail);
          else this.refused += 1;
          if (this.refused !== null || this.loses_answers) throw new Error("refused");
        }),
      admitMail: () =>
        call(() => {
          if (this.budget <= 0) return { admitted: false, reset_ms: HOUR_MS };
          this.budget -= 1;
          this.charged += 1;
          return { admitted: true, reset_ms: 0 };
        }),
      convert: (_, conversions) => call(() => void this.conversions.push(...conversions)),
      announce: (n, version) => call(() => void this.announced.push({ n, version })),
      randomBytes: (size) => {
        this.#random += 1;
        const bytes = createHash("sha512").update(`${this.#random}`).digest();
        return new Uint8Array(bytes.subarray(0, size));
      },
      failed: () => {},
    };
    const book = new NewsletterBook(ports);
    // An object that is killed before it is ready touches its storage no more.
    book.ready().catch(() => {});
    return [book, storage];
  }

  /** A call to the outside. An object that has been killed gets no answer. */
  async #step<T>(isAlive: () => boolean, effect: () => T): Promise<T> {
    const lost = () => new Promise<never>(() => {});
    await null;
    if (!isAlive()) return lost();
    this.steps += 1;
    const fault = this.steps === this.#at ? this.#fault : null;
    if (fault === "kill") {
      this.#kill();
      return lost();
    }
    if (fault === "fail") throw new Error("refused");
    const result = effect();
    if (fault === "kill after") {
      this.#kill();
      return lost();
    }
    if (fault === "lose") throw new Error("the answer is lost");
    return result;
  }

  /** As a deployment does. */
  restart(): void {
    this.#killed.promise.catch(() => {});
    this.#kill();
  }

  #kill(): void {
    this.#disk.crash();
    this.#commits.length = 0;
    const { reject } = this.#killed;
    this.#killed = Promise.withResolvers<never>();
    this.#killed.promise.catch(() => {});
    [this.#book, this.#storage] = this.#wake();
    reject(KILLED);
  }

  /** Runs until the object has answered, or has been killed. */
  async #drive<T>(work: Promise<T>): Promise<T> {
    const { promise: killed } = this.#killed;
    killed.catch(() => {});
    let settled = false;
    const done = Promise.race([work, killed]).finally(() => {
      settled = true;
    });
    done.catch(() => {});
    for (let turns = 0; ; turns += 1) {
      if (turns > 1_000) throw new Error("the object never answers");
      await new Promise((resolve) => setImmediate(resolve));
      if (settled) return done;
      for (const commit of this.#commits.splice(0)) commit();
    }
  }

  async #pump(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (const commit of this.#commits.splice(0)) commit();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** D1, of which every statement has this answer. */
function database(answer: () => Promise<object[]>): Database {
  const statement: Statement = {
    bind: () => statement,
    all: async <R>() => ({ results: (await answer()) as R[] }),
  };
  return {
    prepare: () => statement,
    batch: () => Promise.reject(new Error("the newsletter writes nothing to D1")),
  };
}

const request = (email: string) => ({
  email,
  link_id: "block",
  locale: "en" as const,
  class: "human" as const,
  origin: null,
  site: "https://sila.example",
  page_name: "Layan",
});

function tokenOf(mail: ComposedMail | undefined): string {
  return /token=(\S+)/.exec(mail?.text ?? "")?.[1] ?? "";
}

function lastMail(world: World, to: string): ComposedMail | undefined {
  return world.mails.filter((mail) => mail.to === to).at(-1);
}

/** The page is not published for a while, in which no mail comes; those that wait come within an hour. */
async function unpublished(world: World): Promise<void> {
  const mails = world.mails.length;
  world.is_published = false;
  await world.pass(2 * HOUR_MS);
  expect(world.mails).toHaveLength(mails);
  world.is_published = true;
  await world.pass(HOUR_MS + MINUTE_MS);
}

/** Three ask; two confirm, of whom one leaves; one never answers. The page is suspended before each mail. */
async function story(world: World): Promise<void> {
  for (const name of ["a", "b", "c"]) {
    expect(await world.call((book) => book.request(request(`${name}@example.com`)))).toBe(true);
  }
  await unpublished(world);
  for (const name of ["a", "b"]) {
    const token = tokenOf(lastMail(world, `${name}@example.com`));
    expect(await world.call((book) => book.confirm(token))).toBe("confirmed");
  }
  await unpublished(world);
  const token = tokenOf(lastMail(world, "b@example.com"));
  await world.call((book) => book.unsubscribe(token));
  await world.pass(MINUTE_MS);
}

async function judge(world: World): Promise<void> {
  const { subscribers, total, pending } = await world.call((book) =>
    book.list({ limit: 100, after: null, q: null }),
  );
  expect(subscribers.map(({ email }) => email)).toEqual(["a@example.com"]);
  expect({ total, pending }).toEqual({ total: 1, pending: 1 });
  // Both who confirmed are conversions, each under one id.
  const ids = new Set(world.conversions.map(({ id }) => id));
  expect(ids.size).toBe(2);
  expect(ids).toContain(subscribers[0]?.id);
  const newest = world.announced.toSorted((one, other) => other.version - one.version)[0];
  expect(newest?.n).toBe(1);
  // A mail that was sent twice is the same mail, and each kind of mail came to each address once.
  const by_id = new Map<string, string>();
  const kinds: string[] = [];
  for (const mail of world.mails) {
    const id = mail.headers["X-Sila-Mail-Id"] ?? "";
    if (!by_id.has(id)) kinds.push(`${mail.to} ${mail.subject.split(" ")[0]}`);
    expect(by_id.get(id) ?? JSON.stringify(mail)).toBe(JSON.stringify(mail));
    by_id.set(id, JSON.stringify(mail));
  }
  expect(kinds.toSorted()).toEqual([
    "a@example.com Confirm",
    "a@example.com You",
    "b@example.com Confirm",
    "b@example.com You",
    "c@example.com Confirm",
  ]);
  // Once for each mail, and once more for those that were being charged at a kill.
  expect(world.charged).toBeGreaterThanOrEqual(by_id.size);
  expect(world.charged).toBeLessThanOrEqual(by_id.size + 3);
  // Who has left is nowhere, and the others' tokens are stored as hashes alone.
  expect(world.stored()).not.toContain("b@example.com");
  for (const mail of world.mails) expect(world.stored()).not.toContain(tokenOf(mail));
}

test("the story without a fault", async () => {
  const world = new World();
  await story(world);
  await judge(world);
  expect(world.mails).toHaveLength(5);
  expect(world.conversions).toHaveLength(2);
});

test.each<Fault>(["kill", "kill after", "fail", "lose", "kill when acknowledged"])(
  "%s at any step changes nothing of the outcome",
  async (fault) => {
    const whole = new World();
    await story(whole);
    const steps = fault === "kill when acknowledged" ? whole.acknowledged : whole.steps;
    expect(steps).toBeGreaterThan(5);
    for (let at = 1; at <= steps; at += 1) {
      const world = new World(fault, at);
      try {
        await story(world);
        await judge(world);
      } catch (error) {
        throw new Error(`${fault} at step ${at}`, { cause: error });
      }
    }
  },
);

test("nothing of an address that is not confirmed is stored after 48 hours", async () => {
  const world = new World();
  await story(world);
  await world.pass(PENDING_MS - 7 * HOUR_MS);
  expect(world.stored()).toContain("c@example.com");
  await world.pass(HOUR_MS);
  expect(world.stored()).not.toContain("c@example.com");
  expect(world.stored()).toContain("a@example.com");
  const token = tokenOf(lastMail(world, "c@example.com"));
  expect(await world.call((book) => book.confirm(token))).toBe("gone");
});

test("an address gets one mail an hour, and who left within the hour gets it later", async () => {
  const world = new World();
  const ask = () => world.call((book) => book.request(request("a@example.com")));
  for (let n = 0; n < 3; n += 1) {
    await ask();
    await world.pass(10 * MINUTE_MS);
  }
  expect(world.mails).toHaveLength(1);
  await world.call((book) => book.unsubscribe(tokenOf(world.mails[0])));
  await ask();
  await world.pass(MAIL_PAUSE_MS - 31 * MINUTE_MS);
  expect(world.mails).toHaveLength(1);
  await world.pass(2 * MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  await world.pass(MAIL_PAUSE_MS);
  await ask();
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(3);
});

test("a mail that is refused is tried twelve times in hours, and then given up", async () => {
  const world = new World();
  world.refused = 0;
  await world.call((book) => book.request(request("a@example.com")));
  await world.pass(2 * MINUTE_MS);
  expect(world.refused).toBeGreaterThan(3);
  await world.pass(HOUR_MS);
  expect(world.refused).toBeLessThan(MAIL_TRIES_MAX);
  await world.pass(PENDING_MS / 2);
  expect(world.refused).toBe(12);
  // Charged once, and who asks again gets a new mail.
  expect(world.charged).toBe(1);
  world.refused = null;
  await world.call((book) => book.request(request("a@example.com")));
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(1);
});

test("a mail whose answer was lost is the same one when its reader asks again in between", async () => {
  const world = new World();
  world.loses_answers = true;
  await world.call((book) => book.request(request("a@example.com")));
  await world.pass(MINUTE_MS / 6);
  const other = { locale: "ar", site: "https://other.example", page_name: "ليان" } as const;
  await world.call((book) => book.request({ ...request("a@example.com"), ...other }));
  await world.pass(MINUTE_MS);
  world.loses_answers = false;
  await world.pass(10 * MINUTE_MS);
  expect(world.mails.length).toBeGreaterThan(3);
  expect(new Set(world.mails.map((mail) => JSON.stringify(mail))).size).toBe(1);
});

test("one who has confirmed gets one mail a day, and the links of the newest five mails work", async () => {
  const world = new World();
  const ask = () => world.call((book) => book.request(request("a@example.com")));
  await ask();
  await world.pass(MINUTE_MS);
  await world.call((book) => book.confirm(tokenOf(world.mails[0])));
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  for (let hour = 0; hour < 23; hour += 1) {
    await world.pass(HOUR_MS);
    await ask();
  }
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  for (let day = 0; day < 5; day += 1) {
    await world.pass(WELCOME_PAUSE_MS);
    await ask();
  }
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(7);
  expect(new Set(world.mails.slice(1).map(({ subject }) => subject)).size).toBe(1);
  const states = [];
  for (const mail of world.mails) {
    states.push((await world.call((book) => book.tokenState(tokenOf(mail)))).state);
  }
  expect(states).toEqual(["gone", "gone", ...Array(TOKENS_KEPT).fill("confirmed")]);
});

test("an object whose alarm was lost goes on when it is next read", async () => {
  const world = new World();
  await world.call((book) => book.request(request("a@example.com")));
  await world.loseAlarm();
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(1);
  // What nobody confirms is forgotten in time too.
  await world.loseAlarm();
  await world.pass(PENDING_MS);
  expect(world.stored()).not.toContain("a@example.com");
});

test("above the day's budget mails come later, each once", async () => {
  const world = new World();
  world.budget = 2;
  for (let n = 0; n < 5; n += 1) {
    await world.call((book) => book.request(request(`${n}@example.com`)));
  }
  await world.pass(10 * MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  world.budget = 10;
  await world.pass(2 * HOUR_MS);
  expect(new Set(world.mails.map(({ to }) => to)).size).toBe(5);
  expect(world.mails).toHaveLength(5);
  expect(world.charged).toBe(5);
});

test("a link works for the 24 hours that its mail promises, however late the mail was sent", async () => {
  const world = new World();
  world.budget = 0;
  await world.call((book) => book.request(request("a@example.com")));
  await world.pass(23 * HOUR_MS - MINUTE_MS);
  world.budget = 10;
  await world.pass(HOUR_MS);
  const [mail] = world.mails;
  expect(mail?.text).toContain("works for 24 hours");
  await world.pass(24 * HOUR_MS - MINUTE_MS);
  expect(await world.call((book) => book.confirm(tokenOf(mail)))).toBe("confirmed");
});

test("a mail that could not be sent for a day is given up", async () => {
  const world = new World();
  world.budget = 0;
  await world.call((book) => book.request(request("a@example.com")));
  // The budget is asked between the full hours from now on.
  await world.pass(HOUR_MS / 2);
  await world.call((book) => book.request(request("b@example.com")));
  await world.pass(23.5 * HOUR_MS + MINUTE_MS);
  expect(world.mailsWaiting()).toBe(1);
  await world.pass(HOUR_MS / 2);
  expect(world.mailsWaiting()).toBe(0);
  world.budget = 10;
  await world.pass(PENDING_MS);
  expect(world.mails).toHaveLength(0);
});

test("while the page is not published, D1 is asked once an hour, and nothing is charged", async () => {
  const world = new World();
  world.is_published = false;
  for (let n = 0; n < 30; n += 1) {
    await world.call((book) => book.request(request(`${n}@example.com`)));
  }
  await world.pass(3 * HOUR_MS + MINUTE_MS);
  expect([world.mails, world.charged, world.asked]).toEqual([[], 0, 4]);
  world.is_published = true;
  await world.pass(HOUR_MS);
  // One question for the twenty mails of an alarm.
  expect([world.mails.length, world.charged, world.asked]).toEqual([30, 30, 6]);
});

test("a mail of a page that is not published for a day is given up, and who asks again gets a new one", async () => {
  const world = new World();
  world.is_published = false;
  await world.call((book) => book.request(request("a@example.com")));
  // D1 is asked between the full hours from now on.
  await world.pass(HOUR_MS / 2);
  await world.call((book) => book.request(request("b@example.com")));
  await world.pass(23.5 * HOUR_MS - MINUTE_MS);
  expect(world.mailsWaiting()).toBe(2);
  await world.pass(2 * MINUTE_MS);
  expect(world.mailsWaiting()).toBe(1);
  await world.pass(HOUR_MS / 2);
  expect(world.mailsWaiting()).toBe(0);
  world.is_published = true;
  await world.pass(2 * HOUR_MS);
  expect(world.mails).toEqual([]);
  await world.call((book) => book.request(request("a@example.com")));
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(1);
});

test("while D1 fails mails wait, and come within a minute of its recovery", async () => {
  const world = new World();
  world.d1_fails = true;
  await world.call((book) => book.request(request("a@example.com")));
  for (let hour = 0; hour < 6; hour += 1) await world.pass(HOUR_MS);
  expect([world.mails, world.charged]).toEqual([[], 0]);
  // The pauses grow to 45 s, less a quarter by the jitter.
  expect(world.asked).toBeLessThan((6 * HOUR_MS) / 30_000);
  world.d1_fails = false;
  await world.pass(MINUTE_MS);
  expect([world.mails.length, world.charged]).toEqual([1, 1]);
});

test("while D1 fails a mail is given up at its end all the same", async () => {
  const world = new World();
  world.d1_fails = true;
  await world.call((book) => book.request(request("a@example.com")));
  for (let hour = 0; hour < 24; hour += 1) await world.pass(HOUR_MS);
  await world.pass(MINUTE_MS);
  world.d1_fails = false;
  await world.pass(MINUTE_MS);
  expect(world.mails).toEqual([]);
});

test("a mail whose time is over when D1 answers is not sent", async () => {
  const world = new World();
  world.budget = 0;
  await world.call((book) => book.request(request("a@example.com")));
  await world.pass(HOUR_MS / 2);
  await world.call((book) => book.request(request("b@example.com")));
  await world.pass(22.75 * HOUR_MS);
  world.budget = 10;
  world.step_when_asked_ms = 0.75 * HOUR_MS;
  await world.pass(HOUR_MS);
  expect(world.mails.map(({ to }) => to)).toEqual(["b@example.com"]);
});

test("without a sender mails are given up at their end too", async () => {
  const world = new World();
  await world.call((book) => book.request(request("a@example.com")));
  await world.pass(MINUTE_MS);
  world.mail_from = "";
  world.restart();
  await world.call((book) => book.confirm(tokenOf(world.mails[0])));
  await world.pass(24 * HOUR_MS + MINUTE_MS);
  expect(world.mailsWaiting()).toBe(0);
  world.mail_from = "news@sila.example";
  world.restart();
  await world.pass(HOUR_MS);
  expect(world.mails).toHaveLength(1);
});

test("without a sender mails wait for a deployment that has one, and none is charged", async () => {
  const world = new World();
  world.mail_from = "";
  world.restart();
  await world.call((book) => book.request(request("a@example.com")));
  await world.pass(2 * HOUR_MS);
  expect([world.mails, world.charged]).toEqual([[], 0]);
  world.mail_from = "news@sila.example";
  world.restart();
  await world.pass(2 * HOUR_MS);
  expect(world.mails).toHaveLength(1);
  expect(world.charged).toBe(1);
});

test("a page that ends while D1 is asked sends nothing more, and nothing of it is left", async () => {
  for (const is_published of [true, false]) {
    const world = new World();
    world.ends_when_asked = true;
    world.is_published = is_published;
    await world.call((book) => book.request(request("a@example.com")));
    await world.pass(2 * HOUR_MS);
    expect([world.mails, world.asked, world.contents]).toEqual([[], 1, []]);
  }
});

test("of a page that has ended nothing is left", async () => {
  const world = new World();
  await story(world);
  await world.call((book) => book.end());
  await world.pass(MINUTE_MS);
  expect(world.contents).toEqual([]);
});
