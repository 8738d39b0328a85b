/** The statistics of a page, for its owner. */
import * as z from "zod";
import { DIMENSIONS, type Dimension } from "../../../objects/tables/event.ts";
import { StatsQuery } from "../../stats/stats-query.ts";
import type { BreakdownShare } from "../../stats/stats-shape.ts";
import { bilingual } from "../../views/bilingual.ts";
import { DOWN, LIMITED, type Operation, PageId } from "./operation.ts";
import { answer, errors, LIMIT_HEADERS } from "./responses.ts";
import { HUB, PRIVATE } from "./sessions.ts";

const Count = z.int().nonnegative();
const CalendarDay = z.iso.date().meta({ id: "CalendarDay" });
const Interval = z.enum(["hour", "day"]).meta({ id: "Interval" });
const Label = z
  .string()
  .nullable()
  .meta(
    bilingual(
      "Null where the link is no longer on the page.",
      "لا قيمة له إن لم يعد الرابط على الصفحة.",
    ),
  );

const counts = { views: Count, clicks: Count };
const Counts = z.object(counts).meta({ id: "Counts" });

const ExcludedCounts = {
  bots: Count.meta(bilingual("Views and clicks of programs.", "مشاهدات البرامج الآلية ونقراتها.")),
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
      .meta(
        bilingual("Null where the origin is unknown.", "لا قيمة له: لا يُعرف شيء عن مصدر هؤلاء."),
      ),
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

const StatsAnswer = z
  .object({
    ok: z.literal(true),
    from: CalendarDay,
    to: CalendarDay,
    tz: z.string(),
    interval: Interval,
    totals: z.object({ ...counts, visitors: Count, ...ExcludedCounts }),
    previous: z
      .object({ ...counts, visitors: Count.nullable() })
      .meta(
        bilingual(
          "The period before, up to the same point in it.",
          "الفترة السابقة، بقدر ما مضى من هذه.",
        ),
      ),
    series: z
      .array(z.object({ ...counts, t: z.iso.datetime({ offset: true }) }))
      .meta(
        bilingual(
          "One entry for each hour or day until now, empty ones included.",
          "كل ساعة أو يوم حتى الآن، والفارغة منها أيضًا.",
        ),
      ),
    links: z.array(z.object({ link_id: z.string(), label: Label, clicks: Count })),
    breakdowns: Breakdowns.meta(
      bilingual(
        "By UTC days, like visitors. Each breakdown adds up to all views and clicks by people on these days.",
        "بأيام التوقيت العالمي كما الزوّار؛ ومجموع كل قسم هو كل زوّار تلك الأيام.",
      ),
    ),
    imported: Counts.meta(
      bilingual(
        "How many of these are imported history, which Sila did not count.",
        "كم منها تاريخ مستورد لم تحسبه صلة.",
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
    flushed: z
      .object({ ...counts, ...ExcludedCounts, links: z.object({}).catchall(Count) })
      .meta(
        bilingual(
          "The page's lifetime totals in the reports. Live totals minus these are the events since.",
          "أرقام عمر الصفحة التي هذه جزء منها؛ والأرقام المباشرة ناقصًا هذه هي ما جاء بعدها.",
        ),
      ),
  })
  .meta({ id: "Stats" });

const audited = {
  accepted: Count.meta(
    bilingual("Events counted since the page exists.", "ما حُسب منذ وُجدت الصفحة."),
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

const AuditAnswer = z
  .object({
    ...audited,
    ok: z.literal(true),
    exact: z.boolean().meta(bilingual("Whether every drift is 0.", "لا فرق في شيء منها.")),
    views: AuditedCount,
    links: z.array(z.object({ ...audited, link_id: z.string(), label: Label })),
  })
  .meta({ id: "Audit" });

const query = z.object({
  from: StatsQuery.shape.from.meta({
    ...bilingual("The first day, in your calendar.", "أول يوم في تقويمك."),
    format: "date",
    example: "2026-11-01",
    param: { id: "From" },
  }),
  to: StatsQuery.shape.to.meta({
    ...bilingual(
      "The last day. Without `from` and `to` the answer is about the last 30 days.",
      "آخر يوم. وإن لم تحدد شيئًا فالمقصود آخر ٣٠ يومًا.",
    ),
    format: "date",
    example: "2026-11-30",
    param: { id: "To" },
  }),
  interval: Interval.default("day").meta(
    bilingual("Hours are known for 90 days.", "الساعات معروفة لمدة ٩٠ يومًا."),
  ),
  tz: StatsQuery.shape.tz.meta({
    ...bilingual("Your time zone, by its IANA name.", "منطقتك الزمنية باسمها في IANA."),
    example: "Asia/Riyadh",
    param: { id: "TimeZone" },
  }),
  fresh: StatsQuery.shape.fresh.meta({
    ...bilingual(
      "1: include every event that was acknowledged before this request.",
      "1: حتى آخر حدث أُقرّ بوصوله قبل سؤالك.",
    ),
    param: { id: "Fresh" },
    override: { type: "integer", enum: [0, 1], default: 0 },
  }),
});

const requestParams = { path: z.object({ page_id: PageId }), query };
const REFUSALS = {
  ...PRIVATE,
  ...errors("PAGE_NOT_FOUND"),
  ...LIMITED,
  ...HUB,
  ...DOWN,
};

export const ANALYTICS: readonly Operation[] = [
  {
    method: "get",
    path: "/api/me/pages/{page_id}/stats",
    id: "getStats",
    tag: "analytics",
    access: "session",
    ar: {
      summary: "أرقام صفحتك",
      description:
        "المشاهدات والنقرات والزوّار في أيام تقويمك، ساعة بساعة أو يومًا بيوم، ولكل رابط، ومن أين جاء الناس. لا يزيد المدى على ٧٣١ يومًا، ولا تُعرف الساعات لما قبل ٩٠ يومًا.",
    },
    en: {
      summary: "Your page's numbers",
      description:
        "Views, clicks and visitors on the days of your calendar, by the hour or by the day, for every link, and where people came from. At most 731 days; hours are known for 90.",
    },
    requestParams,
    responses: {
      "200": answer("The numbers.", "application/json", StatsAnswer, LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...REFUSALS,
    },
  },
  {
    method: "get",
    path: "/api/me/pages/{page_id}/stats.csv",
    id: "downloadStats",
    tag: "analytics",
    access: "session",
    ar: { summary: "الأرقام نفسها جدولًا", description: "ملف CSV تفتحه برامج الجداول." },
    en: { summary: "The same as a table", description: "A CSV file that spreadsheets open." },
    requestParams,
    responses: {
      "200": answer("The table.", "text/csv", z.string(), LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...REFUSALS,
    },
  },
  {
    method: "get",
    path: "/api/me/pages/{page_id}/audit",
    id: "auditPage",
    tag: "analytics",
    access: "session",
    ar: {
      summary: "دقّق العدّ بنفسك",
      description:
        "ما حسبته الصفحة مقابل ما في التقارير، لها ولكل رابط: المحسوب والفرق معًا يساويان ما في التقارير وما في الطريق إليها.",
    },
    en: {
      summary: "Check the counts yourself",
      description:
        "Compares what the page counted with what the reports have, in all and for every link: accepted + drift = flushed + pending.",
    },
    requestParams: { path: z.object({ page_id: PageId }) },
    responses: {
      "200": answer("The comparison.", "application/json", AuditAnswer, LIMIT_HEADERS),
      ...REFUSALS,
    },
  },
];
