/**
 * One run of the model of a page's blocks: the objects of tips, downloads, newsletter and quotas, the page's object
 * that counts their conversions, D1, and what is outside: the account hub and the mail service.
 *
 *   visitors ─▶ TipSender, DownloadUses, Subscribers ─ outbox ─▶ PageCounter ─ alarm ─▶ D1
 *                   └▶ hub          └▶ mail
 */
import { generator, integer, type Random } from "../../random.ts";
import type { D1World, Mood } from "../d1.ts";
import { SimulatedD1 } from "../d1.ts";
import type { Fault } from "../faults.ts";
import { Host, type Hosted, type HostWorld } from "../host.ts";
import { Scheduler } from "../scheduler.ts";

const SECOND_MS = 1_000;

/** Which faults a run has; chances are per occasion, in [0, 1]. */
interface Plan {
  lost: number;
  alarmTwice: number;
  fullDisk: number;
  d1: number;
  outside: number;
  kills: number;
  far: boolean;
  /** For how long D1 lacks the page, in milliseconds. */
  lacks_ms: number;
}

export class BlocksWorld implements D1World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly d1: SimulatedD1;
  readonly plan: Plan;
  readonly hosts: Host<Hosted>[] = [];
  readonly violations: string[] = [];
  readonly truth = { read() {}, restored() {} };
  calm = false;
  trace: (what: string) => void = () => {};

  constructor(seed: number, trace?: (line: string) => void) {
    this.random = generator(seed);
    this.scheduler = new Scheduler(this.random);
    if (trace !== undefined) {
      this.trace = (what) => trace(`${(this.scheduler.now_ms / SECOND_MS).toFixed(3)} s  ${what}`);
    }
    const sometimes = (value: number) => (this.random() < 0.6 ? value : 0);
    this.plan = {
      lost: sometimes(0.15),
      alarmTwice: sometimes(0.4),
      fullDisk: sometimes(0.02),
      d1: sometimes(0.3),
      outside: sometimes(0.3),
      kills: sometimes(1 + integer(5, this.random)),
      far: this.random() < 0.5,
      lacks_ms: sometimes(integer(60 * SECOND_MS, this.random)),
    };
    this.d1 = new SimulatedD1(this);
  }

  host<O extends Hosted>(name: string, make: ConstructorParameters<typeof Host<O>>[2]): Host<O> {
    const host = new Host<O>(name, this as HostWorld, make);
    this.hosts.push(host as unknown as Host<Hosted>);
    return host;
  }

  violated(what: string): void {
    this.violations.push(what);
    this.trace(`VIOLATED: ${what}`);
  }

  /** Calls an object as the router, or as another object, does: the call or its answer may be lost. */
  call<O extends Hosted, R>(host: Host<O>, work: (object: O) => R | Promise<R>): Promise<R> {
    const fate = this.calm ? 1 : this.random() / this.plan.lost;
    return new Promise((resolve, reject) => {
      this.scheduler.after(this.latency(), () => {
        if (fate < 0.5) return reject(new Error("lost on the way there"));
        const called = host.call(work);
        if (fate >= 1) return called.then(resolve, reject);
        called.catch(() => {});
        this.scheduler.after(this.latency() + 50, () => reject(new Error("lost on the way back")));
      });
    });
  }

  /** What is outside: `work` happens at one moment, and its answer may be lost or late. */
  outside<R>(work: () => R): Promise<R> {
    const fate = this.calm ? 1 : this.random() / this.plan.outside;
    return new Promise((resolve, reject) => {
      const fail = (ms: number) =>
        this.scheduler.after(ms, () => reject(new Error("no answer from outside")));
      if (fate < 0.3) return fail(this.latency());
      // A request that arrives long after its caller has given it up.
      const there_ms = fate < 0.5 ? this.random() * 30 * SECOND_MS : this.latency();
      this.scheduler.after(there_ms, () => {
        const answer = work();
        if (fate >= 1) this.scheduler.after(this.latency(), () => resolve(answer));
      });
      if (fate < 1) fail(5 * SECOND_MS);
    });
  }

  latency(): number {
    const random = this.random();
    if (this.calm || !this.plan.far) return random * 20;
    return random < 0.95 ? 1 + 80 * random : random * 2 * SECOND_MS;
  }

  commitDelay(): number {
    return this.random() * 5;
  }

  writeFails(): boolean {
    return !this.calm && this.random() < this.plan.fullDisk;
  }

  alarmRunsTwice(): boolean {
    return !this.calm && this.random() < this.plan.alarmTwice;
  }

  d1Mood(): Mood {
    if (this.calm || this.random() >= this.plan.d1) return "well";
    return (["refuses", "loses-reply", "hangs"] as const)[integer(3, this.random)] ?? "well";
  }

  d1Written(): void {}

  hit(_: Fault): void {}

  fault(): void {
    const [what, host] = [this.random(), this.hosts[integer(this.hosts.length, this.random)]];
    if (what < 0.3) {
      const down_ms = 100 + this.random() * 2 * SECOND_MS;
      for (const each of this.hosts) each.end("killed", down_ms);
    } else if (what < 0.8) host?.end("aborted");
    else host?.evict();
  }

  close(): void {
    this.d1.close();
    for (const host of this.hosts) host.disk.close();
  }
}
