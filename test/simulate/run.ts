import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import type { Secret } from "../../src/http/secret.ts";
import { randomSecret, secretOf } from "../secret.ts";
import { Serving } from "../server/serving.ts";
import { Blocks, type BlocksResult } from "./blocks/blocks.ts";
import { BLOCKS_FILE, blocksPage } from "./blocks/blocks-page.ts";
import { client, type Load } from "./clients.ts";
import { collectEvidence, heal, rest } from "./evidence.ts";
import {
  type Downtime,
  type FaultCounts,
  type PlannedFault,
  planFaults,
  Torture,
} from "./faults.ts";
import { judge, type Verdict } from "./judge.ts";
import { type Measures, measure } from "./measure.ts";
import type { Options } from "./options.ts";
import { type ObeyedWait, PATIENT_EVENTS, patientVisitor } from "./patient.ts";
import { type Delivery, planDeliveries, planPages } from "./plan.ts";
import { Senders } from "./senders.ts";
import { Witness } from "./witness.ts";

/** Frequent flushes, so that some kills come between D1's commit and its answer (docs/faults.md F3). */
const FLUSH_SECONDS = "1";
const PROGRESS_MS = 5_000;
/** Each with its own memory. */
export const ROUTERS = 3;
/** A quarter of it, what one page may send, is more than all mails of the largest run. */
const MAIL_PER_DAY = "40000";
/** Smaller runs have no patient visitor, whose events would be most of them. */
const PATIENT_FROM_EVENTS = 10 * PATIENT_EVENTS;

const FAULTY = join(ROOT, "test/simulate/worker/faulty.ts");

/** The Worker's log; most of it is about the faults. */
const LOG = "server.log";

export interface Progress {
  phase: "load" | "settling";
  settled: number;
  done: FaultCounts;
}

export interface Result extends Verdict, Measures {
  seed: number;
  faults: FaultCounts;
  /** Calls to D1 that were refused, ran late, or lost their reply. */
  broken_d1_calls: number;
  lost_answers: number;
  /** Seconds from the last recovery, or the last answer, until D1 agreed; null if not within 60 s. */
  d1_equal_after_s: number | null;
  /** Waits for `Retry-After`, obeyed to the second. */
  waits_obeyed: number;
  /** Seconds from the first request to the last answer. */
  load_s: number;
  /** Of these, the sum of the times from a kill until every router answered again. */
  killed_s: number;
  /** Null without blocks. */
  blocks: BlocksResult | null;
}

export interface Harness {
  statePath: string;
  /** The module around the bundle; `FAULTY`, or a broken one to prove that the judge finds it. */
  module?: string | undefined;
  onProgress?: (progress: Progress) => void;
  /** Aborts the run: it rejects, and everything that it started ends. */
  signal: AbortSignal;
}

/** @throws if the server does not start, or if `signal` aborts */
export async function run(options: Options, harness: Harness): Promise<Result> {
  const serving = new Serving(join(harness.statePath, LOG));
  const stop = () => void serving.stop();
  harness.signal.addEventListener("abort", stop);
  let witness: Witness | undefined;
  try {
    const SENDER_KEY = randomSecret();
    const { pages, senders, deliveries, patient, faults } = await plan(
      options,
      secretOf(SENDER_KEY),
    );
    const withHub = options.blocks > 0;
    await serving.call("start", {
      statePath: harness.statePath,
      vars: { FLUSH_SECONDS, QUIET_FLUSH_SECONDS: FLUSH_SECONDS, SENDER_KEY, MAIL_PER_DAY },
      pages: withHub ? [...pages, blocksPage(options.blocks)] : pages,
      files: withHub ? [BLOCKS_FILE] : [],
      withHub,
      module: harness.module ?? FAULTY,
      routers: ROUTERS,
      distance: { percent: options.distance, drop_per_1000: options.drop, seed: options.seed },
    });
    const routers = await serving.call("routers");
    witness = new Witness(routers, options.clients);
    const { isUp, settled } = witness;
    const torture = new Torture(serving, isUp);
    const recovered_ms = () => torture.recovered_ms;
    const blocks = new Blocks({
      ...{ serving, routers, blocks: options.blocks, events: options.events },
      ...{ settled: () => settled.size, recovered: recovered_ms },
      signal: harness.signal,
    });
    if (withHub) await blocks.prepare();
    const started_ms = performance.now();
    const load: Load = {
      witness,
      senders,
      deliveries: deliveries.values(),
      ends_ms: started_ms + options.seconds * 1_000,
      signal: harness.signal,
      recovered_ms,
      stuck: new Set(),
    };
    let phase: Progress["phase"] = "load";
    const tell = () => harness.onProgress?.({ phase, settled: settled.size, done: torture.done });
    const telling = setInterval(tell, PROGRESS_MS);
    try {
      const loading = loadUntilDone(options.clients, patient, load);
      const [{ wait, ended_ms }] = await Promise.all([
        loading,
        torture.run(faults, () => settled.size, loading),
        withHub ? blocks.send(loading) : null,
      ]);
      phase = "settling";
      const page_ids = pages.map(({ page_id }) => page_id);
      const { after_ms } = await heal(serving, page_ids, Math.max(torture.recovered_ms, ended_ms));
      await rest(harness.signal);
      const judged = withHub ? await blocks.judge() : null;
      const healed = await heal(serving, page_ids, performance.now());
      const broken_d1_calls = await serving.call("brokenD1Calls");
      const lost_answers = await serving.call("lostAnswers");
      const evidence = await collectEvidence(serving, harness.statePath, page_ids, witness);
      const waits = wait === null ? [] : [wait];
      const { sent, acknowledged, attempts, unexpected } = witness;
      const { downtimes, edits } = torture;
      const notes = { sent, acknowledged, attempts, unexpected, waits, stuck: load.stuck };
      const verdict = judge({ ...notes, ...healed, ...evidence, downtimes, edits });
      return {
        seed: options.seed,
        ...verdict,
        violations: [...verdict.violations, ...(judged?.violations ?? [])],
        blocks: judged?.result ?? null,
        ...measure(attempts, evidence),
        faults: torture.done,
        broken_d1_calls,
        lost_answers,
        d1_equal_after_s: after_ms === null ? null : after_ms / 1_000,
        waits_obeyed: waits.length,
        load_s: (ended_ms - started_ms) / 1_000,
        killed_s: secondsOf(downtimes.filter(({ what }) => what === "kill")),
      };
    } finally {
      clearInterval(telling);
    }
  } finally {
    harness.signal.removeEventListener("abort", stop);
    await witness?.close();
    await serving.stop();
  }
}

async function plan(options: Options, sender_key: Secret) {
  const { events, seed, distance } = options;
  const pages = planPages(options.pages, options.links);
  const senders = new Senders(options.senders, events);
  const scene = { pages, senders, sender_key, distance };
  const patients = events < PATIENT_FROM_EVENTS ? 0 : PATIENT_EVENTS;
  const others = events - patients;
  const [deliveries, patient, faults]: [Delivery[], Delivery[], PlannedFault[]] = await Promise.all(
    [
      planDeliveries(`e${seed}`, others, scene, seed),
      planDeliveries(`p${seed}`, patients, { ...scene, beacons_only: true }, seed + 1),
      planFaults(options, events, pages, senders, sender_key, seed + 2),
    ],
  );
  return { pages, senders, deliveries, patient, faults };
}

function secondsOf(downtimes: readonly Downtime[]): number {
  return downtimes.reduce((sum, { from_ms, until_ms }) => sum + until_ms - from_ms, 0) / 1_000;
}

async function loadUntilDone(
  clients: number,
  patient: readonly Delivery[],
  load: Load,
): Promise<{ wait: ObeyedWait | null; ended_ms: number }> {
  const [wait] = await Promise.all([
    patientVisitor(patient, load),
    ...Array.from({ length: clients }, () => client(load)),
  ]);
  return { wait, ended_ms: performance.now() };
}
