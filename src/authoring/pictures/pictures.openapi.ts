import * as z from "zod";
import { PICTURES_PATH } from "../../http/endpoints.ts";
import { success } from "../../openapi/answers.ts";
import { BYTES, type Operation } from "../../openapi/operation.ts";
import { page } from "../../openapi/parameters.ts";
import { json, OF_PAGE } from "../../openapi/responses.ts";
import { assetUrl } from "../../views/assets.ts";
import { bilingual } from "../../views/bilingual.ts";

const PICTURE_ADDRESS = assetUrl("icon-192.png");

export const PictureType = z
  .enum(["image/jpeg", "image/png", "image/webp"])
  .meta({ id: "PictureType" });

const PictureAnswer = success("PictureAnswer", {
  picture: z.object({
    key: z
      .string()
      .meta(
        bilingual(
          "What a page's `avatar` or a link's `image` names.",
          "ما يُكتب في `avatar` الصفحة أو `image` الرابط.",
        ),
      ),
    type: PictureType,
    width: z.int().min(1),
    height: z.int().min(1),
    bytes: z.int().min(1),
    url: z.string(),
  }),
});

const pictureOf = (type: string) => ({ [`image/${type}`]: { schema: BYTES } });

export const PICTURES: readonly Operation[] = [
  {
    method: "put",
    path: PICTURES_PATH,
    id: "putPicture",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "ارفع صورة",
      description:
        "لصورة الصفحة أو لبطاقة فيها: JPEG أو PNG أو WebP ثابتة، حتى ٥٬٠٠٠٬٠٠٠ بايت و٤٬٠٩٦ بكسل لكل ضلع. يُحدَّد نوعها من محتواها لا من `Content-Type`، وتُحذف منها بيانات التصوير والموقع. والصورة التي لا تستعملها الصفحة تُحذف بعد يوم.",
    },
    en: {
      summary: "Upload a picture",
      description:
        "For the avatar or a card: a still JPEG, PNG or WebP of at most 5,000,000 bytes and 4,096 pixels a side. Its content says what it is, not `Content-Type`. Metadata such as the place is removed. A picture that the page does not use is deleted after a day.",
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
      },
    },
    responses: {
      "200": json("The page has the same picture already.", PictureAnswer),
      "201": json("The picture is stored.", PictureAnswer),
    },
    errors: [
      ...OF_PAGE,
      "VALIDATION_FAILED",
      "CSRF_REQUIRED",
      "PAGE_SUSPENDED",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "DAY_LIMIT",
    ],
  },
];
