import * as z from "zod";
import { READ_PAGE_PATH } from "../../http/endpoints.ts";
import { success } from "../../openapi/answers.ts";
import { describe } from "../../openapi/described.ts";
import type { Operation } from "../../openapi/operation.ts";
import { BAD_BODY, json, READ } from "../../openapi/responses.ts";
import { LINKS_MAX } from "../../pages/document/limits.ts";
import { bilingual } from "../../views/bilingual.ts";
import { PictureType } from "../pictures/pictures.openapi.ts";
import { ReadPageInput } from "./read-page-schema.ts";

describe(ReadPageInput.shape.address, {
  ...bilingual(
    "The page's address; `https://` may be missing.",
    "عنوان الصفحة، ويجوز أن ينقصه `https://`.",
  ),
  example: "salma.example/links",
});

const OutsideLink = z
  .object({
    label: z.string(),
    url: z
      .string()
      .nullable()
      .meta(bilingual("Null of a heading.", "فارغ (`null`) في عناوين الأقسام.")),
    kind: z
      .enum(["heading", "social"])
      .optional()
      .meta(bilingual("None: a link.", "رابط إن لم يُذكر.")),
  })
  .meta({ id: "OutsideLink" });

const ReadPageAnswer = success("ReadPageAnswer", {
  address: z
    .url()
    .meta(bilingual("Where the page is, after redirects.", "عنوان الصفحة بعد التحويلات.")),
  name: z.string(),
  bio: z.string(),
  picture: z
    .object({
      type: PictureType,
      data: z.string().meta(bilingual("In base64.", "بترميز base64.")),
    })
    .nullable(),
  links: z.array(OutsideLink).min(1).max(LINKS_MAX),
  left_out: z
    .int()
    .nonnegative()
    .meta(
      bilingual(
        "Links of the page that are not in the list, such as its service's own.",
        "عدد ما تُرك من روابط الصفحة، كروابط الخدمة التي هي عليها.",
      ),
    ),
});

export const READ_PAGE: readonly Operation[] = [
  {
    method: "post",
    path: READ_PAGE_PATH,
    id: "readPageElsewhere",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "اقرأ صفحة في موقع آخر",
      description:
        "تجلب الخدمة الصفحة من عنوانها (https وحده، حتى ١ ميغابايت، في ٥ ثوانٍ مع صورتها) وتجيب بما فيها، ولا تحفظ شيئًا. الصفحة وصورتها جلبتان من عشر في ٢٤ ساعة. وإن تعذّرت قراءتها فالسبب في `details`، ويمكن استيرادها من ملف محفوظ.",
    },
    en: {
      summary: "Read a page elsewhere",
      description:
        "The service fetches the page (https alone, at most 1 MiB, in 5 seconds with its picture) and answers what is in it. Nothing is stored. A page and its picture are two of ten fetches in 24 hours. Where it cannot be read, `details` says why; a saved file of it can be imported.",
    },
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: ReadPageInput, example: { address: "salma.example/links" } },
      },
    },
    responses: { "200": json("What is in the page.", ReadPageAnswer) },
    errors: [...READ, ...BAD_BODY, "CSRF_REQUIRED", "PAGE_UNREADABLE", "DAY_LIMIT"],
  },
];
