/** What comes in and goes out of a creator's page as a file: pictures, preview, export and import. */
import * as z from "zod";
import { EXPORT_PATH, IMPORT_PATH, PICTURES_PATH, PREVIEW_PATH } from "../../http/endpoints.ts";
import { described } from "../../site/openapi/described.ts";
import { EXPORT_ADDRESS, IMPORTS, PICTURE_ADDRESS } from "../../site/openapi/examples.ts";
import { Flag, JsonObject, location, type Operation } from "../../site/openapi/operation.ts";
import { OF_PAGE, page, READ, WITH_VERSION } from "../../site/openapi/own-page.ts";
import { answer, errors, LIMIT_HEADERS } from "../../site/openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { DryRunAnswer, ImportAnswer, PictureAnswer } from "../page-json.openapi.ts";
import { PreviewQuery } from "../preview-query.ts";

const TEXT = z.string();
/** OpenAPI 3.1 describes bytes by their media type alone. */
const BYTES = z.unknown();

const dry_run = Flag.default(0).meta(
  bilingual("1: says what would be made, and stores nothing.", "1: يُعرض ما سيُنشأ من دون حفظ شيء."),
);

const pictureOf = (type: string) => ({ [`image/${type}`]: { schema: BYTES } });

export const PAGE_FILES: readonly Operation[] = [
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
    responses: {
      "200": answer("The page.", "text/html", TEXT, LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...OF_PAGE,
    },
  },
  {
    method: "put",
    path: PICTURES_PATH,
    id: "putPicture",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "ارفع صورة",
      description:
        "لصورة الصفحة أو لبطاقة فيها: JPEG أو PNG أو WebP أو AVIF ثابتة، حتى ٥٬٠٠٠٬٠٠٠ بايت و٤٬٠٩٦ بكسل لكل ضلع. يُحدَّد نوعها من محتواها لا من `Content-Type`، وتُحذف منها بيانات التصوير والموقع. والصورة التي لا تستعملها الصفحة تُحذف بعد يوم.",
    },
    en: {
      summary: "Upload a picture",
      description:
        "For the avatar or a card: a still JPEG, PNG, WebP or AVIF of at most 5,000,000 bytes and 4,096 pixels a side. Its content says what it is, not `Content-Type`. Metadata such as the place is removed. A picture that the page does not use is deleted after a day.",
    },
    requestParams: { path: page },
    requestBody: {
      required: true,
      content: {
        "image/png": {
          schema: BYTES,
          "x-example-address": PICTURE_ADDRESS,
        },
        ...pictureOf("jpeg"),
        ...pictureOf("webp"),
        ...pictureOf("avif"),
      },
    },
    responses: {
      "200": answer(
        "The page has the same picture already.",
        "application/json",
        PictureAnswer,
        LIMIT_HEADERS,
      ),
      "201": answer("The picture is stored.", "application/json", PictureAnswer, LIMIT_HEADERS),
      ...OF_PAGE,
      ...errors(
        "VALIDATION_FAILED",
        "CSRF_REQUIRED",
        "DAY_LIMIT",
        "PAGE_SUSPENDED",
        "PAYLOAD_TOO_LARGE",
        "UNSUPPORTED_MEDIA_TYPE",
      ),
    },
  },
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
    responses: {
      "200": answer("The zip.", "application/zip", BYTES, LIMIT_HEADERS),
      ...OF_PAGE,
    },
  },
  {
    method: "post",
    path: IMPORT_PATH,
    id: "importPage",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "استورد صفحة",
      description:
        "مسودّة من ملف لا يزيد على ٨ ميغابايت، نوعه في `Content-Type`: تصدير من صلة (zip)، أو من LinkStack (JSON)، أو صفحة Linktree محفوظة (HTML)، أو جدول CSV، أو أسطر نصية فيها روابط. لا تجلب الخدمة شيئًا من الشبكة. وإن استوردت الملف نفسه ثانيةً فالجواب صفحته الأولى.",
    },
    en: {
      summary: "Import a page",
      description:
        "Makes a draft of a file of at most 8 MiB, whose `Content-Type` says what it is: an export of Sila (zip) or of LinkStack (JSON), a saved Linktree page (HTML), CSV, or lines of text with links. The service fetches nothing. The same file again is answered with the page of before.",
    },
    requestParams: { query: z.object({ dry_run }) },
    requestBody: {
      required: true,
      content: {
        "application/zip": {
          schema: BYTES,
          "x-example-address": EXPORT_ADDRESS,
        },
        "application/json": { schema: JsonObject, example: IMPORTS["application/json"] },
        "text/html": { schema: TEXT, example: IMPORTS["text/html"] },
        "text/csv": { schema: TEXT, example: IMPORTS["text/csv"] },
        "text/plain": { schema: TEXT, example: IMPORTS["text/plain"] },
      },
    },
    responses: {
      "200": answer(
        "What would be made, or the page that this file has made before.",
        "application/json",
        z.union([ImportAnswer, DryRunAnswer]),
        WITH_VERSION,
      ),
      "201": answer("The new page.", "application/json", ImportAnswer, {
        ...WITH_VERSION,
        ...location("The page's address in this API.", "عنوان الصفحة في هذه الواجهة."),
      }),
      ...READ,
      ...errors(
        "VALIDATION_FAILED",
        "CSRF_REQUIRED",
        "DAY_LIMIT",
        "PLAN_LIMIT",
        "PAYLOAD_TOO_LARGE",
        "UNSUPPORTED_MEDIA_TYPE",
      ),
    },
  },
];
