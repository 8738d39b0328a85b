/** The table that compares the limiters in docs/proof.md. */
import { type Decision, type Judgement, judge, peak, promises } from "./oracle.ts";
import { LIMITERS, type Limiter } from "./others.ts";
import { TRACES, type Trace } from "./traces.ts";

/** One limiter in one trace at one limit. */
export interface Report {
  limiter: Limiter;
  trace: Trace;
  limit: number;
  /** The most requests that arrived in any 60 s. */
  demand: number;
  judgement: Judgement;
  /** Refusals whose `Retry-After` was not true. */
  kept: { broken: number; overlong: number };
}

export function report(
  decisions: readonly Decision[],
  limiter: Limiter,
  trace: Trace,
  limit: number,
): Report {
  return {
    limiter,
    trace,
    limit,
    demand: peak(decisions.map((decision) => decision[trace.judged_by])),
    judgement: judge(decisions, limit, trace),
    kept: promises(decisions),
  };
}

/** The limit for which each trace has a row. */
const SHOWN_LIMIT = 60;

/** Columns of text; the others hold numbers. */
const TEXT = ["limiter", "algorithm", "trace, N = 60"];

/** All traces and limits summed up per limiter, then one row per trace at N = 60. */
export function tables(reports: readonly Report[]): string {
  return `${summary(reports)}\n\n${perTrace(reports)}`;
}

function summary(reports: readonly Report[]): string {
  const rows = LIMITERS.map((limiter) => {
    const own = reports.filter((one) => one.limiter === limiter);
    const sum = (of: (one: Report) => number) =>
      own.reduce((total, one) => total + of(one), 0).toLocaleString("en");
    const peaks = own.filter(({ limit }) => limit === SHOWN_LIMIT);
    return [
      limiter.name,
      limiter.algorithm,
      sum(({ judgement }) => judgement.false_admits),
      sum(({ judgement }) => judgement.false_refusals),
      `${Math.max(...peaks.map(({ judgement }) => judgement.peak))} of ${SHOWN_LIMIT}`,
      sum(({ kept }) => kept.broken),
      sum(({ kept }) => kept.overlong),
    ];
  });
  return markdown(
    [
      "limiter",
      "algorithm",
      "admits wrongly",
      "refuses wrongly",
      "most in 60 s",
      "`Retry-After` too early",
      "too late",
    ],
    rows,
  );
}

function perTrace(reports: readonly Report[]): string {
  const shown = reports.filter(({ limit }) => limit === SHOWN_LIMIT);
  const rows = TRACES.map((trace) => {
    const cells = LIMITERS.map((limiter) => {
      const one = shown.find((report) => report.trace === trace && report.limiter === limiter);
      if (one === undefined) throw new Error(`no report of ${limiter.name} in ${trace.name}`);
      return `${one.judgement.false_admits} / ${one.judgement.false_refusals}`;
    });
    return [trace.name, ...cells];
  });
  return markdown(["trace, N = 60", ...LIMITERS.map(({ name }) => name)], rows);
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = `|${head.map((title) => (TEXT.includes(title) ? "---" : "---:")).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}
