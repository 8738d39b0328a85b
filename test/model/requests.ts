/**
 * What must hold for every request of the router (docs/faults.md F21, F22, F24): it does not depend
 * on another request, it is answered within its time-outs, it fails only because of a call that was
 * made for it, and it does not repeat a call that was refused.
 */
import type { Receipt } from "../../objects/events/event.ts";
import {
  COUNT_RETRY_MAX_MS,
  COUNT_RETRY_PAUSES_MS,
  RECORD_TIMEOUT_MS,
} from "../../src/counting/limits.ts";
import type { Decision } from "../../src/http/admission.ts";
import { PATIENCE_MS } from "../../src/http/batcher.ts";
import { LIMITER_TIMEOUT_MS } from "../../src/http/limits.ts";
import { TICK_MS } from "../../src/http/request-timers.ts";
import type { Call, SimRequest } from "./isolate.ts";
import type { Brought } from "./items.ts";
import type { Answer } from "./router.ts";
import type { World } from "./world.ts";

/** Longest wait of a request until it calls, or another one calls for it. */
const WAIT_MS = PATIENCE_MS + TICK_MS;
/** The same for a request that has ended meanwhile. */
const LEFT_BEHIND_MS = 1_000;
/** The time-outs of the limiter and of the page. */
const BEACON_MS = 12_000 + 2 * (WAIT_MS + TICK_MS);
/** If the address is cached or D1 answers in time, and if the page has to be asked. */
const REDIRECT_MS = 300;
const REDIRECT_UNKNOWN_MS = REDIRECT_MS + RECORD_TIMEOUT_MS;
/** How long a redirect waits for D1. */
const READ_MS = 150;
/** For rounded clocks, and for tasks of the same moment, which run in any order. */
const SLACK_MS = 2;
/** Longest time for which an isolate caches anything. */
const REMEMBERED_MS = 60_000;

export class Requests {
  readonly #world: World;
  /** By isolate and sender: its last decision, and its longest time without one since it asked the object. */
  readonly #silences = new Map<string, { decided_ms: number; silent_ms: number }>();
  /** Which isolate last decided about a sender or an address, and whether from its cache. */
  readonly #deciders = new Map<string, { isolate: string; remembered: boolean; at_ms: number }>();

  constructor(world: World) {
    this.#world = world;
  }

  begun(request: SimRequest): void {
    const { visit, began_ms } = request;
    if (visit !== null) request.limit = this.#world.notes.asked(visit.sender, began_ms);
  }

  asksLimiter(request: SimRequest): void {
    this.#decides(request, `limit of ${request.visit?.sender}`, false);
  }

  limited(request: SimRequest, { admitted, reset_ms }: Decision): void {
    const { limit, visit, calls } = request;
    if (limit === null || visit === null) return;
    limit.answered_ms = this.#world.scheduler.now_ms;
    limit.admitted = admitted;
    limit.reset_ms = reset_ms;
    if (!admitted) this.#world.notes.refused(visit.page_id, visit.event.link_id);
    const isRemembered = !calls.some(({ to }) => to === "limiter");
    if (isRemembered) this.#decides(request, `limit of ${visit.sender}`, true);
    limit.silent_ms = this.#silence(`${request.isolate.name}/${visit.sender}`, isRemembered);
  }

  #silence(key: string, isRemembered: boolean): number {
    const decided_ms = this.#world.scheduler.now_ms;
    const last = this.#silences.get(key);
    const silent_ms =
      isRemembered && last ? Math.max(last.silent_ms, decided_ms - last.decided_ms) : 0;
    this.#silences.set(key, { decided_ms, silent_ms });
    return silent_ms;
  }

  watchReceipts(of: readonly SimRequest[], recording: Promise<readonly Receipt[]>): void {
    const { scheduler } = this.#world;
    const calls = of.map(({ calls }) => calls.at(-1));
    const given_up_ms = of.map(({ submitted_ms, calls }) => {
      // A call for an event that had to be sent alone has what is left of the time-out.
      const isSecond = calls.at(-2)?.unsettled;
      return (isSecond ? submitted_ms : scheduler.now_ms) + RECORD_TIMEOUT_MS;
    });
    const note = (isRefused: (i: number) => boolean) => {
      for (const [i, request] of of.entries()) {
        const late_ms = scheduler.now_ms - (given_up_ms[i] ?? 0);
        if (late_ms < 0) request.refused ||= isRefused(i);
        // Time-outs may be late by so much: perhaps the request has got its refusal.
        else if (late_ms <= 2 * TICK_MS) request.isUnclear ||= isRefused(i);
      }
    };
    recording.then(
      (receipts) => {
        for (const [i, call] of calls.entries()) {
          if (call !== undefined) call.unsettled = receipts[i]?.outcome === "unsettled";
        }
        note((i) => isRefusal(receipts[i]));
      },
      (error) => note(() => "overloaded" in error),
    );
  }

  /** An item is on its way: soon, and also if its request has ended meanwhile, not much later. */
  carried({ request, since_ms }: Brought): void {
    const waited_ms = this.#world.scheduler.now_ms - since_ms;
    if (waited_ms <= (request.alive ? WAIT_MS : LEFT_BEHIND_MS) + SLACK_MS) return;
    this.#violated("F22", request, `was called for after ${Math.round(waited_ms)} ms`);
  }

  asksPage(request: SimRequest): void {
    if (request.refused) this.#violated("F22", request, "asked again for what was refused");
  }

  answered(request: SimRequest, answer: Answer): void {
    const took_ms = request.answered_ms - request.began_ms;
    const { purpose, calls } = request;
    this.#world.trace(`${request.isolate.name}: ${purpose} answered ${answer.status}`);
    if (purpose !== "beacon" && purpose !== "redirect") return;
    // A clock that is set back may give a redirect its budget, and a beacon its time-out, once more.
    const isStepped = this.#world.plan.routerSteps_ms.length > 0;
    const [beacon_ms, redirect_ms] = isStepped ? [RECORD_TIMEOUT_MS, REDIRECT_MS] : [0, 0];
    const allowed_ms =
      purpose === "beacon" ? BEACON_MS + beacon_ms : redirectMs(calls) + redirect_ms;
    if (took_ms > allowed_ms + SLACK_MS) {
      this.#violated("F21", request, `took ${took_ms} ms of ${allowed_ms}`);
    }
    if (answer.status === 500) this.#violated("F21", request, "failed with 500");
    else if (answer.status > 500 && !hasFailed(request)) {
      this.#violated("F21", request, `failed with ${answer.status} though its calls did not`);
    }
    if (answer.status === 302) {
      const remembered = !calls.some(({ to }) => to === "D1");
      this.#decides(request, `addresses of ${request.visit?.page_id}`, remembered);
    }
    if (request.charges > 1) this.#violated("I5", request, "was charged twice");
  }

  /** The request waits without a call or timer of its own. */
  hung(request: SimRequest): void {
    this.#violated("F21", request, "waits for another request");
  }

  /** The request ended by itself: its click must be counted, refused, or given up after 25 s. */
  ended(request: SimRequest): void {
    this.#judgeMade(request);
    if (request.purpose !== "redirect" || request.refused || request.isUnclear) return;
    const to_page = request.calls.filter(({ to }) => to === "page");
    const isCounted = to_page.some(
      ({ failed, took_ms, unsettled }) =>
        !failed && !unsettled && took_ms <= RECORD_TIMEOUT_MS + TICK_MS,
    );
    const went_on_ms = this.#world.scheduler.now_ms - request.began_ms;
    const isGivenUp =
      to_page.filter(({ unsettled }) => !unsettled).length > COUNT_RETRY_PAUSES_MS.length ||
      went_on_ms >= COUNT_RETRY_MAX_MS;
    if (to_page.length === 0 || isCounted || isGivenUp) return;
    this.#violated("F22", request, "ended before its click was counted");
  }

  /** F22: a request that ends takes no other one's item with it. */
  #judgeMade(request: SimRequest): void {
    const { now_ms } = this.#world.scheduler;
    const left = request.made.filter(({ call, of }) => {
      const timeout_ms = call.to === "limiter" ? LIMITER_TIMEOUT_MS : RECORD_TIMEOUT_MS;
      const isWaited = call.took_ms === Infinity && now_ms < call.asked_ms + timeout_ms - SLACK_MS;
      return isWaited && of !== request && of.alive;
    });
    if (left.length > 0) this.#violated("F22", request, "ended during a call for others");
  }

  cutOff(request: SimRequest): void {
    if (request.purpose === "beacon" || request.purpose === "redirect") {
      this.#violated("F22", request, "was cancelled after 30 s and could not log it");
    }
  }

  judgeOpen(requests: Iterable<SimRequest>): void {
    for (const request of requests) {
      if (request.isOpen && request.visit !== null) {
        this.#violated("I6", request, "was never answered");
      }
    }
  }

  /** F24: one isolate decides from its cache, another by asking. */
  #decides(request: SimRequest, what: string, remembered: boolean): void {
    const at_ms = this.#world.scheduler.now_ms;
    const isolate = request.isolate.name;
    const last = this.#deciders.get(what);
    this.#deciders.set(what, { isolate, remembered, at_ms });
    if (last === undefined || last.isolate === isolate || last.remembered === remembered) return;
    if (at_ms - last.at_ms < REMEMBERED_MS) this.#world.hit("F24");
  }

  #violated(rule: string, request: SimRequest, what: string): void {
    this.#world.notes.violated(rule, `a ${request.purpose} of ${request.isolate.name} ${what}`);
  }
}

/** The time-out of a redirect: short if its address is cached or D1 answers in time. */
function redirectMs(calls: readonly Call[]): number {
  const isKnown = calls.every(
    ({ to, took_ms, failed }) => to !== "D1" || (!failed && took_ms <= READ_MS),
  );
  return isKnown ? REDIRECT_MS : REDIRECT_UNKNOWN_MS;
}

/**
 * Whether the calls to the page that carried its event failed, and for a redirect those to D1, which
 * has the address too.
 */
function hasFailed({ purpose, calls }: SimRequest): boolean {
  const fails = ({ failed, took_ms }: Call) => failed || took_ms > RECORD_TIMEOUT_MS;
  const to_page = calls.filter(({ to }) => to === "page");
  const to_d1 = calls.filter(({ to }) => to === "D1");
  // A second call, for the event alone, has what the first has left of the time-out.
  const all_ms = to_page.reduce((sum, { took_ms }) => sum + took_ms, WAIT_MS);
  if (purpose === "beacon") return to_page.some(fails) || all_ms > RECORD_TIMEOUT_MS;
  return to_d1.some(fails) && (to_page.length === 0 || to_page.some(fails));
}

/** Whether the object has decided that the event does not count. */
function isRefusal(receipt: Receipt | undefined): boolean {
  return receipt !== undefined && !("url" in receipt) && receipt.outcome !== "unsettled";
}
