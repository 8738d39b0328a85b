import * as z from "zod";
import { RECEIVED_TIPS_PATH, SENT_TIPS_PATH } from "../../http/endpoints.ts";
import { success, Time } from "../../openapi/answers.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listCursor, listLimit, NextCursor, page } from "../../openapi/parameters.ts";
import { json, OF_PAGE, READ } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { TIPS_PER_PAGE, TIPS_PER_PAGE_MAX } from "./limits.ts";
import { Points, SentTip } from "./tip.openapi.ts";
import { ReceivedQuery, SentQuery } from "./tips-query.ts";

const ReceivedTip = z
  .object({
    seq: z
      .int()
      .min(1)
      .meta(bilingual("1 for the page's first tip.", "رقمها بين إكراميات الصفحة، وأولها 1.")),
    link_id: z.string().meta(bilingual("The tip jar.", "صندوق الإكراميات.")),
    from_name: z
      .string()
      .meta(bilingual("The sender's name, as it was then.", "اسم المرسل كما كان حينها.")),
    points: Points,
    message: z.string(),
    at: Time,
  })
  .meta({ id: "ReceivedTip" });

const Totals = z.object({ n: z.int().nonnegative(), points: z.int().nonnegative() }).meta({
  id: "TipTotals",
  ...bilingual("All tips, and their points.", "الإكراميات كلها ونقاطها."),
});

const limit = listLimit(SentQuery.shape.limit, {
  maximum: TIPS_PER_PAGE_MAX,
  default: TIPS_PER_PAGE,
});

export const MY_TIPS: readonly Operation[] = [
  {
    method: "get",
    path: SENT_TIPS_PATH,
    id: "listSentTips",
    tag: "tips",
    access: "session",
    ar: { summary: "إكراميات أرسلتها", description: "الأحدث أولًا." },
    en: { summary: "Tips you have sent", description: "The newest first." },
    requestParams: {
      query: z.object({ limit, cursor: listCursor(SentQuery.shape.cursor) }),
    },
    responses: {
      "200": json(
        "The tips.",
        success("SentTips", { tips: z.array(SentTip), next_cursor: NextCursor }),
      ),
    },
    errors: [...READ, "VALIDATION_FAILED"],
  },
  {
    method: "get",
    path: RECEIVED_TIPS_PATH,
    id: "listReceivedTips",
    tag: "tips",
    access: "session",
    ar: { summary: "إكراميات صفحتك", description: "الأحدث أولًا، مع عددها كله ومجموع نقاطها." },
    en: {
      summary: "Tips your page has received",
      description: "The newest first, with the number of all and the sum of their points.",
    },
    requestParams: {
      path: page,
      query: z.object({ limit, cursor: listCursor(ReceivedQuery.shape.cursor) }),
    },
    responses: {
      "200": json(
        "The tips.",
        success("ReceivedTips", {
          tips: z.array(ReceivedTip),
          totals: Totals,
          next_cursor: NextCursor,
        }),
      ),
    },
    errors: [...OF_PAGE, "VALIDATION_FAILED"],
  },
];
