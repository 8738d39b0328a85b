/** The saves of a creator's page, and the way back to one of them. */
import * as z from "zod";
import { RevisionsQuery } from "../../authoring/revisions-query.ts";
import type { Operation } from "./operation.ts";
import { MATCHED, matching, OF_PAGE, page, WITH_VERSION } from "./own-page.ts";
import { PageAnswer, RevisionsAnswer } from "./page-answers.ts";
import { answer, errors, LIMIT_HEADERS } from "./responses.ts";

export const PAGE_HISTORY: readonly Operation[] = [
  {
    method: "get",
    path: "/api/me/pages/{page_id}/revisions",
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
    method: "post",
    path: "/api/me/pages/{page_id}/revisions/{version}/restore",
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
      path: page.extend({ version: z.int().min(1).meta({ example: 1 }) }),
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
];
