import * as z from "zod";
import { Id } from "../http/ids.ts";
import { success } from "../openapi/answers.ts";
import { documentShape, linkShape } from "../pages/document/page-document.ts";
import { bilingual } from "../views/bilingual.ts";
import type { pageJson, summaryJson } from "./page-json.ts";

const Time = z.iso.datetime();
export const LinkAnswer = z.object({ link_id: Id, ...linkShape }).meta({ id: "Link" });

export const identity = {
  page_id: Id,
  slug: z.string(),
  status: z
    .enum(["draft", "published", "suspended"])
    .meta({ id: "PageStatus" })
    .meta(bilingual("Only the account hub suspends.", "لا يوقف صفحةً إلا مركز الحسابات.")),
};
const history = {
  version: z
    .int()
    .min(1)
    .meta(
      bilingual(
        'Each save is one more. The `ETag` of the answer is `"v<version>"`.',
        'تزيد واحدًا مع كل حفظ، والترويسة `ETag` هي `"v<version>"`.',
      ),
    ),
  created_at: Time,
  updated_at: Time,
  ends_at: Time.nullable().meta(
    bilingual(
      "Of a deleted page: until then the deletion can be undone.",
      "للصفحة المحذوفة: يمكن التراجع عن حذفها حتى هذا الوقت.",
    ),
  ),
};

export const Page = z
  .object({ ...identity, ...documentShape, links: z.array(LinkAnswer), ...history })
  .meta({ id: "Page" }) satisfies z.ZodType<ReturnType<typeof pageJson>>;

const { locales, name, avatar } = documentShape;
const PageSummary = z
  .object({ ...identity, locales, name, avatar, ...history })
  .meta({ id: "PageSummary" }) satisfies z.ZodType<ReturnType<typeof summaryJson>>;

export const PageAnswer = success("PageAnswer", { page: Page });
export const PagesAnswer = success("PagesAnswer", { pages: z.array(PageSummary) });

export const DeletedAnswer = success("DeletedAnswer", {
  page: Page,
  undo: z.object({ path: z.string(), until: Time }),
});
