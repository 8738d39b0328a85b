/**
 * A newsletter's object that ends at every step, and whose calls fail or lose their answers at
 * every step: the set of subscribers, their conversions and mails come out the same.
 */
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  MAIL_PAUSE_MS,
  MAIL_TRIES_MAX,
  TOKENS_KEPT,
  WELCOME_PAUSE_MS,
} from "../../../objects/blocks/newsletter/mail-queue.ts";
import { NewsletterBook, PENDING_MS } from "../../../objects/blocks/newsletter/newsletter-book.ts";
import type { SubscriptionRequest } from "../../../objects/blocks/newsletter/subscription.ts";
import type { Conversion } from "../../../objects/events/conversion.ts";
import type { ComposedMail } from "../../../objects/mail/mail.ts";
import { HOUR_MS, MINUTE_MS } from "../../../objects/platform/clock.ts";
import type { Database, Statement, Storage } from "../../../objects/platform/ports.ts";
import { atEachStep, type Fault, Machine, type Outside, Power } from "../machine.ts";

class World extends Power {
  readonly mails: ComposedMail[] = [];
  readonly conversions: Conversion[] = [];
  readonly announced: { n: number; version: number }[] = [];
  charged = 0;
  /** Mails that the budget still admits. */
  budget = Number.POSITIVE_INFINITY;
  refusals = 0;
  /** The address whose mailbox's limit refuses. */
  full_mailbox = "";
  mail_from = "news@sila.example";
  is_published = true;
  d1_fails = false;
  /** What happens while D1 is asked. */
  when_asked = () => {};
  /** How often D1 was asked whether the page is published. */
  asked = 0;
  /** Mails that were handed over while the mail service refuses them. */
  refused: number | null = null;
  answer_is_lost = false;
  readonly machine = new Machine(this, (storage, outside) => this.#book(storage, outside));
  readonly #sent_at = new Map<ComposedMail | undefined, number>();
  #random = 0;

  /** Calls the object as a client that repeats what was not acknowledged. */
  async call<T>(work: (book: NewsletterBook) => Promise<T> | T): Promise<T> {
    for (let tries = 0; tries < 5; tries += 1) {
      const answer = await this.machine.call(work).catch(() => "failed" as const);
      if (answer !== "crashed" && answer !== "failed") return answer;
    }
    throw new Error("never acknowledged");
  }

  ask(name = "a"): Promise<boolean> {
    const email = `${name}@example.com`;
    return this.call((book) => book.request({ ...REQUEST, email }));
  }

  confirm(mail: ComposedMail | undefined): Promise<string> {
    return this.call((book) => book.confirm(tokenOf(mail)));
  }

  pass(ms: number): Promise<void> {
    return this.machine.pass(ms);
  }

  lastMail(name: string): ComposedMail | undefined {
    return this.mails.findLast((mail) => mail.to === `${name}@example.com`);
  }

  sentAt(mail: ComposedMail | undefined): number {
    return this.#sent_at.get(mail) ?? Number.NaN;
  }

  /** All that is stored, as text. */
  stored(): string {
    return this.machine.disk
      .contents()
      .filter((name) => /^[a-z]+$/.test(name) && !NO_TABLES.includes(name))
      .map((name) => JSON.stringify(this.machine.rows(`SELECT * FROM ${name}`)))
      .join("\n");
  }

  mailsWaiting(): number {
    return this.machine.rows("SELECT id FROM mails").length;
  }

  /** A deployment with this sender. */
  deploy(mail_from: string): void {
    this.mail_from = mail_from;
    this.machine.crash();
  }

  #book(storage: Storage, outside: Outside): NewsletterBook {
    return new NewsletterBook({
      storage,
      clock: this.clock,
      random: () => 0.5,
      abort: (reason) => {
        throw new Error(reason);
      },
      pageId: () => "page",
      db: database(() =>
        outside(() => {
          this.asked += 1;
          this.when_asked();
          if (this.d1_fails) throw new Error("D1 refuses");
          return this.is_published ? [{ n: 1 }] : [];
        }),
      ),
      mail_from: this.mail_from,
      site: "https://sila.example",
      sendMail: (mail) =>
        outside(() => {
          if (this.refused === null) {
            this.mails.push(mail);
            this.#sent_at.set(mail, this.now_ms);
            if (this.answer_is_lost) throw new Error("the answer is lost");
          } else {
            this.refused += 1;
            throw new Error("refused");
          }
        }),
      admitMail: ({ address }) =>
        outside(() => {
          if (address === this.full_mailbox) {
            this.refusals += 1;
            return { admitted: false, reset_ms: HOUR_MS, refused_by: "mailbox" };
          }
          if (this.budget <= 0) {
            this.refusals += 1;
            return { admitted: false, reset_ms: HOUR_MS };
          }
          this.budget -= 1;
          this.charged += 1;
          return { admitted: true, reset_ms: 0 };
        }),
      convert: (_, conversions) => outside(() => void this.conversions.push(...conversions)),
      announce: (n, version) => outside(() => void this.announced.push({ n, version })),
      randomBytes: (size) => {
        this.#random += 1;
        const bytes = createHash("sha512").update(`${this.#random}`).digest();
        return new Uint8Array(bytes.subarray(0, size));
      },
      failed: () => {},
    });
  }
}

/** What a disk holds besides its tables. */
const NO_TABLES = ["alarm", "salt", "version", "announced"];

const REQUEST: Omit<SubscriptionRequest, "email"> = {
  ...{ link_id: "block", locale: "en", class: "human", origin: null },
  ...{ site: "https://asked.example", page_name: "Layan" },
};

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

function tokenOf(mail: ComposedMail | undefined): string {
  return /token=(\S+)/.exec(mail?.text ?? "")?.[1] ?? "";
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
  for (const name of ["a", "b", "c"]) expect(await world.ask(name)).toBe(true);
  await unpublished(world);
  for (const name of ["a", "b"]) {
    expect(await world.confirm(world.lastMail(name))).toBe("confirmed");
  }
  await unpublished(world);
  const token = tokenOf(world.lastMail("b"));
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

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

test.each<Fault>(["end", "error"])(
  "an %s at any step changes nothing of the outcome",
  async (fault) => {
    const steps = await atEachStep(async (fault_at) => {
      const world = new World(fault_at, fault);
      await story(world);
      await judge(world);
      return world;
    }, null);
    expect(steps).toBeGreaterThan(20);
  },
);

test("nothing of an address that is not confirmed is stored 24 hours after its mail", async () => {
  await story(world);
  await world.pass(world.sentAt(world.lastMail("c")) + PENDING_MS - 1 - world.now_ms);
  expect(world.stored()).toContain("c@example.com");
  await world.pass(1);
  expect(world.stored()).not.toContain("c@example.com");
  expect(world.stored()).toContain("a@example.com");
  expect(await world.confirm(world.lastMail("c"))).toBe("gone");
});

test("an address gets one mail an hour, and who left within the hour gets it later", async () => {
  for (let n = 0; n < 3; n += 1) {
    await world.ask();
    await world.pass(10 * MINUTE_MS);
  }
  expect(world.mails).toHaveLength(1);
  await world.call((book) => book.unsubscribe(tokenOf(world.mails[0])));
  await world.ask();
  await world.pass(MAIL_PAUSE_MS - 31 * MINUTE_MS);
  expect(world.mails).toHaveLength(1);
  await world.pass(2 * MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  await world.pass(MAIL_PAUSE_MS);
  await world.ask();
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(3);
});

test("links of mails begin with the deployment's origin, also where another one was stored", async () => {
  await world.ask();
  await world.pass(MINUTE_MS);
  await world.confirm(world.mails[0]);
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  for (const mail of world.mails) {
    expect(mail.text).toContain("https://sila.example/newsletter/");
    expect(JSON.stringify(mail)).not.toContain("asked.example");
  }
});

test("a mail that is refused is tried twelve times in hours, and then given up", async () => {
  world.refused = 0;
  await world.ask();
  await world.pass(2 * MINUTE_MS);
  expect(world.refused).toBeGreaterThan(3);
  await world.pass(HOUR_MS);
  expect(world.refused).toBeLessThan(MAIL_TRIES_MAX);
  await world.pass(12 * HOUR_MS);
  expect(world.refused).toBe(12);
  // Charged once, and who asks again gets a new mail.
  expect(world.charged).toBe(1);
  world.refused = null;
  await world.ask();
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(1);
});

test("one who has confirmed gets one mail a day, and the links of a year's mails work", async () => {
  await world.ask();
  await world.pass(MINUTE_MS);
  await world.confirm(world.mails[0]);
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  for (let hour = 0; hour < 23; hour += 1) {
    await world.pass(HOUR_MS);
    await world.ask();
  }
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  for (let day = 0; day < 366; day += 1) {
    await world.pass(WELCOME_PAUSE_MS);
    await world.ask();
  }
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(368);
  expect(new Set(world.mails.slice(1).map(({ subject }) => subject)).size).toBe(1);
  const states = [];
  for (const mail of world.mails) {
    states.push((await world.call((book) => book.tokenState(tokenOf(mail)))).state);
  }
  expect(states).toEqual(["gone", "gone", ...Array(TOKENS_KEPT).fill("confirmed")]);
});

test("an object whose alarm was lost goes on when it is next read", async () => {
  await world.ask();
  await world.machine.loseAlarm();
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(1);
  // What nobody confirms is forgotten in time too.
  await world.machine.loseAlarm();
  await world.pass(PENDING_MS);
  expect(world.stored()).not.toContain("a@example.com");
});

test("above the day's budget mails come later, each once, and no other asks after a refused one", async () => {
  world.is_published = false;
  for (let n = 0; n < 5; n += 1) await world.ask(`${n}`);
  world.is_published = true;
  world.budget = 2;
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  expect(world.refusals).toBe(1);
  world.budget = 10;
  await world.pass(2 * HOUR_MS);
  expect(new Set(world.mails.map(({ to }) => to)).size).toBe(5);
  expect(world.mails).toHaveLength(5);
  expect(world.charged).toBe(5);
});

test("a mailbox gets one confirmation an hour, whatever its spellings, also where the mails waited", async () => {
  world.is_published = false;
  for (const tag of ["", "+a", "+b"]) await world.ask(`sara${tag}`);
  await world.ask("other");
  world.is_published = true;
  await world.pass(MINUTE_MS);
  const names = () => world.mails.map(({ to }) => to.split("@")[0]).toSorted();
  expect(names()).toEqual(["other", expect.stringMatching(/^sara/)]);
  expect(world.charged).toBe(2);
  await world.pass(MAIL_PAUSE_MS - 2 * MINUTE_MS);
  expect(world.mails).toHaveLength(2);
  await world.pass(2 * MINUTE_MS);
  expect(world.mails).toHaveLength(3);
  await world.pass(MAIL_PAUSE_MS + MINUTE_MS);
  expect(names()).toEqual(["other", "sara", "sara+a", "sara+b"]);
  expect(world.charged).toBe(4);
});

test("a mail that its mailbox's limit refuses waits alone, and is given up after a day", async () => {
  world.full_mailbox = "a@example.com";
  for (const name of ["a", "b"]) await world.ask(name);
  await world.pass(MINUTE_MS);
  expect(world.mails.map(({ to }) => to)).toEqual(["b@example.com"]);
  expect([world.mailsWaiting(), world.refusals, world.charged]).toEqual([1, 1, 1]);
  await world.pass(24 * HOUR_MS);
  expect([world.mailsWaiting(), world.mails.length, world.charged]).toEqual([0, 1, 1]);
  // Once an hour.
  expect(world.refusals).toBe(24);
  world.full_mailbox = "";
  await world.ask("a");
  await world.pass(MINUTE_MS);
  expect(world.mails).toHaveLength(2);
});

describe("a link to confirm", () => {
  const stateOf = (mail: ComposedMail | undefined) =>
    world.call((book) => book.tokenState(tokenOf(mail)).state);

  test("works for the 24 hours that its mail promises, from when that was sent, and no longer", async () => {
    world.budget = 0;
    await world.ask();
    await world.pass(23 * HOUR_MS - MINUTE_MS);
    world.budget = 10;
    await world.pass(HOUR_MS);
    const [mail] = world.mails;
    expect(mail?.text).toContain("works for 24 hours");
    await world.pass(world.sentAt(mail) + 24 * HOUR_MS - 1 - world.now_ms);
    expect(await stateOf(mail)).toBe("pending");
    await world.pass(1);
    expect(await world.confirm(mail)).toBe("gone");
    expect(world.stored()).not.toContain("a@example.com");
  });

  test("works no longer because the address is given again without a new mail", async () => {
    await world.ask();
    await world.pass(MINUTE_MS);
    const [mail] = world.mails;
    await world.pass(MAIL_PAUSE_MS / 2);
    await world.ask();
    await world.pass(world.sentAt(mail) + 24 * HOUR_MS - 1 - world.now_ms);
    expect([await stateOf(mail), world.mails.length]).toEqual(["pending", 1]);
    await world.pass(1);
    expect(await stateOf(mail)).toBe("gone");
  });

  test("works as long as that of a later mail", async () => {
    await world.ask();
    await world.pass(2 * HOUR_MS);
    await world.ask();
    await world.pass(MINUTE_MS);
    const [first, second] = world.mails;
    await world.pass(world.sentAt(second) + 24 * HOUR_MS - 1 - world.now_ms);
    expect(await stateOf(first)).toBe("pending");
    await world.pass(1);
    expect([await stateOf(first), await stateOf(second)]).toEqual(["gone", "gone"]);
  });

  test("works for 24 hours from the last try to send a mail whose answer was lost", async () => {
    world.budget = 0;
    await world.ask();
    await world.pass(23 * HOUR_MS);
    world.budget = 10;
    world.answer_is_lost = true;
    await world.pass(HOUR_MS - MINUTE_MS);
    await world.pass(23 * HOUR_MS);
    expect(await world.confirm(world.mails.at(-1))).toBe("confirmed");
  });
});

/** What keeps mails from being sent, and how it begins and ends. */
const OBSTACLES: Record<string, (world: World, holds: boolean) => void> = {
  "the budget is used up": (world, holds) => {
    world.budget = holds ? 0 : 10;
  },
  "the page is not published": (world, holds) => {
    world.is_published = !holds;
  },
  "D1 fails": (world, holds) => {
    world.d1_fails = holds;
  },
  "there is no sender": (world, holds) => world.deploy(holds ? "" : "news@sila.example"),
};

test.each(Object.entries(OBSTACLES))(
  "a mail is given up after a day in which %s, and who asks again gets a new one",
  async (_, obstacle) => {
    obstacle(world, true);
    await world.ask("a");
    // It is looked at between the full hours from now on.
    await world.pass(HOUR_MS / 2);
    await world.ask("b");
    await world.pass(23.5 * HOUR_MS - MINUTE_MS);
    expect(world.mailsWaiting()).toBe(2);
    await world.pass(2 * MINUTE_MS);
    expect(world.mailsWaiting()).toBe(1);
    await world.pass(HOUR_MS / 2);
    expect(world.mailsWaiting()).toBe(0);
    obstacle(world, false);
    await world.pass(2 * HOUR_MS);
    expect([world.mails, world.charged]).toEqual([[], 0]);
    await world.ask("a");
    await world.pass(MINUTE_MS);
    expect(world.mails).toHaveLength(1);
  },
);

test("while the page is not published, D1 is asked once an hour, and nothing is charged", async () => {
  world.is_published = false;
  for (let n = 0; n < 30; n += 1) {
    await world.ask(`${n}`);
  }
  await world.pass(3 * HOUR_MS + MINUTE_MS);
  expect([world.mails, world.charged, world.asked]).toEqual([[], 0, 4]);
  world.is_published = true;
  await world.pass(HOUR_MS);
  // One question for the twenty mails of an alarm.
  expect([world.mails.length, world.charged, world.asked]).toEqual([30, 30, 6]);
});

test("while D1 fails mails wait, and come within a minute of its recovery", async () => {
  world.d1_fails = true;
  await world.ask();
  await world.pass(6 * HOUR_MS);
  expect([world.mails, world.charged]).toEqual([[], 0]);
  // The pauses grow to 45 s, less a quarter by the jitter.
  expect(world.asked).toBeLessThan((6 * HOUR_MS) / 30_000);
  world.d1_fails = false;
  await world.pass(MINUTE_MS);
  expect([world.mails.length, world.charged]).toEqual([1, 1]);
});

test("a page that ends while D1 is asked sends nothing more, and nothing of it is left", async () => {
  await story(world);
  const sent = world.mails.length;
  await world.ask("d");
  world.when_asked = () => void world.call((book) => book.end());
  await world.pass(2 * HOUR_MS);
  expect(world.mails).toHaveLength(sent);
  expect(world.machine.disk.contents()).toEqual([]);
});
