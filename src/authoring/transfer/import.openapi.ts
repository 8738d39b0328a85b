import * as z from "zod";
import { IMPORT_PATH } from "../../http/endpoints.ts";
import { success } from "../../openapi/answers.ts";
import { BYTES, JsonObject, location, type Operation } from "../../openapi/operation.ts";
import { Flag } from "../../openapi/parameters.ts";
import { json, READ, WITH_VERSION } from "../../openapi/responses.ts";
import { documentShape, linkShape } from "../../pages/document/page-document.ts";
import { Counts } from "../../stats/stats-shape.openapi.ts";
import { bilingual } from "../../views/bilingual.ts";
import { Page } from "../page-json.openapi.ts";

const EXPORT_ADDRESS = "/api/me/pages/demo/export";

const LINKTREE = {
  props: {
    pageProps: {
      account: { username: "layan", pageTitle: "Layan" },
      links: [{ title: "Shop", url: "https://shop.example/" }],
    },
  },
};

const IMPORTS = {
  "text/plain": "Shop https://shop.example/\nhttps://www.instagram.com/layan\n",
  "text/csv": "label,url\nShop,https://shop.example/\n",
  "text/html": `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify(LINKTREE)}</script>`,
  "application/json": {
    user: { name: "Layan", littlelink_name: "layan" },
    links: [{ title: "Shop", link: "https://shop.example/", type: "link", order: 1 }],
  },
} as const;

const Count = z.int().nonnegative();

const Remark = z
  .object({
    line: z
      .int()
      .min(1)
      .nullable()
      .meta(
        bilingual(
          "The line, or the number of an entry of a list; null for the whole file.",
          "رقم السطر أو العنصر؛ و`null` إن كان المقصود الملف كله.",
        ),
      ),
    text: z.string().meta(bilingual("An excerpt of it.", "مقتطف منه.")),
    reason: z.string().meta(bilingual("In Arabic.", "بالعربية.")),
    reason_en: z.string().meta(bilingual("In English.", "بالإنجليزية.")),
  })
  .meta({ id: "ImportRemark" });

const imported = {
  refused: z
    .array(Remark)
    .meta(bilingual("What was left out, at most 500.", "ما تُرك من الملف، ولا يزيد على ٥٠٠.")),
  refused_total: Count,
  notes: z
    .array(Remark)
    .meta(bilingual("What was changed, at most 500.", "ما غُيِّر منه، ولا يزيد على ٥٠٠.")),
  notes_total: Count,
  counts: Counts.meta(
    bilingual("The imported history.", "الأعداد المستوردة، وتظهر وحدها ولا تُعدّ من عدّ صلة."),
  ),
};

export const ImportAnswer = success("ImportAnswer", { page: Page, ...imported });

const DraftPage = z
  .object({
    slug: z.string(),
    status: z.literal("draft"),
    ...documentShape,
    links: z.array(z.object(linkShape).meta({ id: "DraftLink" })),
  })
  .meta({ id: "DraftPage" });

const DryRunAnswer = success("DryRunAnswer", {
  dry_run: z.literal(true),
  page: DraftPage,
  ...imported,
});

const dry_run = Flag.default(0).meta(
  bilingual("1: says what would be made, and stores nothing.", "1: يُعرض ما سيُنشأ من دون حفظ شيء."),
);

export const IMPORT: readonly Operation[] = [
  {
    method: "post",
    path: IMPORT_PATH,
    id: "importPage",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "استورد صفحة",
      description:
        "مسودّة من ملف لا يزيد على ٨ ميغابايت، نوعه في `Content-Type`: تصدير من صلة (zip)، أو من LinkStack (JSON)، أو صفحة روابط محفوظة (HTML)، أو جدول CSV، أو أسطر نصية فيها روابط. لا تجلب الخدمة هنا شيئًا من الشبكة. وإن استوردت الملف نفسه ثانيةً فالجواب صفحته الأولى.",
    },
    en: {
      summary: "Import a page",
      description:
        "Makes a draft of a file of at most 8 MiB, whose `Content-Type` says what it is: an export of Sila (zip) or of LinkStack (JSON), a saved page of links (HTML), CSV, or lines of text with links. It fetches nothing. The same file again is answered with the page of before.",
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
        "text/html": { schema: z.string(), example: IMPORTS["text/html"] },
        "text/csv": { schema: z.string(), example: IMPORTS["text/csv"] },
        "text/plain": { schema: z.string(), example: IMPORTS["text/plain"] },
      },
    },
    responses: {
      "200": json(
        "What would be made, or the page that this file has made before.",
        z.union([ImportAnswer, DryRunAnswer]),
        WITH_VERSION,
      ),
      "201": json("The new page.", ImportAnswer, {
        ...WITH_VERSION,
        ...location("The page's address in this API.", "عنوان الصفحة في هذه الواجهة."),
      }),
    },
    errors: [
      ...READ,
      "VALIDATION_FAILED",
      "CSRF_REQUIRED",
      "PLAN_LIMIT",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "DAY_LIMIT",
    ],
  },
];
