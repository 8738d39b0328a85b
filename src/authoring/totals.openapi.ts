import * as z from "zod";
import { TOTALS_PATH } from "../http/endpoints.ts";
import { success } from "../openapi/answers.ts";
import type { Operation } from "../openapi/operation.ts";
import { page } from "../openapi/parameters.ts";
import { json, OF_PAGE } from "../openapi/responses.ts";
import { ClicksByLink } from "../stats/stats-shape.openapi.ts";
import { bilingual } from "../views/bilingual.ts";

const Count = z.int().nonnegative();
const Time = z.iso.datetime();

export const PeopleTotals = z
  .object({ views: Count, clicks: Count, links: ClicksByLink })
  .meta({ id: "PeopleTotals" });

const TotalsAnswer = success("TotalsAnswer", {
  totals: PeopleTotals,
  as_of: Time.meta(
    bilingual(
      "Every event that was acknowledged before this time is in these numbers.",
      "كل ما أُقرّ بوصوله قبل هذا الوقت داخل في هذه الأرقام.",
    ),
  ),
});

export const TOTALS: readonly Operation[] = [
  {
    method: "get",
    path: TOTALS_PATH,
    id: "readTotals",
    tag: "editing",
    access: "session",
    ar: {
      summary: "إجمالي الصفحة منذ إنشائها",
      description:
        "مشاهدات الناس ونقراتهم ونقرات كل رابط، حتى المحذوف، بدقة وفي الحال. لا تدخل فيها الأعداد المستوردة.",
    },
    en: {
      summary: "A page's totals since it was created",
      description:
        "Views and clicks by people and the clicks of each link, removed ones included: exact, and at once. Imported history is not in them.",
    },
    requestParams: { path: page },
    responses: { "200": json("The totals.", TotalsAnswer) },
    errors: OF_PAGE,
  },
];
