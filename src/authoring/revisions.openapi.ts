/** The saves of a creator's page, and the way back to one of them. */
import * as z from "zod";
import {
  RESTORE_REVISION_PATH,
  REVISION_PATH,
  REVISIONS_PATH,
  TOTALS_PATH,
} from "../http/endpoints.ts";
import type { Operation } from "../site/openapi/operation.ts";
import { MATCHED, matching, OF_PAGE, page, WITH_VERSION } from "../site/openapi/own-page.ts";
import { answer, errors, LIMIT_HEADERS } from "../site/openapi/responses.ts";
import { PageAnswer, RevisionAnswer, RevisionsAnswer, TotalsAnswer } from "./page-json.openapi.ts";
import { RevisionsQuery } from "./revisions-query.ts";

const ofVersion = page.extend({ version: z.int().min(1).meta({ example: 1 }) });

export const PAGE_HISTORY: readonly Operation[] = [
  {
    method: "get",
    path: REVISIONS_PATH,
    id: "listRevisions",
    tag: "editing",
    access: "session",
    ar: {
      summary: "نسخ الصفحة",
      description:
        "كل حفظ نسخة، والأحدث أولًا: المئة الأخيرة على الأقل، وكل ما في ٩٠ يومًا حتى ألف نسخة.",
    },
    en: {
      summary: "The saves of a page",
      description:
        "Each save is a revision, the newest first: at least the last 100, and those of 90 days up to 1,000.",
    },
    requestParams: { path: page, query: RevisionsQuery },
    responses: {
      "200": answer("Up to 100 revisions.", "application/json", RevisionsAnswer, LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...OF_PAGE,
    },
  },
  {
    method: "get",
    path: REVISION_PATH,
    id: "readRevision",
    tag: "editing",
    access: "session",
    ar: { summary: "نسخة من نسخ الصفحة", description: "بكل ما كان في الصفحة حين حُفظت." },
    en: { summary: "One save of a page", description: "With all that the page had then." },
    requestParams: { path: ofVersion },
    responses: {
      "200": answer("The revision.", "application/json", RevisionAnswer, LIMIT_HEADERS),
      ...OF_PAGE,
      ...errors("NOT_FOUND", "PAGE_NOT_FOUND"),
    },
  },
  {
    method: "post",
    path: RESTORE_REVISION_PATH,
    id: "restoreRevision",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "عد إلى نسخة سابقة",
      description: "يُحفظ ما فيها نسخةً جديدة. يبقى العنوان والحالة، وتسقط الصور التي حُذفت.",
    },
    en: {
      summary: "Go back to a revision",
      description:
        "Saves its contents as a new version. Slug and status stay, and pictures that are gone are left out.",
    },
    requestParams: {
      path: ofVersion,
      header: matching,
    },
    responses: {
      "200": answer("The page as it is now.", "application/json", PageAnswer, WITH_VERSION),
      ...OF_PAGE,
      ...errors(
        "CSRF_REQUIRED",
        "NOT_FOUND",
        "PAGE_NOT_FOUND",
        "PAGE_SUSPENDED",
        "VALIDATION_FAILED",
      ),
      ...MATCHED,
    },
  },
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
    responses: {
      "200": answer("The totals.", "application/json", TotalsAnswer, LIMIT_HEADERS),
      ...OF_PAGE,
    },
  },
];
