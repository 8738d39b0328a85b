import * as z from "zod";
import { REDIRECT_PATH, TAP_PARAMETER } from "../http/endpoints.ts";
import { Id } from "../http/ids.ts";
import { described } from "../openapi/described.ts";
import { location, type Operation } from "../openapi/operation.ts";
import { PageId } from "../openapi/parameters.ts";
import { OUTCOME_HEADERS } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";

const link_id = described(Id, {
  ...bilingual(
    "The link's immutable id, or `contact` for the page's contact card.",
    "معرّف الرابط الذي لا يتغيّر، أو `contact` لبطاقة الاتصال.",
  ),
  example: "demo-shop",
});
const tap_id = z
  .string()
  .optional()
  .meta(
    bilingual(
      "The id of a tap, which the page's script sets: one click for an hour, from whatever address it comes. A value that is not a valid id is ignored.",
      "معرّف الضغطة الذي تضعه صفحة الروابط: كل ما يصل به خلال ساعة نقرة واحدة، من أي عنوان وصل. وما لا يصلح معرّفًا يُتجاهل.",
    ),
  );
const event_id = z
  .string()
  .optional()
  .meta(
    bilingual(
      "Makes the click idempotent for its sender for an hour, in an address that you give to people. A value that is not a valid id is ignored.",
      "معرّف لرابط توزّعه: إن تكررت به نقرة المُرسل نفسه خلال ساعة حُسبت مرة واحدة. وما لا يصلح معرّفًا يُتجاهل.",
    ),
  );

export const REDIRECT: readonly Operation[] = [
  {
    method: "get",
    path: REDIRECT_PATH,
    id: "followLink",
    tag: "counting",
    ar: {
      summary: "احسب نقرة وانتقل إلى وجهتها",
      description:
        "هذا ما تشير إليه روابط الصفحة، فتُحسب النقرات بلا JavaScript. لا يمنع أحدًا من الوصول: ما زاد على الحد يُحسب ضمن فئة `limited` ويمضي صاحبه في طريقه، وما تجاوز عشرة أضعاف الحد يصل إلى الصفحة عددًا لا أكثر، بلا `X-Beacon-Outcome`. المعرّف `e` يخص مُرسله: من مُرسل آخر هو نقرة أخرى. والرابط المحذوف جوابه 404، أما المعطَّل أو الذي لم يحن وقته أو فات فجوابه 410.",
    },
    en: {
      summary: "Count a click and redirect to its link",
      description:
        "The links of a bio page lead here, so that clicks are counted without JavaScript. Visitors are redirected even over the limit: their clicks are counted in the class `limited`, and past ten times the limit without `X-Beacon-Outcome`. The id `e` belongs to its sender: the same id from another sender is another click. A removed link is 404; one that is switched off or outside its times is 410.",
    },
    requestParams: {
      path: z.object({ page_id: PageId, link_id }),
      query: z.object({ [TAP_PARAMETER]: tap_id, e: event_id }),
    },
    responses: {
      "302": {
        description:
          "`Location` is the link's address. `X-Beacon-Outcome` is absent if the click is not counted yet.",
        headers: { ...OUTCOME_HEADERS, ...location("Where the link leads.", "وجهة الرابط.") },
      },
    },
    errors: [
      "RATE_LIMITED",
      "LINK_NOT_FOUND",
      "PAGE_NOT_FOUND",
      "PAGE_SUSPENDED",
      "LINK_EXPIRED",
      "DEPENDENCY_DOWN",
    ],
  },
];
