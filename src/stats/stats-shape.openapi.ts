import * as z from "zod";
import { DIMENSIONS, type Dimension } from "../../objects/events/event.ts";
import { success } from "../openapi/answers.ts";
import { CHANGES } from "../pages/document/revisions-store.ts";
import { bilingual } from "../views/bilingual.ts";
import type { BreakdownShare } from "./stats-shape.ts";

const Count = z.int().nonnegative();
const At = z.iso.datetime({ offset: true });
const CalendarDay = z.iso.date().meta({ id: "CalendarDay" });
export const Interval = z.enum(["hour", "day", "month"]).meta({ id: "Interval" });
const named_link = {
  link_id: z.string(),
  label: z
    .string()
    .nullable()
    .meta(
      bilingual(
        "Of a removed link its last one, or null.",
        "للرابط المحذوف آخر اسم له، أو لا شيء.",
      ),
    ),
  removed: z
    .boolean()
    .meta(bilingual("Whether the link is no longer on the page.", "هل حُذف الرابط من الصفحة.")),
};

export const What = z.enum(CHANGES).meta({ id: "What" });

export const ClicksByLink = z.object({}).catchall(Count).meta({ id: "ClicksByLink" });
const counts = { views: Count, clicks: Count };
export const Counts = z.object(counts).meta({ id: "Counts" });
const Point = z.object({ ...counts, t: At }).meta({ id: "Point" });

const excluded_counts = {
  bots: Count.meta(bilingual("Views and clicks of programs.", "مشاهدات الروبوتات ونقراتها.")),
  owner: Count.meta(bilingual("Your own views and clicks.", "مشاهداتك ونقراتك أنت.")),
  limited: Count.meta(
    bilingual("Clicks of senders over their limit.", "نقرات من تجاوز الحد المسموح به."),
  ),
};

const ShareAnswer: z.ZodType<BreakdownShare> = z
  .object({
    ...counts,
    value: z
      .string()
      .nullable()
      .meta(bilingual("Null where the origin is unknown.", "يكون `null` حين لا يُعرف المصدر.")),
  })
  .meta({ id: "Share" });

const Breakdowns = z
  .object(
    Object.fromEntries(DIMENSIONS.map((name) => [name, z.array(ShareAnswer)])) as Record<
      Dimension,
      z.ZodArray<typeof ShareAnswer>
    >,
  )
  .meta({ id: "Breakdowns" });

export const StatsAnswer = success("Stats", {
  from: CalendarDay,
  to: CalendarDay,
  tz: z.string(),
  interval: Interval,
  totals: z.object({ ...counts, visitors: Count, ...excluded_counts }),
  previous: z
    .object({ ...counts, visitors: Count.nullable() })
    .meta(
      bilingual(
        "The period before, up to the same point in it.",
        "الفترة السابقة، بقدر ما مضى من هذه.",
      ),
    ),
  series: z
    .array(Point)
    .meta(
      bilingual(
        "One entry for each hour, day or month until now, empty ones included.",
        "كل ساعة أو يوم أو شهر حتى الآن، والفارغة منها أيضًا.",
      ),
    ),
  links: z.array(
    z.object({
      ...named_link,
      clicks: Count,
      url: z
        .string()
        .nullable()
        .meta(
          bilingual(
            "Where the link leads; null for a removed link and for the contact button.",
            "إلى أين يقود الرابط؛ ويكون `null` للرابط المحذوف ولزر جهة الاتصال.",
          ),
        ),
      imported: Count.meta(
        bilingual("How many of the clicks Sila did not count.", "كم من النقرات لم تحسبه صلة."),
      ),
    }),
  ),
  breakdowns: Breakdowns.meta(
    bilingual(
      "By days of the page's time zone, like visitors. Each breakdown adds up to all views and clicks by people on these days.",
      "بأيام المنطقة الزمنية للصفحة كما الزوّار؛ ومجموع كل قسم هو كل المشاهدات والنقرات في تلك الأيام.",
    ),
  ),
  link: z
    .object({
      link_id: z.string(),
      previous: Count.meta(
        bilingual(
          "Its clicks in the period before, up to the same point in it.",
          "نقراته في الفترة السابقة، بقدر ما مضى من هذه.",
        ),
      ),
      series: z.array(z.object({ clicks: Count, t: At })),
    })
    .nullable()
    .meta(
      bilingual(
        "The link of the query over time; null without one.",
        "رابط الطلب على مدى الفترة؛ ويكون `null` إن لم تسأل عن رابط.",
      ),
    ),
  filter: z
    .object({
      ...counts,
      dimension: z.enum(DIMENSIONS),
      value: z.string(),
      previous: Counts.nullable().meta(
        bilingual(
          "The period before; null while the only day is not over.",
          "الفترة السابقة؛ ويكون `null` ما دام اليوم الوحيد لم ينته.",
        ),
      ),
      series: z.array(Point),
    })
    .nullable()
    .meta(
      bilingual(
        "The value of the query over time; null without one.",
        "قيمة الطلب على مدى الفترة؛ ويكون `null` إن لم تسأل عن قيمة.",
      ),
    ),
  imported: z
    .object({ ...counts, visitors: Count })
    .meta(
      bilingual(
        "How many of these are imported history or sample data, which Sila did not count.",
        "كم منها بيانات مستوردة أو تجريبية لم تحسبها صلة.",
      ),
    ),
  revisions: z
    .array(
      z.object({
        version: z.int().min(1),
        at: z.iso.datetime(),
        what: z.array(What),
      }),
    )
    .meta(
      bilingual(
        "Saves of the page in the period, the newest first; at most 100.",
        "مرات حفظ الصفحة في الفترة، الأحدث أولًا، ولا تزيد على ١٠٠.",
      ),
    ),
  as_of: z.iso
    .datetime()
    .meta(
      bilingual(
        "Every event that was acknowledged before this time is in these numbers.",
        "كل ما أُقرّ بوصوله قبل هذا الوقت داخل في هذه الأرقام.",
      ),
    ),
  pending: Counts.meta(
    bilingual(
      "Acknowledged events that are not in these numbers yet.",
      "وصل، ولم يدخل في هذه الأرقام بعد.",
    ),
  ),
  behind_ms: Count.meta(
    bilingual(
      "How long the oldest pending event has waited, in milliseconds, where the reports are late; else 0. Nothing is lost.",
      "منذ كم ملّي ثانية ينتظر أقدم ما لم يدخل، إن تأخّرت التقارير، وإلا فالصفر. ولا يضيع شيء.",
    ),
  ),
  flushed: z
    .object({
      ...counts,
      ...excluded_counts,
      links: ClicksByLink,
      visitors: z
        .object({ day: z.iso.datetime(), n: Count })
        .nullable()
        .meta(
          bilingual(
            "Of the latest of these days that is stored, by its start; null without one.",
            "زوّار آخر يوم محفوظ من هذه الأيام، وبداية ذلك اليوم؛ ويكون `null` إن لم يوجد.",
          ),
        ),
    })
    .meta(
      bilingual(
        "The page's lifetime totals in the reports. Live totals minus these are the events since.",
        "إجمالي الصفحة منذ إنشائها كما في التقارير؛ والأرقام المباشرة ناقصًا هذا الإجمالي هي ما جاء بعده.",
      ),
    ),
});

const audited = {
  accepted: Count.meta(
    bilingual("Events counted since the page was created.", "ما حُسب منذ إنشاء الصفحة."),
  ),
  flushed: Count.meta(bilingual("How many of them are in the reports.", "منه ما في التقارير.")),
  pending: Count.meta(
    bilingual("How many of them are not in the reports yet.", "منه ما في الطريق إليها."),
  ),
  drift: z
    .int()
    .meta(
      bilingual("flushed + pending − accepted; 0 is exact.", "ما لا يتطابق؛ والصفر يعني الدقة."),
    ),
};
const AuditedCount = z.object(audited).meta({ id: "AuditedCount" });

export const AuditAnswer = z
  .object({
    ...audited,
    ok: z.literal(true),
    exact: z.boolean().meta(bilingual("Whether every drift is 0.", "لا فرق في شيء منها.")),
    views: AuditedCount,
    links: z.array(z.object({ ...audited, ...named_link })),
  })
  .meta({ id: "Audit" });
