/** The answers of the routes of creators' pages. */
import * as z from "zod";
import { Id } from "../http/ids.ts";
import { SLUGS_PROPOSED } from "../http/limits.ts";
import { documentShape, linkShape } from "../pages/page-document.ts";
import { ClicksByLink, Counts, What } from "../stats/stats-shape.openapi.ts";
import { bilingual } from "../views/bilingual.ts";
import type { pageJson, summaryJson } from "./page-json.ts";

const Count = z.int().nonnegative();
const Time = z.iso.datetime();

const LinkAnswer = z.object({ link_id: Id, ...linkShape }).meta({ id: "Link" });

const identity = {
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

const Page = z
  .object({ ...identity, ...documentShape, links: z.array(LinkAnswer), ...history })
  .meta({ id: "Page" }) satisfies z.ZodType<ReturnType<typeof pageJson>>;

const { locales, name, avatar } = documentShape;
const PageSummary = z
  .object({ ...identity, locales, name, avatar, ...history })
  .meta({ id: "PageSummary" }) satisfies z.ZodType<ReturnType<typeof summaryJson>>;

const ok = z.literal(true);

export const PageAnswer = z.object({ ok, page: Page }).meta({ id: "PageAnswer" });
export const PagesAnswer = z
  .object({ ok, pages: z.array(PageSummary) })
  .meta({ id: "PagesAnswer" });

export const DeletedAnswer = z
  .object({ ok, page: Page, undo: z.object({ path: z.string(), until: Time }) })
  .meta({ id: "DeletedAnswer" });

const suggestions = z.array(z.string()).max(SLUGS_PROPOSED);

export const SlugAnswer = z
  .object({
    ok,
    slug: z.string(),
    free: z.boolean(),
    suggestions: suggestions.meta(
      bilingual("Free ones like it, where it is not.", "عناوين متاحة تشبهه إن لم يكن متاحًا."),
    ),
  })
  .meta({ id: "SlugAnswer" });

export const ProposedSlugAnswer = z
  .object({
    ok,
    slug: z.string(),
    suggestions: suggestions.meta(bilingual("Other free ones.", "عناوين أخرى متاحة.")),
  })
  .meta({ id: "ProposedSlugAnswer" });

const PeopleTotals = z
  .object({ views: Count, clicks: Count, links: ClicksByLink })
  .meta({ id: "PeopleTotals" });

const revision = {
  version: z.int().min(1),
  at: Time,
  what: z.array(What),
  totals: PeopleTotals.nullable().meta(
    bilingual(
      "All views and clicks by people before this version counted, the clicks of each link too; null where they are not known.",
      "كل مشاهدات الناس ونقراتهم قبل أن تسري هذه النسخة، ولكل رابط أيضًا؛ ويكون `null` إن لم تُعرف.",
    ),
  ),
};

export const RevisionsAnswer = z
  .object({
    ok,
    revisions: z.array(z.object(revision).meta({ id: "Revision" })),
    now: PeopleTotals.meta(
      bilingual(
        "The same at this moment. What people did with a version is the difference to the next one's totals, with the newest to these.",
        "ومثلها الآن. ما فعله الناس مع نسخة هو الفرق بين أعدادها وأعداد التي تليها، وللأحدث بينها وبين هذه.",
      ),
    ),
  })
  .meta({ id: "RevisionsAnswer" });

const { slug, status } = identity;

export const RevisionAnswer = z
  .object({
    ok,
    revision: z.object({
      ...revision,
      page: z
        .object({ slug, status, ...documentShape, links: z.array(LinkAnswer) })
        .meta({ id: "RevisionPage" })
        .meta(bilingual("The page as it was saved then.", "الصفحة كما حُفظت حينها.")),
    }),
  })
  .meta({ id: "RevisionAnswer" });

export const TotalsAnswer = z
  .object({
    ok,
    totals: PeopleTotals,
    as_of: Time.meta(
      bilingual(
        "Every event that was acknowledged before this time is in these numbers.",
        "كل ما أُقرّ بوصوله قبل هذا الوقت داخل في هذه الأرقام.",
      ),
    ),
  })
  .meta({ id: "TotalsAnswer" });

export const PictureAnswer = z
  .object({
    ok,
    picture: z.object({
      key: z
        .string()
        .meta(
          bilingual(
            "What a page's `avatar` or a link's `image` names.",
            "ما يُكتب في `avatar` الصفحة أو `image` الرابط.",
          ),
        ),
      type: z.enum(["image/jpeg", "image/png", "image/webp", "image/avif"]),
      width: z.int().min(1),
      height: z.int().min(1),
      bytes: z.int().min(1),
      url: z.string(),
    }),
  })
  .meta({ id: "PictureAnswer" });

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

export const ImportAnswer = z.object({ ok, page: Page, ...imported }).meta({ id: "ImportAnswer" });

const DraftPage = z
  .object({
    slug: z.string(),
    status: z.literal("draft"),
    ...documentShape,
    links: z.array(z.object(linkShape).meta({ id: "DraftLink" })),
  })
  .meta({ id: "DraftPage" });

export const DryRunAnswer = z
  .object({ ok, dry_run: z.literal(true), page: DraftPage, ...imported })
  .meta({ id: "DryRunAnswer" });
