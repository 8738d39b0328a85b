/** Creators' files, and their download by others. */
import * as z from "zod";
import {
  COMPLETE_FILE_PATH,
  DOWNLOAD_LINK_PATH,
  DOWNLOAD_PATH,
  FILE_PART_PATH,
  FILE_PATH,
  FILES_PATH,
  TAP_PARAMETER,
} from "../http/endpoints.ts";
import { Id } from "../http/ids.ts";
import { FILE_PART_BYTES, FILES_MAX } from "../http/limits.ts";
import { Ok } from "../site/openapi/answers.ts";
import { describe, described } from "../site/openapi/described.ts";
import {
  BAD_BODY,
  DOWN,
  jsonBody,
  LIMITED,
  location,
  type Operation,
  PageId,
} from "../site/openapi/operation.ts";
import { OF_PAGE, READ } from "../site/openapi/own-page.ts";
import { answer, errors, LIMIT_HEADERS } from "../site/openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { DownloadLinkInput, FileInput } from "./file-input.ts";

const BYTES = z.unknown();

describe(FileInput.shape.name, {
  ...bilingual("The name under which it is saved.", "الاسم الذي يُحفظ به."),
  example: "كتاب.pdf",
});
describe(
  FileInput.shape.type,
  bilingual("A media type, without parameters.", "نوع المحتوى من دون وسائط."),
);
describe(
  FileInput.shape.size,
  bilingual("Bytes, at most 100,000,000.", "بالبايت، حتى ١٠٠٬٠٠٠٬٠٠٠."),
);
describe(FileInput, { id: "FileInput" });
describe(
  DownloadLinkInput.shape.expires_in_s,
  bilingual("Seconds, at most 30 days.", "بالثواني، حتى ٣٠ يومًا."),
);
describe(
  DownloadLinkInput.shape.uses_max,
  bilingual("How many people may use it; null is no limit.", "كم شخصًا يستعمله، و null بلا حد."),
);
describe(DownloadLinkInput, { id: "DownloadLinkInput" });

const FileId = described(Id, {
  ...bilingual("The file's immutable id.", "معرّف الملف الذي لا يتغيّر."),
  example: "file",
});
const LinkId = described(Id, {
  ...bilingual("The block of kind `download`.", "الكتلة من نوع `download`."),
  example: "book",
});

const members = {
  file_id: z.string(),
  name: z.string(),
  type: z.string(),
  size: z.int().min(1),
  state: z.enum(["uploading", "ready"]).meta({ id: "FileState" }),
  created_at: z.iso.datetime(),
  part_bytes: z
    .literal(FILE_PART_BYTES)
    .meta(bilingual("Bytes of each part but the last.", "طول كل جزء بالبايت إلا الأخير.")),
};
const File = z.object(members).meta({ id: "File" });
const Upload = z
  .object({
    ...members,
    parts: z
      .array(z.int().min(1))
      .meta(bilingual("The parts that are stored.", "الأجزاء المحفوظة.")),
  })
  .meta({ id: "Upload" });

const FileAnswer = z.object({ ok: z.literal(true), file: File }).meta({ id: "FileAnswer" });
const UploadAnswer = z.object({ ok: z.literal(true), file: Upload }).meta({ id: "UploadAnswer" });
const PartAnswer = z.object({ ok: z.literal(true), n: z.int().min(1) }).meta({ id: "PartAnswer" });
const FilesAnswer = z
  .object({
    ok: z.literal(true),
    files: z.array(File).max(FILES_MAX),
    used_bytes: z.int().min(0),
    bytes_max: z.int().meta(bilingual("By plan, of all files.", "بحسب الباقة، للملفات كلها.")),
    file_bytes_max: z.int(),
  })
  .meta({ id: "FilesAnswer" });
const LinkAnswer = z
  .object({
    ok: z.literal(true),
    url: z.url(),
    expires_at: z.iso.datetime(),
    uses_max: z.int().min(1).nullable(),
  })
  .meta({ id: "DownloadLinkAnswer" });

const json = (description: string, schema: z.ZodType) =>
  answer(description, "application/json", schema, LIMIT_HEADERS);
const file = z.object({ file_id: FileId });
const OF_FILE = { ...READ, ...errors("NOT_FOUND") };

/** Headers of a file that is sent. */
const text = (en: string, ar: string) => ({
  ...bilingual(en, ar),
  schema: { type: "string" as const },
});
const FILE_HEADERS = {
  ...LIMIT_HEADERS,
  "Content-Disposition": text("`attachment`, with the file's name.", "اسم الملف مع `attachment`."),
  "Accept-Ranges": text("Always `bytes`.", "دائمًا `bytes`."),
};

export const DOWNLOADS: readonly Operation[] = [
  {
    method: "get",
    path: FILES_PATH,
    id: "listFiles",
    tag: "editing",
    access: "session",
    ar: { summary: "ملفاتك", description: "الأحدث أولًا، مع ما تشغله من باقتك." },
    en: {
      summary: "List your files",
      description: "The newest first, with what they take of your plan.",
    },
    responses: { "200": json("The files.", FilesAnswer), ...READ },
  },
  {
    method: "post",
    path: FILES_PATH,
    id: "createFile",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "ابدأ رفع ملف",
      description:
        "يحجز حجمه من باقتك: ٥٠ ميغابايت أو ٥ أو ٥٠ غيغابايت للملفات كلها. ثم أرسل أجزاءه، ثم أكمله. والرفع الذي لا يأتي منه جزء في يوم يُلغى.",
    },
    en: {
      summary: "Begin to upload a file",
      description:
        "Reserves its size in your plan: 50 MB, 5 GB or 50 GB in all. Send its parts next, and complete it. An upload of which no part comes for a day is given up.",
    },
    requestBody: jsonBody(FileInput, { name: "كتاب.pdf", type: "application/pdf", size: 1_000 }),
    responses: {
      "201": answer("The upload.", "application/json", UploadAnswer, {
        ...LIMIT_HEADERS,
        ...location("The file's address in this API.", "عنوان الملف في هذه الواجهة."),
      }),
      ...READ,
      ...BAD_BODY,
      ...errors("CSRF_REQUIRED", "PLAN_LIMIT"),
    },
  },
  {
    method: "get",
    path: FILE_PATH,
    id: "getFile",
    tag: "editing",
    access: "session",
    ar: { summary: "ملف", description: "حاله، وما حُفظ من أجزائه: أرسل ما بقي." },
    en: {
      summary: "Get a file",
      description: "Its state and the parts that are stored: send the others.",
    },
    requestParams: { path: file },
    responses: { "200": json("The file.", UploadAnswer), ...OF_FILE },
  },
  {
    method: "delete",
    path: FILE_PATH,
    id: "deleteFile",
    tag: "editing",
    access: "session and token",
    ar: { summary: "احذف ملفًا", description: "أو ألغِ رفعه. ولا يُحذف ما تستخدمه إحدى صفحاتك." },
    en: {
      summary: "Delete a file",
      description: "Or give up its upload. A file that one of your pages uses is not deleted.",
    },
    requestParams: { path: file },
    responses: {
      "200": json("It is deleted.", Ok),
      ...OF_FILE,
      ...errors("CSRF_REQUIRED", "FILE_IN_USE"),
    },
  },
  {
    method: "put",
    path: FILE_PART_PATH,
    id: "putFilePart",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "أرسل جزءًا من ملف",
      description: "الأجزاء من ١، كل منها ٨٬٣٨٨٬٦٠٨ بايت إلا الأخير. وما أُرسل ثانيةً حلّ محل الأول.",
    },
    en: {
      summary: "Send a part of a file",
      description:
        "Parts count from 1, of 8,388,608 bytes each but the last. One that is sent again replaces the first.",
    },
    requestParams: { path: z.object({ file_id: FileId, n: z.int().min(1).meta({ example: 1 }) }) },
    requestBody: { required: true, content: { "application/octet-stream": { schema: BYTES } } },
    responses: {
      "200": json("The part is stored.", PartAnswer),
      ...OF_FILE,
      ...errors("VALIDATION_FAILED", "CSRF_REQUIRED"),
    },
  },
  {
    method: "post",
    path: COMPLETE_FILE_PATH,
    id: "completeFile",
    tag: "editing",
    access: "session and token",
    ar: { summary: "أكمل ملفًا", description: "من أجزائه كلها، فتستطيع صفحاتك أن تعرضه." },
    en: {
      summary: "Complete a file",
      description: "Makes it of all its parts; then pages may offer it.",
    },
    requestParams: { path: file },
    responses: {
      "200": json("The file.", FileAnswer),
      ...OF_FILE,
      ...errors("VALIDATION_FAILED", "CSRF_REQUIRED"),
    },
  },
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
    responses: {
      "201": json("The link, which is shown once.", LinkAnswer),
      ...OF_PAGE,
      ...BAD_BODY,
      ...errors("CSRF_REQUIRED", "PAGE_NOT_FOUND", "LINK_NOT_FOUND", "PAGE_SUSPENDED"),
    },
  },
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
      ...errors("DOWNLOAD_REFUSED", "TIP_REQUIRED", "SUBSCRIPTION_REQUIRED"),
      ...errors("NOT_FOUND", "PAGE_NOT_FOUND", "LINK_NOT_FOUND"),
      ...errors("PAGE_SUSPENDED", "LINK_EXPIRED", "RANGE_NOT_SATISFIABLE"),
      ...LIMITED,
      ...errors("UPSTREAM_ERROR", "UPSTREAM_TIMEOUT"),
      ...DOWN,
    },
  },
];
