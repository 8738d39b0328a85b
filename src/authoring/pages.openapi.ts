import * as z from "zod";
import { PAGE_PATH, PAGES_PATH, UNDELETE_PATH } from "../http/endpoints.ts";
import { describe, inner } from "../openapi/described.ts";
import { jsonBody, location, type Operation } from "../openapi/operation.ts";
import { matching, page } from "../openapi/parameters.ts";
import {
  BAD_BODY,
  json,
  MATCHED,
  NOT_MODIFIED,
  OF_PAGE,
  READ,
  WITH_VERSION,
} from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { PageInput } from "./page-input.ts";
import { DeletedAnswer, PageAnswer, PagesAnswer } from "./page-json.openapi.ts";

describe(PageInput, { id: "PageInput" });
describe(inner(PageInput.shape.status), { id: "OwnStatus" });
describe(PageInput.shape.slug, {
  ...bilingual(
    "The page's address on this site; stored in its canonical spelling.",
    "عنوان الصفحة في هذا الموقع، ويُحفظ بصورته المعيارية.",
  ),
  example: "layan",
});
describe(
  PageInput.shape.status,
  bilingual("A draft is shown to nobody but its owner.", "المسودّة لا يراها إلا صاحبها."),
);

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
  "200": json("The page as it is now.", PageAnswer, WITH_VERSION),
};
const CHANGE_ERRORS = [
  ...BAD_BODY,
  ...OF_PAGE,
  ...MATCHED,
  "CSRF_REQUIRED",
  "SLUG_TAKEN",
  "PAGE_SUSPENDED",
] as const;

const NEW_PAGE = {
  slug: "layan",
  status: "published",
  locales: ["ar", "en"],
  time_zone: "Asia/Riyadh",
  name: { ar: "ليان", en: "Layan" },
  bio: { ar: "خزّافة من صور", en: "Potter from Tyre" },
  look: { palette: "olive", background: "girih" },
  links: [
    { label: { ar: "المتجر", en: "Shop" }, url: "https://shop.example/" },
    { kind: "heading", label: { ar: "تابعوني", en: "Follow me" } },
    { kind: "social", label: { en: "Instagram" }, url: "https://www.instagram.com/layan" },
  ],
} as const;

const PAGE_CHANGE = { bio: { en: "Potter from Tyre, in Beirut" }, indexed: false } as const;

export const PAGES: readonly Operation[] = [
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
    responses: { "200": json("The pages.", PagesAnswer) },
    errors: READ,
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
      "201": json("The new page.", PageAnswer, {
        ...WITH_VERSION,
        ...location("The page's address in this API.", "عنوان الصفحة في هذه الواجهة."),
      }),
    },
    errors: [...BAD_BODY, ...READ, "CSRF_REQUIRED", "PLAN_LIMIT", "SLUG_TAKEN"],
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
      "200": json("The page.", PageAnswer, WITH_VERSION),
      ...NOT_MODIFIED,
    },
    errors: OF_PAGE,
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
    errors: CHANGE_ERRORS,
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
    errors: CHANGE_ERRORS,
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
    responses: { "202": json("It is deleted.", DeletedAnswer, WITH_VERSION) },
    errors: [...OF_PAGE, ...MATCHED, "CSRF_REQUIRED", "DAY_LIMIT"],
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
    responses: { "200": json("The page.", PageAnswer, WITH_VERSION) },
    errors: [...OF_PAGE, "CSRF_REQUIRED", "PLAN_LIMIT", "VERSION_CONFLICT", "DAY_LIMIT"],
  },
];
