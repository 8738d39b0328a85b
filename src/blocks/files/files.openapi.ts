import * as z from "zod";
import { COMPLETE_FILE_PATH, FILE_PART_PATH, FILE_PATH, FILES_PATH } from "../../http/endpoints.ts";
import { Id } from "../../http/ids.ts";
import { Ok, success } from "../../openapi/answers.ts";
import { describe, described } from "../../openapi/described.ts";
import { BYTES, jsonBody, location, type Operation } from "../../openapi/operation.ts";
import { BAD_BODY, json, LIMIT_HEADERS, READ } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { FileInput } from "./file-input.ts";
import { FILE_PART_BYTES, FILES_MAX } from "./limits.ts";

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

const FileId = described(Id, {
  ...bilingual("The file's immutable id.", "معرّف الملف الذي لا يتغيّر."),
  example: "file",
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

const FileAnswer = success("FileAnswer", { file: File });
const UploadAnswer = success("UploadAnswer", { file: Upload });
const PartAnswer = success("PartAnswer", { n: z.int().min(1) });
const FilesAnswer = success("FilesAnswer", {
  files: z.array(File).max(FILES_MAX),
  used_bytes: z.int().min(0),
  bytes_max: z.int().meta(bilingual("By plan, of all files.", "بحسب الباقة، للملفات كلها.")),
  file_bytes_max: z.int(),
});

export const file = z.object({ file_id: FileId });
const OF_FILE = [...READ, "NOT_FOUND"] as const;

export const FILES: readonly Operation[] = [
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
    responses: { "200": json("The files.", FilesAnswer) },
    errors: READ,
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
      "201": json("The upload.", UploadAnswer, {
        ...LIMIT_HEADERS,
        ...location("The file's address in this API.", "عنوان الملف في هذه الواجهة."),
      }),
    },
    errors: [...READ, ...BAD_BODY, "CSRF_REQUIRED", "PLAN_LIMIT"],
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
    responses: { "200": json("The file.", UploadAnswer) },
    errors: OF_FILE,
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
    responses: { "200": json("It is deleted.", Ok) },
    errors: [...OF_FILE, "CSRF_REQUIRED", "FILE_IN_USE"],
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
    responses: { "200": json("The part is stored.", PartAnswer) },
    errors: [...OF_FILE, "VALIDATION_FAILED", "CSRF_REQUIRED"],
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
    responses: { "200": json("The file.", FileAnswer) },
    errors: [...OF_FILE, "VALIDATION_FAILED", "CSRF_REQUIRED"],
  },
];
