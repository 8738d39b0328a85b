import * as z from "zod";
import * as mini from "zod/mini";
import { BEACON_PATH } from "../http/endpoints.ts";
import { Id } from "../http/ids.ts";
import { Ok } from "../openapi/answers.ts";
import { describe, described } from "../openapi/described.ts";
import { jsonBody, type Operation } from "../openapi/operation.ts";
import { PageId } from "../openapi/parameters.ts";
import { answer, BAD_BODY, json, LIMIT_HEADERS, OUTCOME_HEADERS } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { Beacon, Language } from "./beacon-schema.ts";

// The three campaign parameters are one schema.
describe(
  Beacon.shape.utm_source,
  bilingual(
    "A campaign parameter, as the page's address carried it.",
    "وسم حملة كما جاء في عنوان الصفحة.",
  ),
);
describe(
  Beacon.shape.language,
  bilingual(
    "The language in which the page was viewed, `ar` or `en`; anything else is ignored. Not counted for clicks.",
    "اللغة التي شوهدت بها الصفحة، `ar` أو `en`، ويُهمل ما سواهما. لا تُحسب للنقرات.",
  ),
);
describe(Beacon.shape.link_id, {
  ...bilingual(
    "The link that was clicked; a link of this page. Without it, a view.",
    "الرابط الذي نُقر، وهو من روابط هذه الصفحة. من دونه هي مشاهدة.",
  ),
  example: "demo-shop",
});
describe(
  Beacon.shape.event_id,
  bilingual(
    "Your own id of the event: sent again within an hour, it counts once in all.",
    "معرّف تختاره للحدث: إن أُرسل ثانيةً خلال ساعة حُسب مرة واحدة.",
  ),
);
describe(
  Beacon.shape.referrer,
  bilingual(
    "Where the visitor came from; only its host is kept.",
    "من أين جاء الزائر، ولا يُحفظ منه سوى اسم الموقع.",
  ),
);

const ViewOrClick = described(
  mini.extend(Beacon, {
    page_id: described(Id, {
      ...bilingual("The page that was viewed.", "الصفحة التي شوهدت."),
      example: "demo",
    }),
  }),
  { id: "Beacon" },
);

/** No schema says that any other value is ignored. */
const language = described(Language, { example: "ar" });

export const BEACON: readonly Operation[] = [
  {
    method: "post",
    path: BEACON_PATH,
    id: "recordEvent",
    tag: "counting",
    ar: {
      summary: "سجّل مشاهدة أو نقرة",
      description:
        "من دون `link_id` هي مشاهدة للصفحة، ومعه نقرة على رابط. لا تُرسل الإجابة قبل أن يُحفظ الحدث، فيُحسب مرة واحدة لا أكثر. إن أعدت إرساله خلال ساعة بالمعرّف `event_id` نفسه حُسب مرة واحدة. وإن بلغت الخدمة حدّها من أحداث اليوم فالإجابة 429 حتى منتصف الليل UTC.",
    },
    en: {
      summary: "Record a view or a click",
      description:
        "Without `link_id` it is a view, with it a click. The answer is sent when the event is in durable storage. An event that is sent again within an hour with the same `event_id` counts once. Where the service has counted all events of its day, the answer is 429 until 00:00 UTC.",
    },
    requestBody: jsonBody(ViewOrClick),
    responses: {
      "202": json("The event is in durable storage, by this request or an earlier one.", Ok, {
        ...LIMIT_HEADERS,
        ...OUTCOME_HEADERS,
      }),
    },
    errors: [
      ...BAD_BODY,
      "RATE_LIMITED",
      "DEPENDENCY_DOWN",
      "PAGE_NOT_FOUND",
      "LINK_NOT_FOUND",
      "PAGE_SUSPENDED",
      "LINK_EXPIRED",
    ],
  },
];

export const PIXEL: readonly Operation[] = [
  {
    method: "get",
    path: "/p/:page_id.gif",
    id: "recordViewByPixel",
    tag: "counting",
    ar: {
      summary: "احسب مشاهدة بلا JavaScript",
      description: "صورة شفافة من نقطة واحدة، تُحسب مشاهدةً في كل مرة تُطلب فيها.",
    },
    en: {
      summary: "Count a view without JavaScript",
      description: "A transparent GIF of one pixel. Each request counts a view.",
    },
    requestParams: { path: z.object({ page_id: PageId }), query: z.object({ l: language }) },
    responses: {
      "200": answer("The view is in durable storage.", "image/gif", z.string(), {
        ...LIMIT_HEADERS,
        ...OUTCOME_HEADERS,
      }),
    },
    errors: ["RATE_LIMITED", "DEPENDENCY_DOWN", "PAGE_NOT_FOUND", "PAGE_SUSPENDED"],
  },
];
