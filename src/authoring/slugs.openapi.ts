import * as z from "zod";
import { SLUG_PATH, SLUGS_PATH } from "../http/endpoints.ts";
import { Id } from "../http/ids.ts";
import { success } from "../openapi/answers.ts";
import { describe } from "../openapi/described.ts";
import type { Operation } from "../openapi/operation.ts";
import { json, OF_PAGE, READ } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { SLUGS_PROPOSED } from "./limits.ts";
import { SlugsQuery } from "./slugs-query.ts";

describe(SlugsQuery.shape.name, {
  ...bilingual("The name of a page.", "اسم الصفحة."),
  example: "ليان الخزّافة",
});

const suggestions = z.array(z.string()).max(SLUGS_PROPOSED);

const SlugAnswer = success("SlugAnswer", {
  slug: z.string(),
  free: z.boolean(),
  suggestions: suggestions.meta(
    bilingual("Free ones like it, where it is not.", "عناوين متاحة تشبهه إن لم يكن متاحًا."),
  ),
});

const ProposedSlugAnswer = success("ProposedSlugAnswer", {
  slug: z.string(),
  suggestions: suggestions.meta(bilingual("Other free ones.", "عناوين أخرى متاحة.")),
});

export const SLUGS: readonly Operation[] = [
  {
    method: "get",
    path: SLUGS_PATH,
    id: "proposeSlug",
    tag: "editing",
    access: "session",
    ar: {
      summary: "اقترح عنوانًا لاسم",
      description: "عنوان من كلمات الاسم، وثلاثة غيره على الأكثر، وكلها متاحة الآن.",
    },
    en: {
      summary: "Propose a slug for a name",
      description: "One made of the name's words, and up to three others. All are free now.",
    },
    requestParams: { query: SlugsQuery },
    responses: { "200": json("Slugs.", ProposedSlugAnswer) },
    errors: [...READ, "VALIDATION_FAILED"],
  },
  {
    method: "get",
    path: SLUG_PATH,
    id: "checkSlug",
    tag: "editing",
    access: "session",
    ar: {
      summary: "هل العنوان متاح؟",
      description:
        "قد يُحجز بعد لحظة: من يحفظ أولًا يأخذه. مع `page_id` تُعدّ عناوين تلك الصفحة متاحة. وإن لم يصلح النص عنوانًا ذُكر السبب في `details.reason`.",
    },
    en: {
      summary: "Is a slug free?",
      description:
        "It may be taken a moment later: whoever saves first has it. With `page_id`, the slugs of that page count as free. Where a text cannot be a slug, `details.reason` says why.",
    },
    requestParams: {
      path: z.object({
        slug: z.string().meta({
          ...bilingual("Any spelling of it.", "بأي كتابة."),
          example: "layan",
        }),
      }),
      query: z.object({
        page_id: z.optional(Id).meta(bilingual("An own page.", "صفحة من صفحاتك.")),
      }),
    },
    responses: { "200": json("Whether it is free.", SlugAnswer) },
    errors: [...OF_PAGE, "VALIDATION_FAILED"],
  },
];
