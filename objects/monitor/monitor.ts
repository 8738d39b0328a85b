/** Monitor: the Durable Object of what operators see. There is one object, named `monitor`. */
import { DurableObject } from "cloudflare:workers";
import type { FlushReport } from "../flush/flush-reports.ts";
import { withTimeout } from "../platform/clock.ts";
import { logError } from "../platform/log.ts";
import { portsOf } from "../platform/ports.ts";
import type { Measured } from "./alert-rules.ts";
import { alertSettings } from "./alert-settings.ts";
import type { BusyPage } from "./busy-pages.ts";
import type { Share, ShareCall } from "./day-events.ts";
import { DELIVERY_TIMEOUT_MS } from "./deliver-alert.ts";
import {
  type IsolateCounts,
  MonitorBook,
  type Numbers,
  type Overview,
  type StatusSamples,
} from "./monitor-book.ts";

export class Monitor extends DurableObject<Cloudflare.Env> {
  readonly #book: MonitorBook;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#book = new MonitorBook({
      ...portsOf(ctx),
      settings: alertSettings(env),
      fetch: (url, init) => fetch(url, init),
      sendMail: (mail) => withTimeout(env.MAIL.send(mail), DELIVERY_TIMEOUT_MS),
      failed: (error) => logError("alert_failed", {}, error),
    });
    void ctx.blockConcurrencyWhile(() => this.#book.ready());
  }

  measured(measured: Measured): void {
    this.#book.measured(measured);
  }

  counted(counts: IsolateCounts): number {
    return this.#book.counted(counts);
  }

  share(call: ShareCall): Share {
    return this.#book.share(call);
  }

  usedUpAt(): number | null {
    return this.#book.usedUpAt();
  }

  flushed(report: FlushReport): void {
    this.#book.flushed(report);
  }

  restored(minutes_back: number): void {
    this.#book.restored(minutes_back);
  }

  overview(): Overview | null {
    return this.#book.overview();
  }

  numbers(): Numbers | null {
    return this.#book.numbers();
  }

  status(): StatusSamples | null {
    return this.#book.status();
  }

  busiest(): BusyPage[] {
    return this.#book.busiest();
  }

  override alarm(): Promise<void> {
    return this.#book.onAlarm();
  }
}
