import * as z from "zod";
import { RESTORE_REVISION_PATH, REVISION_PATH, REVISIONS_PATH } from "../http/endpoints.ts";
import { success } from "../openapi/answers.ts";
import { describe } from "../openapi/described.ts";
import type { Operation } from "../openapi/operation.ts";
import { matching, page } from "../openapi/parameters.ts";
import { json, MATCHED, OF_PAGE, WITH_VERSION } from "../openapi/responses.ts";
import { documentShape } from "../pages/document/page-document.ts";
import { What } from "../stats/stats-shape.openapi.ts";
import { bilingual } from "../views/bilingual.ts";
import { identity, LinkAnswer, PageAnswer } from "./page-json.openapi.ts";
import { RevisionsQuery, Version } from "./revisions-query.ts";
import { PeopleTotals } from "./totals.openapi.ts";

describe(Version, {
  override: { type: "integer", minimum: 1, maximum: 999_999_999_999_999 },
});
describe(
  RevisionsQuery.shape.before,
  bilingual("Only versions before this one.", "النسخ التي قبل هذه وحدها."),
);

const Time = z.iso.datetime();

const revision = {
  version: z.int().min(1),
  at: Time,
  what: z.array(What),
  totals: PeopleTotals.nullable().meta(
    bilingual(
      "All views and clicks by people before this version counted, the clicks of each link too; null where they are not known.",
      "كل مشاهدات الناس ونقراتهم قبل أن تسري هذه النسخة، ولكل رابط أيضًا؛ ويكون `null` إن لم تُعرف.",
    ),
  ),
};

const RevisionsAnswer = success("RevisionsAnswer", {
  revisions: z.array(z.object(revision).meta({ id: "Revision" })),
  now: PeopleTotals.meta(
    bilingual(
      "The same at this moment. What people did with a version is the difference to the next one's totals, with the newest to these.",
      "ومثلها الآن. ما فعله الناس مع نسخة هو الفرق بين أعدادها وأعداد التي تليها، وللأحدث بينها وبين هذه.",
    ),
  ),
});

const { slug, status } = identity;

const RevisionAnswer = success("RevisionAnswer", {
  revision: z.object({
    ...revision,
    page: z
      .object({ slug, status, ...documentShape, links: z.array(LinkAnswer) })
      .meta({ id: "RevisionPage" })
      .meta(bilingual("The page as it was saved then.", "الصفحة كما حُفظت حينها.")),
  }),
});

const ofVersion = page.extend({ version: z.int().min(1).meta({ example: 1 }) });

export const REVISIONS: readonly Operation[] = [
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
    responses: { "200": json("Up to 100 revisions.", RevisionsAnswer) },
    errors: [...OF_PAGE, "VALIDATION_FAILED"],
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
    responses: { "200": json("The revision.", RevisionAnswer) },
    errors: ["NOT_FOUND", ...OF_PAGE],
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
    responses: { "200": json("The page as it is now.", PageAnswer, WITH_VERSION) },
    errors: [
      "NOT_FOUND",
      ...OF_PAGE,
      ...MATCHED,
      "VALIDATION_FAILED",
      "CSRF_REQUIRED",
      "PAGE_SUSPENDED",
    ],
  },
];
