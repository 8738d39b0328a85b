/** The result of a run as a table in English and in Arabic, with every violation. */
import type { Options } from "./options.ts";
import { type Result, ROUTERS } from "./run.ts";

/** Violations printed; `--json` has all of them. */
const VIOLATIONS_SHOWN = 20;

type Row = [en: string, ar: string, value: string];

export function report(result: Result, asked: Options): string {
  const rows = table(result, asked);
  const width = Math.max(...rows.map(([, , value]) => value.length));
  const label = Math.max(...rows.map(([en]) => en.length));
  const broken = result.violations.length;
  return [
    "",
    ...rows.map(([en, , value]) => `  ${en.padEnd(label)}  ${value.padStart(width)}`),
    "",
    // The number first: a terminal that mixes directions still keeps the columns.
    ...rows.map(([, ar, value]) => `  ${value.padStart(width)}  ${ar}`),
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
    ["seed", "البذرة", String(result.seed)],
    ["distance", "المسافة", `${asked.distance}%`],
    ["routers", "الموجّهات", count(ROUTERS)],
    ["kills", "مرات القتل", of(faults.kills, asked.kills)],
    ["D1 outages", "أعطال D1", of(faults.d1_outages, asked.d1_outages)],
    ["calls to D1 that failed", "نداءات D1 الفاشلة", count(result.broken_d1_calls)],
    ["evictions", "مرات الإخراج من الذاكرة", of(faults.evictions, asked.evictions)],
    ["edits", "التعديلات", of(faults.edits, asked.edits)],
    ["requests", "الطلبات", count(result.requests)],
    ["requests that failed", "طلبات فشلت", count(result.failed_requests)],
    ["… by a 5xx", "منها بجواب 5xx", count(result.answers_5xx)],
    ["… hung up by the client", "منها ما قطعه العميل", count(result.given_up)],
    ["answers of objects lost", "ردود ضاعت", count(result.lost_answers)],
    ["requests that lost an answer", "طلبات ضاع ردّ لها", count(result.dropped)],
    ["redirects before their count", "تحويلات سبقت عدّها", count(result.went_on)],
    ["requests to what is gone", "طلبات لما أُزيل", count(result.gone)],
    ["requests over the limit", "طلبات فوق الحد", count(result.refused_requests)],
    [
      "429s counted as numbers",
      "المرفوضة المعدودة أرقامًا",
      of(result.refusals_counted, result.refusals),
    ],
    ["events sent", "أحداث أُرسلت", count(result.sent)],
    ["acknowledged", "أُقرّ بها", count(result.acknowledged)],
    ["counted in objects", "عُدّت في الكائنات", count(result.counted_in_objects)],
    ["counted in D1", "عُدّت في D1", count(result.counted_in_d1)],
    ["pending", "في الانتظار", count(result.pending)],
    ["lost", "ضاعت", count(result.lost)],
    ["doubled", "تكررت", count(result.doubled)],
    ["phantom", "لم يرسلها أحد", count(result.phantom)],
    [
      "D1 equal after",
      "تساوت D1 والكائنات بعد",
      equal === null ? "never" : `${equal.toFixed(1)} s`,
    ],
    ["limiter peak in 60 s", "ذروة المُحدِّد في 60 ثانية", `${result.limiter_peak} of 60`],
    ["waits for Retry-After", "مرات انتظار Retry-After", count(result.waits_obeyed)],
    ...blocksTable(result),
    ["p50", "الوسيط", ms(result.p50_ms)],
    ["p99", "المئين 99", ms(result.p99_ms)],
    ["load", "مدة التحميل", `${result.load_s.toFixed(1)} s`],
    ["… until up again", "منها حتى عاد", `${result.killed_s.toFixed(1)} s`],
  ];
}

function blocksTable({ blocks }: Result): Row[] {
  if (blocks === null) return [];
  const of = (done: number, all: number) => `${count(done)} of ${count(all)}`;
  return [
    [
      "tips acknowledged, of the hub's",
      "إكراميات أُقرّ بها، من دفتر الحسابات",
      of(blocks.tips_acknowledged, blocks.tips_sent),
    ],
    ["downloads, of their uses", "تنزيلات، من المسموح", of(blocks.downloads, blocks.uses_max)],
    [
      "subscribers, of the sign-ups",
      "مشتركون، من الطلبات",
      of(blocks.subscribers, blocks.signed_up),
    ],
    ["suggestions", "اقتراحات", count(blocks.suggestions)],
  ];
}

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
