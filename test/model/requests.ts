/**
 * What must hold of every request of the router (docs/faults.md F21, F22, F24): it lives on nobody else's call, it is
 * answered within its time-outs, it fails only because of a call of its own, and it asks for nothing twice.
 */
import type { Receipt } from "../../objects/tables/event.ts";
import type { Decision } from "../../src/http/admission.ts";
import {
  COUNT_RETRY_MAX_MS,
  COUNT_RETRY_PAUSES_MS,
  RECORD_TIMEOUT_MS,
} from "../../src/http/limits.ts";
import type { Call, SimRequest } from "./isolate.ts";
import type { Answer } from "./router.ts";
import type { World } from "./world.ts";

/** The time-outs of the limiter and of the page. */
const BEACON_MS = 12_000;
/** Where the address is known, and where D1 or the page has yet to say it. */
const REDIRECT_MS = 300;
const REDIRECT_UNKNOWN_MS = REDIRECT_MS + RECORD_TIMEOUT_MS;
/** How long a redirect waits for D1. */
const READ_MS = 150;
/** Floored clocks, and tasks of one moment in any order. */
const SLACK_MS = 2;
/** What an isolate remembers it knows for at most so long. */
const REMEMBERED_MS = 60_000;

export class Requests {
  readonly #world: World;
  /** By isolate and sender: when it last decided, and its longest silence since it asked the object. */
  readonly #silences = new Map<string, { decided_ms: number; silent_ms: number }>();
  /** Who last answered for a sender's limiter or for D1: which isolate, from memory or anew. */
  readonly #deciders = new Map<string, { isolate: string; remembered: boolean; at_ms: number }>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A request has begun; one of a visitor is charged. */
  begun(request: SimRequest): void {
    const { visit, began_ms } = request;
    if (visit !== null) request.limit = this.#world.notes.asked(visit.sender, began_ms);
  }

  asksLimiter(request: SimRequest): void {
    this.#decides(request, `limit of ${request.visit?.sender}`, false);
  }

  /** The limit's decision is known. */
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

  /** Notes that a page refused a request, or an overloaded object did, unless it had given the call up. */
  watchRefusal(request: SimRequest, recording: Promise<Receipt>): void {
    const { scheduler } = this.#world;
    const given_up_ms = scheduler.now_ms + RECORD_TIMEOUT_MS;
    const note = (isRefusal: boolean) => {
      if (scheduler.now_ms < given_up_ms) request.refused ||= isRefusal;
    };
    recording.then(
      (receipt) => note(!("url" in receipt)),
      (error) => note("overloaded" in error),
    );
  }

  asksPage(request: SimRequest): void {
    if (request.refused) this.#violated("F22", request, "asked again for what was refused");
  }

  answered(request: SimRequest, answer: Answer): void {
    const took_ms = request.answered_ms - request.began_ms;
    const { purpose, calls } = request;
    this.#world.tell(`${request.isolate.name}: ${purpose} answered ${answer.status}`);
    if (purpose !== "beacon" && purpose !== "redirect") return;
    // A clock that is set back in the middle may give a redirect its budget once more.
    const steps_ms = this.#world.plan.routerSteps_ms.length > 0 ? REDIRECT_MS : 0;
    const allowed_ms = purpose === "beacon" ? BEACON_MS : redirectMs(calls) + steps_ms;
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

  /** It waits and has nothing of its own under way. */
  hung(request: SimRequest): void {
    this.#violated("F21", request, "lives on another's call");
  }

  /** It has nothing more to do, and nobody ended it: its click is counted, refused, or given up after 25 s. */
  ended(request: SimRequest): void {
    if (request.purpose !== "redirect" || request.refused) return;
    const to_page = request.calls.filter(({ to }) => to === "page");
    const isCounted = to_page.some(
      ({ failed, took_ms }) => !failed && took_ms <= RECORD_TIMEOUT_MS,
    );
    const went_on_ms = this.#world.scheduler.now_ms - request.began_ms;
    const isGivenUp =
      to_page.length > COUNT_RETRY_PAUSES_MS.length || went_on_ms >= COUNT_RETRY_MAX_MS;
    if (to_page.length === 0 || isCounted || isGivenUp) return;
    this.#violated("F22", request, "ended before its click was counted");
  }

  cutOff(request: SimRequest): void {
    if (request.purpose === "beacon" || request.purpose === "redirect") {
      this.#violated("F22", request, "was cut off after 30 s and could not say so");
    }
  }

  /** At the end of a run. */
  judgeOpen(requests: Iterable<SimRequest>): void {
    for (const request of requests) {
      if (request.isOpen && request.visit !== null) {
        this.#violated("I6", request, "was never answered");
      }
    }
  }

  /** F24: one isolate remembers what another decides anew. */
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

/** Its address is known from memory, or from D1 if that answers in time. */
function redirectMs(calls: readonly Call[]): number {
  const isKnown = calls.every(
    ({ to, took_ms, failed }) => to !== "D1" || (!failed && took_ms <= READ_MS),
  );
  return isKnown ? REDIRECT_MS : REDIRECT_UNKNOWN_MS;
}

/** Whether its page failed it; for a redirect, also D1, which can say where a link leads as well. */
function hasFailed({ purpose, calls }: SimRequest): boolean {
  const fails = ({ failed, took_ms }: Call) => failed || took_ms > RECORD_TIMEOUT_MS;
  const to_page = calls.filter(({ to }) => to === "page");
  const to_d1 = calls.filter(({ to }) => to === "D1");
  if (purpose === "beacon") return to_page.some(fails);
  return to_d1.some(fails) && (to_page.length === 0 || to_page.some(fails));
}
