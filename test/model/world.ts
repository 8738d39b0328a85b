/**
 * One run of the model: pages, senders, D1 and chance, all drawn from one seed.
 *
 *   clients ─▶ one of three routers ─▶ SenderWindows
 *                                   └▶ PageCounter ─ alarm ─▶ D1
 */
import { createHash } from "node:crypto";
import type { SenderWindows } from "../../objects/limiter/sender-windows.ts";
import { homeOf } from "../../objects/page/home/databases.ts";
import type { PageCounter } from "../../objects/page/page-counter.ts";
import type { Ports } from "../../objects/platform/ports.ts";
import type { makeTaps } from "../../src/client/taps.ts";
import { generator, integer, type Random } from "../random.ts";
import { secretOf } from "../secret.ts";
import { type Mood, SimulatedD1 } from "./d1.ts";
import {
  drawEnd,
  drawGaps,
  drawPlan,
  drawPutBack,
  drawStats,
  type Fate,
  type Fault,
  type Plan,
  type StatsPlan,
} from "./faults.ts";
import { Host } from "./host.ts";
import { Isolate } from "./isolate.ts";
import { LookUps } from "./look-ups.ts";
import { Notes } from "./notes.ts";
import { OLD_EVENTS, OLD_VIEWS, writeOldState } from "./old-state.ts";
import { Requests } from "./requests.ts";
import type * as Router from "./router.ts";
import { Scheduler } from "./scheduler.ts";
import { openLink, Truth } from "./truth.ts";

/** The code under test: the project's own, or a copy that was broken on purpose. */
export interface Code {
  PageCounter: typeof PageCounter;
  SenderWindows: typeof SenderWindows;
  SimRouter: typeof Router.SimRouter;
  toAnswer: typeof Router.toAnswer;
  makeTaps: typeof makeTaps;
}

export interface RunOptions {
  code: Code;
  seed: number;
  /** Counts the faults that really happened. */
  hits?: Map<Fault, number>;
  trace?: (line: string) => void;
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Links of a page; most clicks have one of their own. */
const LINKS_MAX = 80;
const ISOLATES = 3;
/** Time zones of pages, east and west of UTC. */
export const ZONES = [
  "UTC",
  "Asia/Riyadh",
  "America/New_York",
  "Pacific/Kiritimati",
  "Asia/Kathmandu",
] as const;
/** As in production (`objects/flush/flush-interval.ts`). */
const QUIET_FACTOR = 60;
/** More than any page has. */
const ANY = { view: Number.POSITIVE_INFINITY, click: Number.POSITIVE_INFINITY };
/** Makes the choices about databases of statistics other ones than those of the run. */
const STATS_SEED = 0x57a75;
/** The same for whether objects are put back to an older point. */
const PUT_BACK_SEED = 0xbac4;
export const IMPORTED = 5;
/** Pages with few visitors, before and long after they are changed. */
const QUIET_PAGES = 3;

export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly d1: SimulatedD1;
  readonly stats = new Map<string, SimulatedD1>();
  readonly statsPlan: StatsPlan;
  readonly putsBack: boolean;
  readonly notes = new Notes();
  readonly truth = new Truth(this);
  readonly lookUps = new LookUps(this);
  readonly requests = new Requests(this);
  readonly code: Code;
  readonly secret = secretOf(createHash("sha256").update("model").digest("base64"));
  readonly plan: Plan;
  readonly gaps_ms: readonly number[];
  readonly pages = new Map<string, Host<PageCounter>>();
  readonly busyPages: readonly string[];
  readonly quietPages: readonly string[];
  readonly limiters: Host<SenderWindows>[] = [];
  readonly isolates: Isolate[] = [];
  /** Requests of one sender admitted in any 60 s. */
  readonly limit: number;
  readonly flush_interval_ms: number;
  readonly quiet_interval_ms: number;
  /** No faults: the world is being made, or recovers. */
  calm = true;
  trace: (what: string) => void = () => {};
  /** One of several databases was restored: until it heals, the others know more than it. */
  restoredApart = false;
  /** Whether clients send an event again that was acknowledged. */
  repeats = true;
  closing = false;
  cronRuns = false;
  changesUntil_ms = 0;
  readonly #hits: Map<Fault, number>;
  readonly #statsRandom: Random;
  #homes: readonly string[] = [];
  #router_skew_ms = 0;
  #isolatesMade = 0;

  constructor({ code, seed, hits = new Map(), trace }: RunOptions) {
    if (trace !== undefined) {
      this.trace = (what) => trace(`${(this.scheduler.now_ms / SECOND_MS).toFixed(3)} s  ${what}`);
    }
    this.random = generator(seed);
    this.scheduler = new Scheduler(this.random);
    this.plan = drawPlan(this.random);
    this.gaps_ms = drawGaps(this.random);
    this.limit = 3 + integer(4, this.random);
    // During an outage of hours a minute, as in production: shorter intervals would fill the run.
    const { from_ms, to_ms } = this.plan.outage ?? { from_ms: 0, to_ms: 0 };
    const intervals_s = to_ms - from_ms > HOUR_MS ? [60] : [2, 10, 60];
    this.flush_interval_ms =
      (intervals_s[integer(intervals_s.length, this.random)] ?? 0) * SECOND_MS;
    this.quiet_interval_ms = this.flush_interval_ms * (this.random() < 0.5 ? 1 : QUIET_FACTOR);
    this.#hits = hits;
    this.code = code;
    this.d1 = new SimulatedD1(this);
    this.#statsRandom = generator(seed ^ STATS_SEED);
    this.statsPlan = drawStats(this.#statsRandom);
    this.putsBack = drawPutBack(generator(seed ^ PUT_BACK_SEED));
    for (let i = 0; i < this.statsPlan.databases; i += 1) {
      this.stats.set(`STATS_${i}`, new SimulatedD1(this, "stats"));
    }
    for (let i = 0; i <= integer(2, this.random); i += 1) this.#makePage(`p${i}`);
    this.busyPages = [...this.pages.keys()];
    for (let i = 0; i < (this.plan.changes > 0 ? QUIET_PAGES : 0); i += 1) {
      this.#makePage(`quiet${i}`);
    }
    this.quietPages = [...this.pages.keys()].slice(this.busyPages.length);
    // From one limiter that all senders share to one for each.
    for (let i = 0; i <= integer(3, this.random); i += 1) this.limiters.push(this.#makeLimiter(i));
    for (let i = 0; i < ISOLATES; i += 1) this.isolates.push(this.#makeIsolate());
    this.truth.read();
    this.calm = false;
  }

  /** By how much steps back of the clocks can lengthen the life of a cache. */
  get stepsBack_ms(): number {
    return this.#stepped((ms) => Math.max(0, -ms));
  }

  /** By how much steps of the clocks can move the time at which a link opens. */
  get steps_ms(): number {
    return this.#stepped(Math.abs);
  }

  #stepped(by: (ms: number) => number): number {
    const { clockSteps_ms, routerSteps_ms } = this.plan;
    const sum = [...clockSteps_ms, ...routerSteps_ms].reduce((ms, step) => ms + by(step), 0);
    return sum * this.gaps_ms.length;
  }

  isolate(index = integer(ISOLATES, this.random)): Isolate {
    return this.isolates[index] as Isolate;
  }

  replace(isolate: Isolate): void {
    const index = this.isolates.indexOf(isolate);
    if (index === -1) return;
    isolate.end();
    this.isolates[index] = this.#makeIsolate();
  }

  stepRouters(ms: number): void {
    this.#router_skew_ms += ms;
  }

  /** 16 hex digits. */
  randomKey(): string {
    const half = () =>
      Math.floor(this.random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0");
    return half() + half();
  }

  drawFate(): Fate {
    const fate = this.calm ? "well" : drawEnd(this.plan.calls, this.random);
    if (fate !== "well") this.hit("F21");
    return fate;
  }

  hit(fault: Fault): void {
    this.#hits.set(fault, (this.#hits.get(fault) ?? 0) + 1);
  }

  get hosts(): Host<PageCounter | SenderWindows>[] {
    return [...this.pages.values(), ...this.limiters] as Host<PageCounter | SenderWindows>[];
  }

  limiterOf(sender: string): Host<SenderWindows> {
    const hash = sender.charCodeAt(sender.length - 1);
    return this.limiters[hash % this.limiters.length] as Host<SenderWindows>;
  }

  limiter(name: string): Host<SenderWindows> {
    const found = this.limiters.find((host) => host.name === name);
    if (found === undefined) throw new Error(`there is no limiter ${name}`);
    return found;
  }

  /** Time of one way over the network, in milliseconds: tens, sometimes hundreds, rarely seconds. */
  latency(): number {
    const random = this.random();
    if (this.calm || !this.plan.far) return random * 20;
    if (random < 0.9) return 1 + 88 * random;
    if (random < 0.99) return 80 + (random - 0.9) * 4_600;
    return SECOND_MS + (random - 0.99) * 300 * SECOND_MS;
  }

  commitDelay(): number {
    return this.random() < 0.05 ? this.random() * 300 : this.random() * 5;
  }

  writeFails(): boolean {
    if (this.calm || this.plan.fullDisk === 0 || this.random() >= this.plan.fullDisk) return false;
    this.hit("F17");
    return true;
  }

  alarmRunsTwice(): boolean {
    return !this.calm && this.random() < this.plan.alarmTwice;
  }

  isOverloaded(): boolean {
    if (this.calm || this.random() >= this.plan.overload) return false;
    this.hit("F15");
    return true;
  }

  d1Mood(): Mood {
    if (this.calm) return "well";
    const { outage } = this.plan;
    const { now_ms } = this.scheduler;
    if (outage !== null && now_ms >= outage.from_ms && now_ms < outage.to_ms) {
      this.hit("F4");
      return "refuses";
    }
    const mood = drawEnd(this.plan.d1, this.random);
    if (mood === "hangs") this.hit("F5");
    if (mood === "loses-reply") this.hit("F3");
    return mood;
  }

  get databases(): SimulatedD1[] {
    return [this.d1, ...this.stats.values()];
  }

  database(name: string): SimulatedD1 {
    return this.stats.get(name) ?? this.d1;
  }

  /** A deployment: other databases become the homes of pages, and all objects start again. */
  deploy(): void {
    this.#homes = [...this.stats.keys()].filter(() => this.#statsRandom() < 0.5);
    this.trace(`the homes are ${this.#homes.join() || "DB"}`);
    for (const host of this.pages.values()) host.end("deployed");
  }

  homeOf(page_id: string): string {
    return homeOf(page_id, this.#homes);
  }

  /** How many events the database with most of them has of a page: two have some while it moves. */
  counted(page_id: string): number {
    return Math.max(...this.databases.map((db) => db.counted(page_id)));
  }

  d1Written(): void {
    for (const page_id of this.pages.keys()) {
      if (this.truth.hasEnded(page_id)) {
        this.judgeEnded(page_id);
        continue;
      }
      if (this.restoredApart) {
        // The page may leave a database that was not restored for the one that was, which heals later.
        for (const [i, db] of this.databases.entries()) {
          this.notes.judgeD1(page_id, db.counted(page_id), String(i));
        }
      } else this.notes.judgeD1(page_id, this.counted(page_id));
      const all = this.databases.map((db) => db.people(page_id));
      const people = this.restoredApart
        ? ANY
        : {
            view: Math.max(...all.map(({ view }) => view)),
            click: Math.max(...all.map(({ click }) => click)),
          };
      this.notes.judgeMilestones(page_id, people, this.d1.milestones(page_id));
    }
  }

  /** F25: D1 has nothing of a page after the page's object has ended. */
  judgeEnded(page_id: string): void {
    if (this.truth.isForgotten(page_id) && this.databases.some((db) => db.has(page_id))) {
      this.notes.violated("F25", `D1 has something of ${page_id}, which has ended`);
    }
  }

  close(): void {
    for (const db of this.databases) db.close();
    for (const host of this.hosts) host.disk.close();
  }

  #makePage(page_id: string): void {
    const link_ids = Array.from({ length: LINKS_MAX }, (_, i) => `l${i}`);
    if (this.plan.oldState) link_ids.push(...OLD_EVENTS.map(({ link_id }) => link_id));
    const zone = this.plan.oldState ? "UTC" : ZONES[integer(ZONES.length, this.random)];
    this.d1.insertPage(page_id, {
      time_zone: zone ?? "UTC",
      links: link_ids.map((link_id) => openLink(link_id, "https://example.org/")),
    });
    const host = new Host<PageCounter>(page_id, this, (ports, self) => {
      const isAlive = self.life();
      const connect = (db: SimulatedD1) =>
        db.connect(
          page_id,
          (send) => send(isAlive),
          () => ports.storage.sync(),
        );
      const bound = new Map([...this.stats].map(([name, db]) => [name, connect(db)]));
      return new this.code.PageCounter({
        ...ports,
        db: connect(this.d1),
        stats: { homes: this.#homes, bound },
        pageId: () => page_id,
        flush_interval_ms: this.flush_interval_ms,
        quiet_interval_ms: this.quiet_interval_ms,
        onFlushFailed: () => {},
      });
    });
    this.pages.set(page_id, host);
    if (this.stats.size > 0) {
      const insert = "INSERT INTO tallies VALUES (?1, 3600, 'view', '', 'human', -2, ?2)";
      this.d1.read(insert, page_id, IMPORTED);
    }
    if (this.plan.oldState) this.#beginOld(page_id, host);
  }

  /** The page was counted by the first version of the code until now (F16). */
  #beginOld(page_id: string, host: Host<PageCounter>): void {
    this.hit("F16");
    const storage = host.disk.open(
      () => true,
      () => false,
    );
    const flushed = writeOldState(storage, this.scheduler.clock.now());
    host.disk.commit();
    for (const { hour, kind, link_id, n } of flushed) {
      this.d1.read(
        "INSERT INTO tallies VALUES (?1, ?2, ?3, ?4, 'human', 0, ?5)",
        page_id,
        hour,
        kind,
        link_id,
        n,
      );
    }
    for (const { key, link_id } of OLD_EVENTS) {
      this.notes.counted(`${page_id}/${key}`, page_id, link_id);
    }
    for (let i = 0; i < OLD_VIEWS; i += 1) this.notes.counted(`${page_id}/view${i}`, page_id, "");
  }

  #makeIsolate(): Isolate {
    this.#isolatesMade += 1;
    const now = () => this.scheduler.unix_ms + this.#router_skew_ms;
    return new Isolate(`router ${this.#isolatesMade}`, this, now);
  }

  #makeLimiter(number: number): Host<SenderWindows> {
    return new Host<SenderWindows>(
      `limiter-${number}`,
      this,
      (ports: Ports) => new this.code.SenderWindows(ports),
    );
  }
}
