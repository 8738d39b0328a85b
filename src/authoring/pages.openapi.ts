/** Creators' pages: made, changed and deleted. */
import * as z from "zod";
import { PAGE_PATH, PAGES_PATH, SLUG_PATH, SLUGS_PATH, UNDELETE_PATH } from "../http/endpoints.ts";
import { Id } from "../http/ids.ts";
import { NEW_PAGE, PAGE_CHANGE } from "../site/openapi/examples.ts";
import { BAD_BODY, jsonBody, location, type Operation } from "../site/openapi/operation.ts";
import { MATCHED, matching, OF_PAGE, page, READ, WITH_VERSION } from "../site/openapi/own-page.ts";
import { answer, errors, LIMIT_HEADERS, NOT_MODIFIED } from "../site/openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { PageInput } from "./page-input.ts";
import {
  DeletedAnswer,
  PageAnswer,
  PagesAnswer,
  ProposedSlugAnswer,
  SlugAnswer,
} from "./page-json.openapi.ts";
import { SlugsQuery } from "./slugs-query.ts";

/** RFC 7396: members of a page; null removes one, which then gets its default. */
const PagePatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries(PageInput.shape).map(([name, member]) => [name, z.nullish(member)]),
    ),
  )
  .meta({
    id: "PagePatch",
    ...bilingual(
      "Members of a page. `null` removes one, and lists are replaced as a whole.",
      "ما يتغيّر من الصفحة. و`null` يحذف العنصر، والقوائم تُستبدل كاملة.",
    ),
  });

const CHANGED = {
  "200": answer("The page as it is now.", "application/json", PageAnswer, WITH_VERSION),
  ...BAD_BODY,
  ...OF_PAGE,
  ...errors("CSRF_REQUIRED", "SLUG_TAKEN", "PAGE_SUSPENDED"),
  ...MATCHED,
};

export const AUTHORING: readonly Operation[] = [
  {
    method: "get",
    path: PAGES_PATH,
    id: "listPages",
    tag: "editing",
    access: "session",
    ar: {
      summary: "صفحاتك",
      description: "كلها، وما حُذف منها ويمكن التراجع عن حذفه، من دون روابطها.",
    },
    en: {
      summary: "Your pages",
      description: "All of them, with deleted ones that can be undone, without their links.",
    },
    responses: {
      "200": answer("The pages.", "application/json", PagesAnswer, LIMIT_HEADERS),
      ...READ,
    },
  },
  {
    method: "post",
    path: PAGES_PATH,
    id: "createPage",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "أنشئ صفحة",
      description:
        "مسودّة ما لم تنشرها. لكل رابط جديد معرّف يُعطى له ولا يتغيّر. عدد الصفحات بحسب الباقة: ١ للمجانية، و١٠ للاحترافية، و١٠٠ للأعمال.",
    },
    en: {
      summary: "Make a page",
      description:
        "A draft unless you publish it. Each new link gets an id that never changes. By plan: 1 page with free, 10 with pro, 100 with business.",
    },
    requestBody: jsonBody(PageInput, NEW_PAGE),
    responses: {
      "201": answer("The new page.", "application/json", PageAnswer, {
        ...WITH_VERSION,
        ...location("The page's address in this API.", "عنوان الصفحة في هذه الواجهة."),
      }),
      ...BAD_BODY,
      ...READ,
      ...errors("CSRF_REQUIRED", "PLAN_LIMIT", "SLUG_TAKEN"),
    },
  },
  {
    method: "get",
    path: PAGE_PATH,
    id: "readPage",
    tag: "editing",
    access: "session",
    ar: { summary: "صفحة من صفحاتك", description: "بكل ما فيها، ونسختها في `ETag`." },
    en: {
      summary: "One of your pages",
      description: "The whole of it; its version is the `ETag`.",
    },
    requestParams: { path: page },
    responses: {
      "200": answer("The page.", "application/json", PageAnswer, WITH_VERSION),
      ...NOT_MODIFIED,
      ...OF_PAGE,
    },
  },
  {
    method: "patch",
    path: PAGE_PATH,
    id: "patchPage",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "عدّل صفحة",
      description:
        "بصيغة JSON Merge Patch (RFC 7396). إن سبقك تعديل آخر فلا يُحفظ شيء، والصفحة كما هي الآن في `details.page`. وما لا يغيّر شيئًا لا يصنع نسخة، فلا ضرر من تكرار تعديل ضاع جوابه.",
    },
    en: {
      summary: "Change a page",
      description:
        "By JSON Merge Patch (RFC 7396). Where another change was first, nothing is saved, and `details.page` is the current page. What changes nothing makes no version, so a change whose answer was lost can be repeated.",
    },
    requestParams: { path: page, header: matching },
    requestBody: {
      required: true,
      content: {
        "application/merge-patch+json": { schema: PagePatch, example: PAGE_CHANGE },
        "application/json": { schema: PagePatch, example: PAGE_CHANGE },
        "text/plain": { schema: PagePatch, example: PAGE_CHANGE },
      },
    },
    responses: CHANGED,
  },
  {
    method: "put",
    path: PAGE_PATH,
    id: "replacePage",
    tag: "editing",
    access: "session and token",
    ar: { summary: "استبدل صفحة كاملة", description: "ما لم تذكره يعود إلى قيمته الأصلية." },
    en: { summary: "Replace a page", description: "What the body leaves out gets its default." },
    requestParams: { path: page, header: matching },
    requestBody: jsonBody(PageInput, NEW_PAGE),
    responses: CHANGED,
  },
  {
    method: "delete",
    path: PAGE_PATH,
    id: "deletePage",
    tag: "editing",
    access: "session and token",
    ar: {
      summary: "احذف صفحة",
      description:
        "تختفي في الحال. ويمكن التراجع نصف ساعة، ثم لا يبقى منها شيء، ولا من أرقامها. ويُحجز عنوانها ٣٠ يومًا.",
    },
    en: {
      summary: "Delete a page",
      description:
        "It is gone at once. For half an hour this can be undone; then nothing is left of it or its numbers. Nobody can take its slug for 30 days.",
    },
    requestParams: { path: page, header: matching },
    responses: {
      "202": answer("It is deleted.", "application/json", DeletedAnswer, WITH_VERSION),
      ...OF_PAGE,
      ...errors("CSRF_REQUIRED", "DAY_LIMIT"),
      ...MATCHED,
    },
  },
  {
    method: "post",
    path: UNDELETE_PATH,
    id: "undeletePage",
    tag: "editing",
    access: "session and token",
    ar: { summary: "تراجع عن الحذف", description: "خلال نصف ساعة. لا يضر تكراره." },
    en: { summary: "Undo a deletion", description: "Within half an hour. Repeating it is safe." },
    requestParams: { path: page },
    responses: {
      "200": answer("The page.", "application/json", PageAnswer, WITH_VERSION),
      ...OF_PAGE,
      ...errors("CSRF_REQUIRED", "DAY_LIMIT", "PLAN_LIMIT", "VERSION_CONFLICT"),
    },
  },
  {
    method: "get",
    path: SLUGS_PATH,
    id: "proposeSlug",
    tag: "editing",
    access: "session",
    ar: {
      summary: "اقترح عنوانًا لاسم",
      description: "عنوان من كلمات الاسم، وثلاثة غيره على الأكثر، وكلها متاحة الآن.",
    },
    en: {
      summary: "Propose a slug for a name",
      description: "One made of the name's words, and up to three others. All are free now.",
    },
    requestParams: { query: SlugsQuery },
    responses: {
      "200": answer("Slugs.", "application/json", ProposedSlugAnswer, LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...READ,
    },
  },
  {
    method: "get",
    path: SLUG_PATH,
    id: "checkSlug",
    tag: "editing",
    access: "session",
    ar: {
      summary: "هل العنوان متاح؟",
      description:
        "قد يُحجز بعد لحظة: من يحفظ أولًا يأخذه. مع `page_id` تُعدّ عناوين تلك الصفحة متاحة. وإن لم يصلح النص عنوانًا ذُكر السبب في `details.reason`.",
    },
    en: {
      summary: "Is a slug free?",
      description:
        "It may be taken a moment later: whoever saves first has it. With `page_id`, the slugs of that page count as free. Where a text cannot be a slug, `details.reason` says why.",
    },
    requestParams: {
      path: z.object({
        slug: z.string().meta({
          ...bilingual("Any spelling of it.", "بأي كتابة."),
          example: "layan",
        }),
      }),
      query: z.object({
        page_id: z.optional(Id).meta(bilingual("An own page.", "صفحة من صفحاتك.")),
      }),
    },
    responses: {
      "200": answer("Whether it is free.", "application/json", SlugAnswer, LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...OF_PAGE,
    },
  },
];
