import * as z from "zod";
import { DOWNLOAD_PATH, TAP_PARAMETER } from "../../http/endpoints.ts";
import { BYTES, location, type Operation } from "../../openapi/operation.ts";
import { PageId } from "../../openapi/parameters.ts";
import { answer, HUB, LIMIT_HEADERS } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { LinkId } from "./download-link.openapi.ts";
import { file } from "./files.openapi.ts";

const text = (en: string, ar: string) => ({
  ...bilingual(en, ar),
  schema: { type: "string" as const },
});
const FILE_HEADERS = {
  ...LIMIT_HEADERS,
  "Content-Disposition": text("`attachment`, with the file's name.", "اسم الملف مع `attachment`."),
  "Accept-Ranges": text("Always `bytes`.", "دائمًا `bytes`."),
};

export const DOWNLOAD: readonly Operation[] = [
  {
    method: "get",
    path: `${DOWNLOAD_PATH}/:file_id`,
    id: "download",
    tag: "pages",
    ar: {
      summary: "نزّل ملفًا",
      description:
        "من كتلة في صفحة (`page_id` و`link_id`) يقود إلى العنوان نفسه برمز صالح ساعة، وكل ما يُطلب به استعمال واحد. ويقبل `Range` و`If-Range` و`If-None-Match`، ولا تستهلك HEAD ولا البرامج الآلية شيئًا.",
    },
    en: {
      summary: "Download a file",
      description:
        "From a block of a page (`page_id` and `link_id`) it leads to the same address with a token that is valid for an hour; whatever is requested with it is one use. `Range`, `If-Range` and `If-None-Match` are understood. HEAD and bots use nothing up.",
    },
    requestParams: {
      path: file,
      query: z.object({
        token: z.optional(z.string().meta(bilingual("A download link's token.", "رمز التنزيل."))),
        page_id: z.optional(PageId),
        link_id: z.optional(LinkId),
        [TAP_PARAMETER]: z.optional(
          z
            .string()
            .meta(
              bilingual(
                "The id of a tap, which the page's script sets: its requests get the same token.",
                "معرّف الضغطة الذي تضعه صفحة الروابط: كل طلباتها بالرمز نفسه.",
              ),
            ),
        ),
      }),
      header: z.object({ Range: z.optional(z.string().meta({ example: "bytes=0-99" })) }),
    },
    responses: {
      "200": answer("The file.", "application/octet-stream", BYTES, FILE_HEADERS),
      "206": answer("A range of it.", "application/octet-stream", BYTES, FILE_HEADERS),
      "302": {
        description: "To the same address with a token, or to sign-in.",
        headers: location("Where to go on.", "العنوان التالي."),
      },
      "304": { description: "The copy you hold is current." },
    },
    errors: [
      "RATE_LIMITED",
      "DEPENDENCY_DOWN",
      "DOWNLOAD_REFUSED",
      "TIP_REQUIRED",
      "SUBSCRIPTION_REQUIRED",
      "NOT_FOUND",
      "PAGE_NOT_FOUND",
      "LINK_NOT_FOUND",
      "PAGE_SUSPENDED",
      "LINK_EXPIRED",
      "RANGE_NOT_SATISFIABLE",
      ...HUB,
    ],
  },
];
