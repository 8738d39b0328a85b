import * as z from "zod";
import { AUDIT_PATH, STATS_CSV_PATH, STATS_PATH } from "../http/endpoints.ts";
import { describe, described, inner } from "../openapi/described.ts";
import type { Operation } from "../openapi/operation.ts";
import { Flag, PageId } from "../openapi/parameters.ts";
import { answer, json, LIMIT_HEADERS, OF_PAGE } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { CsvQuery } from "./stats-csv.ts";
import { StatsQuery } from "./stats-query.ts";
import { AuditAnswer, Interval, StatsAnswer } from "./stats-shape.openapi.ts";

describe(inner(StatsQuery.shape.range), { id: "Range" });
describe(inner(StatsQuery.shape.filter), { id: "Filter" });

const query = z.object({
  from: described(StatsQuery.shape.from, {
    ...bilingual("The first day, in the page's time zone.", "أول يوم، بالمنطقة الزمنية للصفحة."),
    format: "date",
    example: "2026-11-01",
    param: { id: "From" },
  }),
  to: described(StatsQuery.shape.to, {
    ...bilingual(
      "The last day. Without `from` and `to` the answer is about the last 30 days.",
      "آخر يوم. وإن لم تحدد شيئًا فالمقصود آخر ٣٠ يومًا.",
    ),
    format: "date",
    example: "2026-11-30",
    param: { id: "To" },
  }),
  range: described(
    StatsQuery.shape.range,
    bilingual(
      "Days by name, instead of `from` and `to`. `all` begins with the page, or with history that was imported into it.",
      "أيام باسمها بدلًا من `from` و`to`. وتبدأ `all` بإنشاء الصفحة، أو بما استُورد إليها من تاريخ أقدم.",
    ),
  ),
  interval: Interval.optional().meta(
    bilingual(
      "Days by default, and months for more than 731 days of `range=all`. Hours are known for 90 days.",
      "الأيام إن لم تحدد، والأشهر إن زادت `range=all` على ٧٣١ يومًا. والتفصيل بالساعات متاح لآخر ٩٠ يومًا.",
    ),
  ),
  tz: described(StatsQuery.shape.tz, {
    ...bilingual(
      "A time zone by its IANA name, for views and clicks. Visitors and breakdowns are always of the page's own, which is the default.",
      "منطقة زمنية باسمها في IANA، للمشاهدات والنقرات. أما الزوّار وما يُفصَّل عنهم فبمنطقة الصفحة دائمًا، وهي المفترضة.",
    ),
    example: "Asia/Riyadh",
  }),
  link: described(
    StatsQuery.shape.link,
    bilingual(
      "Adds the clicks of one link over time, as `link`.",
      "يضيف نقرات رابط واحد على مدى الفترة في `link`.",
    ),
  ),
  filter: described(StatsQuery.shape.filter, {
    ...bilingual(
      "A dimension and one of its values: adds its views and clicks over time, as `filter`. Not with `link`, and not by the hour.",
      "قسم وإحدى قيمه: يضيف مشاهداتها ونقراتها على مدى الفترة في `filter`. ولا يجتمع مع `link` ولا مع التفصيل بالساعات.",
    ),
    example: "country:SA",
  }),
  fresh: Flag.default(0).meta(
    bilingual(
      "1: include every event that was acknowledged before this request.",
      "1: حتى آخر حدث أُقرّ بوصوله قبل سؤالك.",
    ),
  ),
});

const requestParams = { path: z.object({ page_id: PageId }), query };
const STATS_ERRORS = [...OF_PAGE, "VALIDATION_FAILED", "LINK_NOT_FOUND"] as const;

export const STATS: readonly Operation[] = [
  {
    method: "get",
    path: STATS_PATH,
    id: "getStats",
    tag: "analytics",
    access: "session",
    ar: {
      summary: "أرقام صفحتك",
      description:
        "المشاهدات والنقرات والزوّار في أيام تقويمك، ساعة بساعة أو يومًا بيوم، ولكل رابط، ومن أين جاء الناس. لا يزيد المدى على ٧٣١ يومًا، أو إحدى عشرة سنة بالأشهر، والتفصيل بالساعات متاح لآخر ٩٠ يومًا.",
    },
    en: {
      summary: "Your page's numbers",
      description:
        "Views, clicks and visitors on the days of your calendar, by the hour or by the day, for every link, and where people came from. At most 731 days, or eleven years by the month; hours are known for 90 days.",
    },
    requestParams,
    responses: { "200": json("The numbers.", StatsAnswer) },
    errors: STATS_ERRORS,
  },
  {
    method: "get",
    path: STATS_CSV_PATH,
    id: "downloadStats",
    tag: "analytics",
    access: "session",
    ar: { summary: "الأرقام نفسها جدولًا", description: "ملف CSV تفتحه برامج الجداول." },
    en: { summary: "The same as a table", description: "A CSV file that spreadsheets open." },
    requestParams: {
      ...requestParams,
      query: query.extend({
        lang: described(
          CsvQuery.shape.lang,
          bilingual("The language of the headings.", "لغة العناوين."),
        ),
      }),
    },
    responses: { "200": answer("The table.", "text/csv", z.string(), LIMIT_HEADERS) },
    errors: STATS_ERRORS,
  },
  {
    method: "get",
    path: AUDIT_PATH,
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
    responses: { "200": json("The comparison.", AuditAnswer) },
    errors: OF_PAGE,
  },
];
