/**
 * MonitorBook: what operators see, without the platform around it.
 *
 *   cron, each minute ─▶ measured ─▶ samples, judgement ─▶ alerts + deliveries ─ alarm ─▶ receivers
 *   routers           ─▶ counted  ─▶ memory ─▶ samples, busy pages
 *   page objects      ─▶ flushed  ─▶ memory ─▶ late pages
 *   routers           ─▶ share    ─▶ the day's events, where EVENTS_PER_DAY is set
 *
 * Everything it owns is bounded; samples stay 90 days. What routers and pages report may be lost:
 * nobody is paid by it. An alert is not: it begins in the transaction that stores its deliveries,
 * and is delivered at least once, with the same id. Only the alarm notices a cron that has stopped.
 */
import type { FlushReport } from "../flush/flush-reports.ts";
import { Alarm } from "../platform/alarm.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../platform/clock.ts";
import type { Ports } from "../platform/ports.ts";
import { hasTables, migrate } from "../platform/schema.ts";
import { type Alert, AlertBook, type Channel } from "./alert-book.ts";
import {
  CRON_BEGINS_MS,
  CRON_MAX_MS,
  type Judgement,
  judge,
  type Measured,
  restoredIsOver,
  WINDOW_MS,
} from "./alert-rules.ts";
import { type BusyPage, BusyPages } from "./busy-pages.ts";
import { type DayEvents, eventsAt, type Share, type ShareCall, shareOf } from "./day-events.ts";
import { DELIVERY_TIMEOUT_MS, type DeliveryPorts, deliver } from "./deliver-alert.ts";
import { type LatePage, LatePages } from "./late-pages.ts";
import { MONITOR_STEPS } from "./monitor-schema.ts";
import { ReportBuffer, ReportPace, WRITE_AFTER_MS } from "./report-buffer.ts";
import type { Sample } from "./sample.ts";
import { CHART_MS, SampleTables, type TimedSample } from "./sample-tables.ts";

const DELIVERIES_PER_ALARM = 10;
/** Unix milliseconds: when the monitor began, and when the cron measured last. */
const BEGAN_AT = "began_at";
const MEASURED_AT = "measured_at";
/** Absent if no isolate has asked for events. */
const DAY_EVENTS = "day_events";
/** If the object is killed during a delivery, the alarm fires again after this time. */
const LEASE_MS = 2 * DELIVERY_TIMEOUT_MS;

export interface MonitorPorts extends Ports, DeliveryPorts {
  failed: (error: unknown) => void;
}

export interface IsolateCounts {
  sample: Sample;
  pages: Record<string, number>;
}

export interface Overview {
  minutes: TimedSample[];
  hours: TimedSample[];
  late: number;
  delay_ms: number;
  worst: LatePage[];
  alerts: Alert[];
  waiting: number;
}

export interface Numbers {
  total: Sample;
  last: Sample;
  late: number;
  delay_ms: number;
  running: string[];
}

export interface StatusSamples {
  minutes: TimedSample[];
  days: TimedSample[];
  alerts: Alert[];
}

export class MonitorBook {
  readonly #ports: MonitorPorts;
  readonly #alarm: Alarm;
  readonly #samples: SampleTables;
  readonly #late: LatePages;
  readonly #busy: BusyPages;
  readonly #alerts: AlertBook;
  readonly #reports = new ReportBuffer();
  readonly #pace = new ReportPace();
  #writes_later = false;

  constructor(ports: MonitorPorts) {
    const { storage } = ports;
    this.#ports = ports;
    this.#alarm = new Alarm(storage);
    this.#samples = new SampleTables(storage);
    this.#late = new LatePages(storage.sql);
    this.#busy = new BusyPages(storage);
    this.#alerts = new AlertBook(storage.sql);
    if (this.#exists) migrate(storage, MONITOR_STEPS);
  }

  async ready(): Promise<void> {
    await this.#alarm.load();
  }

  measured(measured: Measured): void {
    this.#write((now) => {
      this.#ports.storage.kv.put(MEASURED_AT, now);
      this.#late.forget(now);
      this.#busy.age(now);
      const { late, delay_ms } = this.#late.state(now);
      const levels: Sample = { "max.delay_s": delay_ms / SECOND_MS, "max.late": late, minutes: 1 };
      const events = this.#ports.storage.kv.get<DayEvents>(DAY_EVENTS);
      if (events !== undefined) levels["max.events"] = eventsAt(events, now).given;
      this.#samples.fold(now);
      this.#samples.add({ ...measured.sample, ...levels }, now);
      const minutes = this.#samples.last("minute", WINDOW_MS, now).map(({ sample }) => sample);
      const restored = restoredIsOver(this.#alerts.running(), now);
      const judgements = [...judge(minutes, measured), ...restored];
      this.#alerts.judged(judgements, this.#channels(), now);
    });
  }

  restored(minutes_back: number): void {
    this.#write((now) => {
      const judgement: Judgement = { kind: "restored", state: "bad", value: minutes_back };
      this.#alerts.judged([judgement], this.#channels(), now);
    });
  }

  /** Answers how long the isolate waits until its next report, in milliseconds. */
  counted({ sample, pages }: IsolateCounts): number {
    this.#reports.counted(sample, pages);
    this.#writeLater();
    return this.#pace.next(this.#ports.clock.now());
  }

  /** A share that is lost on its way was given all the same. */
  share(call: ShareCall): Share {
    return this.#write((now) => {
      const { kv } = this.#ports.storage;
      const { events, share } = shareOf(kv.get<DayEvents>(DAY_EVENTS), call, now);
      kv.put(DAY_EVENTS, events);
      return share;
    });
  }

  /** Unix milliseconds; null if this UTC day has events left. */
  usedUpAt(): number | null {
    const { storage, clock } = this.#ports;
    return eventsAt(storage.kv.get<DayEvents>(DAY_EVENTS), clock.now()).used_up_at;
  }

  flushed(report: FlushReport): void {
    this.#reports.flushed(report);
    if (this.#reports.isFull) this.#writeReports();
    else this.#writeLater();
  }

  overview(): Overview | null {
    this.#writeReports();
    if (!this.#exists) return null;
    const now = this.#ports.clock.now();
    return {
      minutes: this.#samples.last("minute", HOUR_MS, now),
      hours: this.#samples.last("hour", CHART_MS, now),
      ...this.#late.state(now),
      worst: this.#late.worst(),
      alerts: this.#alerts.newest(),
      waiting: this.#alerts.waiting(),
    };
  }

  numbers(): Numbers | null {
    this.#writeReports();
    if (!this.#exists) return null;
    const now = this.#ports.clock.now();
    return {
      total: this.#samples.all(now),
      last: this.#lastMeasured(now),
      ...this.#late.state(now),
      running: this.#alerts.running().map(({ kind }) => kind),
    };
  }

  status(): StatusSamples | null {
    if (!this.#exists) return null;
    const now = this.#ports.clock.now();
    return {
      minutes: this.#samples.last("minute", WINDOW_MS, now),
      days: this.#samples.last("day", 90 * DAY_MS, now),
      alerts: this.#alerts.newest(),
    };
  }

  busiest(): BusyPage[] {
    this.#writeReports();
    return this.#exists ? this.#busy.most() : [];
  }

  /** Never rejects: the platform gives up after six failures. */
  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    if (!this.#exists) return;
    this.#watchCron();
    const { clock, random, failed } = this.#ports;
    for (let n = 0; n < DELIVERIES_PER_ALARM; n += 1) {
      const delivery = this.#alerts.due(clock.now());
      if (delivery === null) break;
      this.#alarm.arm(clock.now() + LEASE_MS);
      try {
        await deliver(this.#ports, delivery, clock.now());
        this.#alerts.settled(delivery);
      } catch (error) {
        failed(error);
        this.#alerts.failed(delivery, clock.now(), random());
      }
    }
    this.#arm(clock.now());
  }

  get #exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  #lastMeasured(now: number): Sample {
    const minutes = this.#samples.last("minute", WINDOW_MS, now);
    return minutes.findLast(({ sample }) => sample.minutes !== undefined)?.sample ?? {};
  }

  #channels(): Channel[] {
    const { webhook, mail } = this.#ports.settings;
    return [
      ...(webhook === null ? [] : ["webhook" as const]),
      ...(mail === null ? [] : ["mail" as const]),
    ];
  }

  #write<T>(work: (now: number) => T): T {
    const { storage, clock } = this.#ports;
    const result = storage.transactionSync(() => {
      migrate(storage, MONITOR_STEPS);
      const now = clock.now();
      if (storage.kv.get<number>(BEGAN_AT) === undefined) storage.kv.put(BEGAN_AT, now);
      if (!this.#reports.isEmpty) {
        const { sample, pages, flushes } = this.#reports.take();
        this.#samples.add(sample, now);
        this.#busy.add(pages);
        for (const report of flushes.values()) this.#late.take(report, now);
      }
      return work(now);
    });
    // A delivery that is under way has set the alarm by which it is tried again.
    const now = clock.now();
    this.#arm(now, now + LEASE_MS);
    return result;
  }

  #writeLater(): void {
    if (this.#writes_later) return;
    this.#writes_later = true;
    this.#ports.clock.after(WRITE_AFTER_MS, () => this.#writeReports());
  }

  #writeReports(): void {
    this.#writes_later = false;
    if (!this.#reports.isEmpty) this.#write(() => {});
  }

  get #began_at(): number {
    return this.#ports.storage.kv.get<number>(BEGAN_AT) ?? 0;
  }

  /** When the cron's measurement is late, in unix milliseconds. */
  #cronLateAt(now: number): number {
    const measured_at = this.#ports.storage.kv.get<number>(MEASURED_AT);
    // The clock may have stepped back.
    if (measured_at === undefined) return Math.min(this.#began_at, now) + CRON_BEGINS_MS;
    return Math.min(measured_at, now) + CRON_MAX_MS;
  }

  #watchCron(): void {
    const now = this.#ports.clock.now();
    if (now < this.#cronLateAt(now)) return;
    const since = this.#ports.storage.kv.get<number>(MEASURED_AT) ?? this.#began_at;
    const value = (now - since) / MINUTE_MS;
    const judgement: Judgement = { kind: "cron", state: "bad", value };
    this.#ports.storage.transactionSync(() =>
      this.#alerts.judged([judgement], this.#channels(), now),
    );
  }

  #arm(now: number, by_ms = Number.NEGATIVE_INFINITY): void {
    const late_at = this.#cronLateAt(now);
    const dues = [this.#alerts.dueAt(now)];
    // Once the cron is late, only its next measurement changes that.
    if (late_at > now) dues.push(late_at);
    const at = Math.max(now, Math.min(...dues.filter((at) => at !== null)));
    this.#alarm.armBy(Math.max(at, by_ms), now, at);
  }
}
