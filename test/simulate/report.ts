/** The result of a run as a table in English and in Arabic, with every violation. */
import type { Options } from "./options.ts";
import type { Result } from "./run.ts";

/** Violations printed; `--json` has all of them. */
const VIOLATIONS_SHOWN = 20;

interface Row {
  en: string;
  ar: string;
  value: string;
}

export function report(result: Result, asked: Options): string {
  const rows = table(result, asked);
  const width = Math.max(...rows.map(({ value }) => value.length));
  const label = Math.max(...rows.map(({ en }) => en.length));
  const broken = result.violations.length;
  return [
    "",
    ...rows.map(({ en, value }) => `  ${en.padEnd(label)}  ${value.padStart(width)}`),
    "",
    // The number first: a terminal that mixes directions still keeps the columns.
    ...rows.map(({ ar, value }) => `  ${value.padStart(width)}  ${ar}`),
    "",
    ...violations(result),
    broken === 0
      ? "  Every promise was kept."
      : `  Violations: ${broken}. Repeat with --seed ${result.seed}`,
    broken === 0 ? "  حُفظت الوعود كلها." : "  أُخلفت وعود. أعد التشغيل بالبذرة نفسها.",
    "",
  ].join("\n");
}

function table(result: Result, asked: Options): Row[] {
  const { faults } = result;
  const of = (done: number, planned: number) => `${count(done)} of ${count(planned)}`;
  const ms = (n: number) => `${n.toFixed(1)} ms`;
  const equal = result.d1_equal_after_s;
  return [
    { en: "seed", ar: "البذرة", value: String(result.seed) },
    { en: "distance", ar: "المسافة", value: `${asked.distance}%` },
    { en: "routers", ar: "الموجّهات", value: count(asked.routers) },
    { en: "kills", ar: "مرات القتل", value: of(faults.kills, asked.kills) },
    { en: "D1 outages", ar: "أعطال D1", value: of(faults.d1_outages, asked.d1_outages) },
    {
      en: "calls to D1 that failed",
      ar: "نداءات D1 الفاشلة",
      value: count(result.broken_d1_calls),
    },
    {
      en: "evictions",
      ar: "مرات الإخراج من الذاكرة",
      value: of(faults.evictions, asked.evictions),
    },
    { en: "edits", ar: "التعديلات", value: of(faults.edits, asked.edits) },
    { en: "requests", ar: "الطلبات", value: count(result.requests) },
    { en: "requests that failed", ar: "طلبات فشلت", value: count(result.failed_requests) },
    { en: "… by a 5xx", ar: "منها بجواب 5xx", value: count(result.answers_5xx) },
    { en: "… hung up by the client", ar: "منها ما قطعه العميل", value: count(result.given_up) },
    { en: "answers of objects lost", ar: "ردود ضاعت", value: count(result.lost_answers) },
    { en: "requests that lost an answer", ar: "طلبات ضاع ردّ لها", value: count(result.dropped) },
    {
      en: "redirects before their count",
      ar: "تحويلات سبقت عدّها",
      value: count(result.went_on),
    },
    { en: "requests to what is gone", ar: "طلبات لما أُزيل", value: count(result.gone) },
    { en: "requests over the limit", ar: "طلبات فوق الحد", value: count(result.refused_requests) },
    {
      en: "429s counted as numbers",
      ar: "المرفوضة المعدودة أرقامًا",
      value: of(result.refusals_counted, result.refusals),
    },
    { en: "events sent", ar: "أحداث أُرسلت", value: count(result.sent) },
    { en: "acknowledged", ar: "أُقرّ بها", value: count(result.acknowledged) },
    { en: "counted in objects", ar: "عُدّت في الكائنات", value: count(result.counted_in_objects) },
    { en: "counted in D1", ar: "عُدّت في D1", value: count(result.counted_in_d1) },
    { en: "pending", ar: "في الانتظار", value: count(result.pending) },
    { en: "lost", ar: "ضاعت", value: count(result.lost) },
    { en: "doubled", ar: "تكررت", value: count(result.doubled) },
    { en: "phantom", ar: "لم يرسلها أحد", value: count(result.phantom) },
    {
      en: "D1 equal after",
      ar: "تساوت D1 والكائنات بعد",
      value: equal === null ? "never" : `${equal.toFixed(1)} s`,
    },
    {
      en: "limiter peak in 60 s",
      ar: "ذروة المُحدِّد في 60 ثانية",
      value: `${result.limiter_peak} of 60`,
    },
    {
      en: "waits for Retry-After",
      ar: "مرات انتظار Retry-After",
      value: count(result.waits_obeyed),
    },
    ...blocksTable(result),
    { en: "p50", ar: "الوسيط", value: ms(result.p50_ms) },
    { en: "p99", ar: "المئين 99", value: ms(result.p99_ms) },
    { en: "load", ar: "مدة التحميل", value: `${result.load_s.toFixed(1)} s` },
    { en: "… until up again", ar: "منها حتى عاد", value: `${result.killed_s.toFixed(1)} s` },
  ];
}

function blocksTable({ blocks }: Result): Row[] {
  if (blocks === null) return [];
  const of = (done: number, all: number) => `${count(done)} of ${count(all)}`;
  return [
    {
      en: "tips acknowledged, of the hub's",
      ar: "إكراميات أُقرّ بها، من دفتر الحسابات",
      value: of(blocks.tips_acknowledged, blocks.tips_sent),
    },
    {
      en: "downloads, of their uses",
      ar: "تنزيلات، من المسموح",
      value: of(blocks.downloads, blocks.uses_max),
    },
    {
      en: "subscribers, of the sign-ups",
      ar: "مشتركون، من الطلبات",
      value: of(blocks.subscribers, blocks.signed_up),
    },
    {
      en: "suggestions",
      ar: "اقتراحات",
      value: count(blocks.suggestions),
    },
  ];
}

/** One line per violation. */
function violations({ violations }: Result): string[] {
  const lines = violations
    .slice(0, VIOLATIONS_SHOWN)
    .map(({ rule, id, detail }) => `  ${rule.padEnd(18)}  ${id}  ${detail}`);
  const more = violations.length - lines.length;
  if (more > 0) lines.push(`  and ${more} more: see --json`);
  return lines.length === 0 ? [] : [...lines, ""];
}

function count(n: number): string {
  return n.toLocaleString("en-GB");
}
