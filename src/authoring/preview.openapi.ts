import * as z from "zod";
import { PREVIEW_PATH } from "../http/endpoints.ts";
import { describe, described } from "../openapi/described.ts";
import type { Operation } from "../openapi/operation.ts";
import { page } from "../openapi/parameters.ts";
import { answer, LIMIT_HEADERS, OF_PAGE } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { PreviewQuery } from "./preview-query.ts";

describe(
  PreviewQuery.shape.lang,
  bilingual(
    "One of the page's languages; its default one if left out.",
    "إحدى لغات الصفحة؛ ولغتها الأساسية إن لم تُذكر.",
  ),
);

export const PREVIEW: readonly Operation[] = [
  {
    method: "get",
    path: PREVIEW_PATH,
    id: "previewPage",
    tag: "editing",
    access: "session",
    ar: {
      summary: "معاينة الصفحة",
      description: "كما يراها الزوّار الآن، مسودّةً كانت أو موقوفة. لا يُحسب فيها شيء.",
    },
    en: {
      summary: "Preview a page",
      description:
        "The page as visitors would see it now, in any status. Nothing on it is counted, and it may stand in a frame of this site.",
    },
    requestParams: {
      path: page,
      query: z.object({ lang: described(PreviewQuery.shape.lang, { example: "en" }) }),
    },
    responses: { "200": answer("The page.", "text/html", z.string(), LIMIT_HEADERS) },
    errors: [...OF_PAGE, "VALIDATION_FAILED"],
  },
];
