/**
 * MonitorBook: what operators see. What the monitor's object does, without the platform around it.
 *
 *   cron, each minute ─▶ measured ─▶ samples, judgement ─▶ alerts + deliveries ─ alarm ─▶ receivers
 *   routers           ─▶ counted  ─▶ samples
 *   page objects      ─▶ flushed  ─▶ late pages
 *
 * Owns samples (90 days), late pages, busy pages, alerts and their deliveries, all bounded. What
 * routers and pages report may be lost: nobody is paid by it. An alert is not: it begins in the
 * transaction that stores its deliveries, and is delivered at least once, with the same id.
 */
import type { FlushReport } from "../flush/flush-reports.ts";
import { Alarm } from "../platform/alarm.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../platform/clock.ts";
import type { Ports } from "../platform/ports.ts";
import { hasTables, migrate } from "../platform/schema.ts";
import { type Alert, AlertBook, type Channel } from "./alert-book.ts";
import { judge, type Measured, WINDOW_MS } from "./alert-rules.ts";
import { type BusyPage, BusyPages } from "./busy-pages.ts";
import { DELIVERY_TIMEOUT_MS, type DeliveryPorts, deliver } from "./deliver-alert.ts";
import { type LatePage, LatePages } from "./late-pages.ts";
import { MONITOR_STEPS } from "./monitor-schema.ts";
import type { Sample } from "./sample.ts";
import { CHART_MS, SampleTables, type TimedSample } from "./sample-tables.ts";

/** Deliveries of one alarm; further ones come with the next. */
const DELIVERIES_PER_ALARM = 10;
/** If the object is killed during a delivery, the alarm fires again after this time. */
const LEASE_MS = 2 * DELIVERY_TIMEOUT_MS;

export interface MonitorPorts extends Ports, DeliveryPorts {
  failed: (error: unknown) => void;
}

/** What one isolate counted since it last reported. */
export interface IsolateCounts {
  sample: Sample;
  /** Events by page. */
  pages: Record<string, number>;
}

export interface Overview {
  /** The last minutes, oldest first. */
  minutes: TimedSample[];
  hours: TimedSample[];
  late: number;
  delay_ms: number;
  worst: LatePage[];
  alerts: Alert[];
  waiting: number;
}

export interface Numbers {
  /** Since the monitor began. */
  total: Sample;
  /** Of the last measured minute. */
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

  /** Takes what the cron measured, and judges the last minutes. */
  measured(measured: Measured): void {
    this.#write((now) => {
      this.#late.forget(now);
      this.#busy.age(now);
      const { late, delay_ms } = this.#late.state(now);
      const levels = { "max.delay_s": delay_ms / SECOND_MS, "max.late": late, minutes: 1 };
      this.#samples.add({ ...measured.sample, ...levels }, now);
      this.#samples.fold(now);
      const minutes = this.#samples.last("minute", WINDOW_MS, now).map(({ sample }) => sample);
      this.#alerts.judged(judge(minutes, measured, now), this.#channels(), now);
    });
    this.#armForDeliveries();
  }

  /** Takes what an isolate counted. */
  counted({ sample, pages }: IsolateCounts): void {
    this.#write((now) => {
      this.#samples.add(sample, now);
      this.#busy.add(pages);
    });
  }

  /** Takes the report of a page's object. */
  flushed(report: FlushReport): void {
    this.#write((now) => {
      this.#late.take(report, now);
      if (report.failures > 0) this.#samples.add({ "alarms.failed": report.failures }, now);
    });
  }

  overview(): Overview | null {
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

  /** The pages that routers saw most events of. */
  busiest(): BusyPage[] {
    return this.#exists ? this.#busy.most() : [];
  }

  /** Sends what is due. Never rejects: the platform gives up after six failures. */
  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    if (!this.#exists) return;
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
    const due_at = this.#alerts.dueAt();
    if (due_at !== null) this.#alarm.arm(Math.max(due_at, clock.now()));
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

  #write(work: (now: number) => void): void {
    const { storage, clock } = this.#ports;
    storage.transactionSync(() => {
      migrate(storage, MONITOR_STEPS);
      work(clock.now());
    });
  }

  #armForDeliveries(): void {
    const now = this.#ports.clock.now();
    const due_at = this.#alerts.dueAt();
    if (due_at !== null && !this.#alarm.firesBy(Math.max(due_at, now + LEASE_MS), now)) {
      this.#alarm.arm(Math.max(due_at, now));
    }
  }
}
