/**
 * A whole run of one seed of the blocks' model: visitors tip, download and subscribe, and creators ask for
 * suggestions, while objects die and calls are lost; then recovery, then the judge.
 */
import { PageDownloads } from "../../../objects/blocks/downloads/page-downloads.ts";
import { NewsletterBook } from "../../../objects/blocks/newsletter/newsletter-book.ts";
import type { Transfer, Transfers } from "../../../objects/blocks/tips/hub-transfers.ts";
import { Tips } from "../../../objects/blocks/tips/tips.ts";
import type { Conversion } from "../../../objects/events/conversion.ts";
import { SenderWindows } from "../../../objects/limiter/sender-windows.ts";
import type { ComposedMail } from "../../../objects/mail/mail.ts";
import { PageCounter } from "../../../objects/page/page-counter.ts";
import type { Ports } from "../../../objects/platform/ports.ts";
import { integer } from "../../random.ts";
import type { Host, Hosted } from "../host.ts";
import { BlocksWorld } from "./world.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const LOAD_MS = 2 * MINUTE_MS;
/** Time in which a tip is sent on both sides or on none, and D1 has all of it. */
const HEAL_MS = MINUTE_MS;
/** Time in which clients repeat what failed, and the reservations of dead requests come back. */
const PATIENCE_MS = 2 * MINUTE_MS;
const UNCONFIRMED_MS = 48 * HOUR_MS;

const PAGE = "page";
const OWNER = "owner";
const TIPPERS = ["ada", "basma"] as const;
const POINTS_AT_START = 60;
const USES_MAX = 5;
const QUOTA = 6;

/** The code under test: the project's own, or a copy that was broken on purpose. */
export const BLOCKS_CODE = { PageCounter, PageDownloads, NewsletterBook, SenderWindows, Tips };
export type BlocksCode = typeof BLOCKS_CODE;

export interface BlocksOptions {
  code?: BlocksCode;
  seed: number;
  trace?: (line: string) => void;
}

/** Runs one seed; answers what was violated. */
export async function runBlocks(options: BlocksOptions): Promise<string[]> {
  const run = new BlocksRun(options);
  try {
    await run.load();
    await run.recover();
    await run.judge();
    return run.world.violations;
  } finally {
    run.world.close();
  }
}

/** The account hub: points, and transfers by key, of which some are void for ever. */
class SimulatedHub {
  readonly points = new Map<string, number>();
  readonly transfers = new Map<string, { from: string; points: number }>();
  readonly closed = new Set<string>();

  transfer(from: string, key: string, points: number): Transfer {
    const id = `${from}/${key}`;
    if (this.transfers.has(id)) return { outcome: "completed", id };
    if (this.closed.has(id)) return { outcome: "failed" };
    const left = this.points.get(from) ?? 0;
    if (left < points) return { outcome: "refused" };
    this.points.set(from, left - points);
    this.transfers.set(id, { from, points });
    return { outcome: "completed", id };
  }

  close(from: string, key: string): string | null {
    const id = `${from}/${key}`;
    if (this.transfers.has(id)) return id;
    this.closed.add(id);
    return null;
  }
}

/** What tells an object from the one that takes its place. */
type Life = Pick<Host<Hosted>, "life">;

/** A call's answer reaches only the object that made the call. */
function whileAlive<R>(self: Life, call: Promise<R>): Promise<R> {
  const isAlive = self.life();
  return new Promise((resolve, reject) => {
    call.then(
      (answer) => isAlive() && resolve(answer),
      (error) => isAlive() && reject(error),
    );
  });
}

/** The mail after it says that the subscription is confirmed. */
function asksToConfirm({ subject }: ComposedMail): boolean {
  return subject.startsWith("أكّد");
}

class BlocksRun {
  readonly world: BlocksWorld;
  readonly #code: BlocksCode;
  readonly #hub = new SimulatedHub();
  readonly #page: Host<PageCounter>;
  readonly #tippers = new Map<string, Host<Tips>>();
  readonly #downloads: Host<PageDownloads>;
  readonly #newsletter: Host<NewsletterBook>;
  readonly #quota: Host<SenderWindows>;
  readonly #sent = new Map<string, number>();
  readonly #refused = new Set<string>();
  readonly #admitted = new Set<string>();
  readonly #askedTokens = new Set<string>();
  readonly #tried = new Set<string>();
  readonly #signedUp = new Map<string, number>();
  readonly #confirmed = new Set<string>();
  readonly #left = new Set<string>();
  readonly #mailbox = new Map<string, ComposedMail & { at_ms: number }>();
  /** Suggestions that a unit was, or may have been, settled for. */
  readonly #shown = new Set<string>();
  readonly #settling = new Set<string>();
  #open = 0;

  constructor({ code = BLOCKS_CODE, seed, trace }: BlocksOptions) {
    this.#code = code;
    const world = new BlocksWorld(seed, trace);
    this.world = world;
    for (const name of TIPPERS) this.#hub.points.set(name, POINTS_AT_START);
    this.#page = this.#makePage();
    for (const name of TIPPERS) this.#tippers.set(name, this.#makeTipper(name));
    this.#downloads = world.host<PageDownloads>("downloads", (ports, self) => {
      return new code.PageDownloads({
        ...ports,
        db: this.#d1For("downloads", ports, self),
        pageId: () => PAGE,
        convert: this.#converter(self),
        announce: (links, version) =>
          whileAlive(
            self,
            world.call(this.#page, (page) => page.announced("downloads", { links, version })),
          ),
        flush_interval_ms: 10 * SECOND_MS,
        onFailed: () => {},
      });
    });
    this.#newsletter = world.host<NewsletterBook>("newsletter", (ports, self) =>
      this.#makeNewsletter(ports, self),
    );
    this.#quota = world.host("quota", (ports) => new code.SenderWindows(ports));
  }

  /** How an object calls the page's; an answer after the caller's end is dropped. */
  #converter(self: Life) {
    return (_: string, conversions: Conversion[]): Promise<void> =>
      whileAlive(
        self,
        this.world.call(this.#page, (page) => page.convert(conversions)),
      );
  }

  #d1For(name: string, { storage }: Ports, self: Life) {
    const isAlive = self.life();
    return this.world.d1.connect(
      name,
      (send) => send(isAlive),
      () => storage.sync(),
    );
  }

  #makePage(): Host<PageCounter> {
    const { world } = this;
    world.d1.insertPage(PAGE, { owner_id: OWNER });
    return world.host<PageCounter>("page", (ports, self) => {
      return new this.#code.PageCounter({
        ...ports,
        db: this.#d1For(PAGE, ports, self),
        pageId: () => PAGE,
        flush_interval_ms: 10 * SECOND_MS,
        quiet_interval_ms: 10 * SECOND_MS,
        onFlushFailed: () => {},
      });
    });
  }

  #makeTipper(name: string): Host<Tips> {
    const { world } = this;
    const hubFor = (self: Life): Transfers => ({
      make: (_, key, { points }) =>
        whileAlive(
          self,
          world
            .outside(() => this.#hub.transfer(name, key, points))
            .catch((): Transfer => ({ outcome: "failed" })),
        ),
      close: (user_id, key) =>
        whileAlive(
          self,
          world.outside(() => this.#hub.close(user_id, key)),
        ),
    });
    let ids = 0;
    return world.host<Tips>(name, (ports, self) => {
      return new this.#code.Tips({
        ...ports,
        hub: hubFor(self),
        convert: this.#converter(self),
        newId: () => {
          ids += 1;
          return `tip-${name}-${self.incarnations}-${ids}`;
        },
        onFailed: () => {},
      });
    });
  }

  #makeNewsletter(ports: Ports, self: Life): NewsletterBook {
    const { world } = this;
    return new this.#code.NewsletterBook({
      ...ports,
      pageId: () => PAGE,
      db: this.#d1For("newsletter", ports, self),
      mail_from: "news@example.com",
      site: "https://sila.example",
      sendMail: (mail) =>
        whileAlive(
          self,
          world.outside(() => {
            const at_ms = world.scheduler.now_ms;
            this.#mailbox.set(`${mail.headers["X-Sila-Mail-Id"]}`, { ...mail, at_ms });
          }),
        ),
      admitMail: async () => ({ admitted: true, reset_ms: 0 }),
      convert: this.#converter(self),
      announce: () => Promise.resolve(),
      randomBytes: (size) => Uint8Array.from({ length: size }, () => integer(256, world.random)),
      failed: () => {},
    });
  }

  async load(): Promise<void> {
    const { world } = this;
    const { random, scheduler, plan } = world;
    const at = (run: () => void) => scheduler.after(random() * LOAD_MS, run);
    for (let i = 0; i < 12; i += 1) at(() => this.#begin(this.#tip(i)));
    for (let i = 0; i < 9; i += 1) at(() => this.#begin(this.#download(`t${i}`)));
    for (let i = 0; i < 6; i += 1)
      at(() => this.#begin(this.#signUp(`reader${i % 4}@example.com`)));
    for (let i = 0; i < 3; i += 1) at(() => this.#begin(this.#openMails()));
    for (let i = 0; i < 12; i += 1) at(() => this.#begin(this.#suggest(`call${i}`)));
    for (let i = 0; i < plan.kills; i += 1) at(() => world.fault());
    if (plan.lacks_ms > 0) {
      scheduler.after(random() * (LOAD_MS - plan.lacks_ms), () => {
        world.trace("D1 lacks the page");
        scheduler.after(plan.lacks_ms, world.d1.lack(PAGE));
      });
    }
    await scheduler.run(scheduler.now_ms + LOAD_MS);
  }

  async recover(): Promise<void> {
    const { scheduler } = this.world;
    this.world.calm = true;
    await scheduler.run(scheduler.now_ms + PATIENCE_MS);
    if (this.world.plan.lacks_ms > 0) {
      // A flush that finds no page waits for the cron's sweep, and mails wait for an hour.
      await this.#ask(this.#page, (page) => page.sweep());
      await scheduler.run(scheduler.now_ms + HOUR_MS);
    }
    if (this.#open > 0) this.world.violated(`${this.#open} clients are still waiting`);
    this.#begin(this.#openMails());
    await scheduler.run(scheduler.now_ms + HEAL_MS);
  }

  #begin(client: Promise<void>): void {
    this.#open += 1;
    client
      .catch((error) => this.world.violated(`a client failed: ${error}`))
      .finally(() => {
        this.#open -= 1;
      });
  }

  async #retry<R>(work: () => Promise<R>): Promise<R | null> {
    const gives_up = this.world.random() < 0.3;
    for (let tries = 0; !(gives_up && tries > 0); tries += 1) {
      try {
        return await work();
      } catch {
        await this.world.scheduler.pause(200 + this.world.random() * 5 * SECOND_MS);
      }
    }
    return null;
  }

  async #tip(number: number): Promise<void> {
    const { world } = this;
    const name = TIPPERS[number % TIPPERS.length] ?? TIPPERS[0];
    const tipper = this.#tippers.get(name);
    if (tipper === undefined) return;
    const key = `key-${number}`;
    const points = 1 + integer(15, world.random);
    const order = {
      key,
      hash: String(points),
      page_id: PAGE,
      owner_id: OWNER,
      link_id: "tip",
      points,
      message: "",
      from_id: name,
      from_name: name,
      class: "human",
      origin: {},
    } as const;
    const once = async () => {
      const answer = await world.call(tipper, (tips) => tips.send(order, "cookie"));
      if (answer.outcome === "unknown" || answer.outcome === "late") throw new Error("not known");
      return answer;
    };
    // Some clients send the same tip twice at once.
    const twice = world.random() < 0.3;
    const answers = await Promise.all([this.#retry(once), twice ? this.#retry(once) : null]);
    for (const answer of answers) {
      if (answer === null) continue;
      if (answer.outcome === "sent") {
        const known = this.#sent.get(answer.tip.id);
        if (known !== undefined && known !== points)
          world.violated(`${answer.tip.id} has two sums`);
        this.#sent.set(answer.tip.id, points);
        if (this.#refused.has(key)) world.violated(`${key} was refused and then sent`);
      } else if (answer.outcome === "refused") this.#refused.add(key);
      else world.violated(`${key} was answered ${answer.outcome}`);
    }
  }

  async #download(token_id: string): Promise<void> {
    const use = {
      link_id: "file",
      token_id,
      until: null,
      uses_max: USES_MAX,
      voucher: null,
      takes: true,
      class: "human",
      origin: null,
    } as const;
    this.#askedTokens.add(token_id);
    for (let ranges = 1 + integer(3, this.world.random); ranges > 0; ranges -= 1) {
      const ask = () => this.world.call(this.#downloads, (downloads) => downloads.use(use));
      const answer = await this.#retry(ask);
      if (answer === "admitted") this.#admitted.add(token_id);
      if (answer === "used_up" && this.#admitted.has(token_id)) {
        this.world.violated(`${token_id} was admitted and then used up`);
      }
    }
  }

  async #signUp(email: string): Promise<void> {
    const { world } = this;
    const request = {
      email,
      link_id: "news",
      class: "human",
      origin: null,
      locale: "ar",
      site: "https://sila.example",
      page_name: "Layan",
    } as const;
    this.#tried.add(email);
    const taken = await this.#retry(() =>
      world.call(this.#newsletter, (book) => book.request(request)),
    );
    if (taken && !this.#signedUp.has(email)) this.#signedUp.set(email, world.scheduler.now_ms);
  }

  async #openMails(): Promise<void> {
    const { world } = this;
    for (const mail of [...this.#mailbox.values()]) {
      const { to, text } = mail;
      const token = /\?token=(\S+)/.exec(text)?.[1];
      const confirm = asksToConfirm(mail) ? token : undefined;
      const leave = asksToConfirm(mail) ? undefined : token;
      if (confirm !== undefined && to !== "reader3@example.com") {
        const answer = await this.#retry(() =>
          world.call(this.#newsletter, (book) => book.confirm(confirm)),
        );
        if (answer === "confirmed") this.#confirmed.add(to);
      } else if (confirm === undefined && leave !== undefined && to === "reader2@example.com") {
        await this.#retry(() => world.call(this.#newsletter, (book) => book.unsubscribe(leave)));
        this.#left.add(to);
      }
    }
  }

  /** A suggestion: reserve, call, settle or give back; the router may die between any two steps. */
  async #suggest(id: string): Promise<void> {
    const { world } = this;
    const unit = { id, limit: QUOTA };
    const dies = () => !world.calm && world.random() < 0.15;
    const ask = <R>(work: (reservations: SenderWindows["reservations"]) => R | Promise<R>) =>
      this.#retry(() => world.call(this.#quota, ({ reservations }) => work(reservations)));
    const reserved = await ask((reservations) => reservations.reserve(unit));
    if (!reserved?.admitted || dies()) return;
    const works = world.random() < 0.7;
    await world.scheduler.pause(world.random() * 20 * SECOND_MS);
    if (dies()) return;
    if (!works) return void (await ask((reservations) => reservations.giveBack(unit)));
    // The suggestions are shown only once the unit is settled.
    this.#settling.add(id);
    const settled = await ask((reservations) => reservations.settle(unit));
    if (settled?.admitted) this.#shown.add(id);
  }

  async judge(): Promise<void> {
    const totals = await this.#ask(this.#page, (page) => page.totals());
    const clicksOf = (link_id: string) =>
      totals
        ?.filter((total) => total.link_id === link_id)
        .reduce((sum, { accepted }) => sum + accepted, 0) ?? -1;
    this.#judgeTips(clicksOf("tip"));
    await this.#judgeDownloads(clicksOf("file"));
    await this.#judgeQuota();
    await this.#judgeNewsletter(clicksOf("news"));
  }

  /** The hub's books, the tippers' histories, D1 and what clients were told are the same set. */
  #judgeTips(clicks: number): void {
    const { world } = this;
    const rows = world.d1.read("SELECT seq, from_id, points FROM tips WHERE page_id = ?1", PAGE);
    const made = [...this.#hub.transfers].map(([id, { from, points }]) => ({ id, from, points }));
    const sum = (list: readonly { points?: unknown }[]) =>
      list.reduce((total, { points }) => total + Number(points), 0);
    this.#same("tips in D1 and at the hub", rows.length, made.length);
    this.#same("points in D1 and at the hub", sum(rows), sum(made));
    this.#same("clicks of the tip jar and tips", clicks, made.length);
    for (const [tip_id, points] of this.#sent) {
      const found = made.filter(({ id }) => id.split("/")[1]?.split(".")[0] === tip_id);
      if (found.length !== 1 || found[0]?.points !== points) {
        world.violated(`${tip_id} was answered as sent, and the hub has ${found.length} of it`);
      }
    }
    const tips = new Set(made.map(({ id }) => id.split("/")[1]?.split(".")[0]));
    if (tips.size !== made.length) world.violated("a tip was sent twice");
  }

  async #judgeDownloads(clicks: number): Promise<void> {
    const totals = await this.#ask(this.#downloads, (downloads) => downloads.totals());
    const uses = totals?.find(({ link_id }) => link_id === "file")?.uses ?? 0;
    if (uses > USES_MAX) this.world.violated(`${uses} uses of ${USES_MAX}`);
    if (this.#admitted.size > uses) {
      this.world.violated(`${this.#admitted.size} were admitted with ${uses} uses`);
    }
    this.#same("clicks of the download and uses", clicks, uses);
    const rows = this.world.d1.read("SELECT uses FROM downloads WHERE page_id = ?1", PAGE);
    this.#same("uses in D1", Number(rows[0]?.uses ?? 0), uses);
    const shown = await this.#ask(this.#page, (page) => page.blockNumbers("downloads"));
    this.#same("uses that the page shows live", shown?.links[0]?.uses ?? 0, uses);
  }

  async #judgeNewsletter(clicks: number): Promise<void> {
    const { world } = this;
    const list = () =>
      this.#ask(this.#newsletter, (book) => book.list({ limit: 50, after: null, q: null }));
    const before = await list();
    const listed = new Set(before?.subscribers.map(({ email }) => email));
    for (const email of this.#confirmed) {
      if (!listed.has(email) && !this.#left.has(email)) world.violated(`${email} is not listed`);
    }
    for (const email of listed) {
      if (!this.#tried.has(email)) world.violated(`${email} never signed up`);
      if (email === "reader3@example.com") world.violated("nobody confirmed reader3");
    }
    const mailed = new Set([...this.#mailbox.values()].map(({ to }) => to));
    for (const email of this.#signedUp.keys()) {
      if (!mailed.has(email)) world.violated(`${email} got no mail`);
    }
    if (clicks < listed.size) world.violated(`${clicks} clicks and ${listed.size} subscribers`);
    this.#judgePace();
    // Two days later nothing is left of those who did not confirm.
    await world.scheduler.run(world.scheduler.now_ms + UNCONFIRMED_MS + HOUR_MS);
    const after = await list();
    this.#same("unconfirmed after two days", after?.pending ?? -1, 0);
    this.#same("subscribers after two days", after?.total ?? -1, listed.size);
  }

  /** One confirmation an hour for each address, however often it is given. */
  #judgePace(): void {
    const confirmations = [...this.#mailbox.values()].filter(asksToConfirm);
    const addresses = new Set(confirmations.map(({ to }) => to));
    this.#same("confirmations within the hour", confirmations.length, addresses.size);
  }

  /** Exactly the quota is used in a day, and what nobody settled has come back. */
  async #judgeQuota(): Promise<void> {
    let left = 0;
    for (; left <= QUOTA; left += 1) {
      const unit = { id: `last${left}`, limit: QUOTA };
      const answer = await this.#ask(this.#quota, (windows) => windows.reservations.reserve(unit));
      if (!answer?.admitted) break;
    }
    const used = QUOTA - left;
    if (used < this.#shown.size || used > this.#settling.size) {
      const shown = `${this.#shown.size} to ${this.#settling.size} suggestions`;
      this.world.violated(`${used} of ${QUOTA} units are used for ${shown}`);
    }
  }

  #same(what: string, found: number, expected: number): void {
    if (found !== expected) this.world.violated(`${what}: ${found}, expected ${expected}`);
  }

  #ask<O extends Hosted, R>(host: Host<O>, question: (object: O) => R | Promise<R>) {
    return host.ask(question, (error) => this.world.violated(String(error)));
  }
}

export async function firstBlockViolation(
  seeds: { from: number; to: number },
  code: BlocksCode = BLOCKS_CODE,
): Promise<{ seed: number; violation: string } | null> {
  for (let seed = seeds.from; seed <= seeds.to; seed += 1) {
    const [violation] = await runBlocks({ code, seed });
    if (violation !== undefined) {
      return { seed, violation: `npm run model -- --blocks --seed ${seed}: ${violation}` };
    }
  }
  return null;
}
