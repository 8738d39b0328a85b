import * as z from "zod";
import { DOWNLOAD_LINK_PATH } from "../../http/endpoints.ts";
import { Id } from "../../http/ids.ts";
import { success } from "../../openapi/answers.ts";
import { describe, described } from "../../openapi/described.ts";
import { jsonBody, type Operation } from "../../openapi/operation.ts";
import { PageId } from "../../openapi/parameters.ts";
import { BAD_BODY, json, OF_PAGE } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { DownloadLinkInput } from "./file-input.ts";

describe(
  DownloadLinkInput.shape.expires_in_s,
  bilingual("Seconds, at most 30 days.", "بالثواني، حتى ٣٠ يومًا."),
);
describe(
  DownloadLinkInput.shape.uses_max,
  bilingual("How many people may use it; null is no limit.", "كم شخصًا يستعمله، و null بلا حد."),
);
describe(DownloadLinkInput, { id: "DownloadLinkInput" });

export const LinkId = described(Id, {
  ...bilingual("The block of kind `download`.", "الكتلة من نوع `download`."),
  example: "book",
});

const LinkAnswer = success("DownloadLinkAnswer", {
  url: z.url(),
  expires_at: z.iso.datetime(),
  uses_max: z.int().min(1).nullable(),
});

export const DOWNLOAD_LINK: readonly Operation[] = [
  {
    method: "post",
    path: DOWNLOAD_LINK_PATH,
    id: "createDownloadLink",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "اصنع رابط تنزيل",
      description: "ينزّل به الملف من تعطيه إياه، حتى ينتهي وقته أو يستعمله العدد الذي تحدده.",
    },
    en: {
      summary: "Make a download link",
      description:
        "Whoever has it may download the block's file, until its time is over or as many people have used it as you say.",
    },
    requestParams: { path: z.object({ page_id: PageId, link_id: LinkId }) },
    requestBody: jsonBody(DownloadLinkInput, { expires_in_s: 86_400, uses_max: 100 }),
    responses: { "201": json("The link, which is shown once.", LinkAnswer) },
    errors: [...OF_PAGE, ...BAD_BODY, "CSRF_REQUIRED", "LINK_NOT_FOUND", "PAGE_SUSPENDED"],
  },
];
