import { EXPORT_PATH } from "../../http/endpoints.ts";
import { BYTES, type Operation } from "../../openapi/operation.ts";
import { page } from "../../openapi/parameters.ts";
import { answer, LIMIT_HEADERS, OF_PAGE } from "../../openapi/responses.ts";

export const EXPORT: readonly Operation[] = [
  {
    method: "get",
    path: EXPORT_PATH,
    id: "exportPage",
    tag: "editing",
    access: "session",
    ar: {
      summary: "صدّر صفحة",
      description: "ملف zip فيه الصفحة ونسخها وصورها وأعدادها حتى هذه اللحظة.",
    },
    en: {
      summary: "Export a page",
      description:
        "A zip with the page, its revisions, its pictures, and its counts up to this moment.",
    },
    requestParams: { path: page },
    responses: { "200": answer("The zip.", "application/zip", BYTES, LIMIT_HEADERS) },
    errors: OF_PAGE,
  },
];
