/**
 * The document of a page: everything that its creator writes, as stored in `pages.document` and in
 * each revision (docs/contract.md section 10). Checked here where it is written. Rows of D1 are
 * trusted, except for addresses, which are checked again where they are rendered.
 */
import * as z from "zod";
import { CONTACT_LINK } from "../../objects/tables/event.ts";
import { boundedText } from "../http/bounded-text.ts";
import { Id } from "../http/ids.ts";
import {
  BIO_CHARS_MAX,
  CONTACT_ENTRIES_MAX,
  CONTACT_FIELD_CHARS_MAX,
  CONTACT_TEXT_CHARS_MAX,
  LINK_LABEL_CHARS_MAX,
  LINK_TEXT_CHARS_MAX,
  LINKS_MAX,
  NAME_CHARS_MAX,
} from "../http/limits.ts";
import { Zone } from "../http/time-zone.ts";
import { bilingual } from "../views/bilingual.ts";
import { LOCALES } from "../views/locale.ts";
import { Look } from "../views/look.ts";
import { isVisible, plainText } from "../views/plain-text.ts";
import { LINK_ADDRESS_MAX_CHARACTERS, parseLinkAddress } from "./link-address.ts";

export const LocaleName = z.enum(LOCALES).meta({ id: "Locale" });

/** A creator's text, without control and bidi characters (docs/security.md S12). */
function words(max: number) {
  return boundedText(max).overwrite((text) => plainText(text.toWellFormed()));
}

/** A text in one language or both. One that is missing falls back to the other. */
function byLocale(max: number, id: string) {
  return z.strictObject({ ar: words(max).optional(), en: words(max).optional() }).meta({ id });
}

export type ByLocale = z.output<ReturnType<typeof byLocale>>;

/** The contents of the page's contact card. Every list may be empty. */
export const Contact = z
  .strictObject({
    name: words(CONTACT_FIELD_CHARS_MAX).default(""),
    organisation: words(CONTACT_FIELD_CHARS_MAX).nullable().default(null),
    title: words(CONTACT_FIELD_CHARS_MAX).nullable().default(null),
    phones: z.array(words(CONTACT_FIELD_CHARS_MAX)).max(CONTACT_ENTRIES_MAX).default([]),
    emails: z.array(words(CONTACT_FIELD_CHARS_MAX)).max(CONTACT_ENTRIES_MAX).default([]),
    address: words(CONTACT_TEXT_CHARS_MAX).nullable().default(null),
    note: words(CONTACT_TEXT_CHARS_MAX).nullable().default(null),
  })
  .meta({ id: "Contact" });
export type Contact = z.output<typeof Contact>;

/** The key of an uploaded picture in R2. */
export const PictureKey = z
  .string()
  .regex(/^[\w-]+(?:\/[\w-]+)*\.(?:jpg|png|webp|avif)$/, "the key of an uploaded picture")
  .max(200)
  .meta({
    id: "PictureKey",
    ...bilingual(
      "The key of a picture that was uploaded for this page.",
      "مفتاح صورة رُفعت لهذه الصفحة.",
    ),
  });

export const LINK_KINDS = ["link", "card", "social", "heading", "text"] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Kinds that lead somewhere: they have an address, and their clicks are counted. */
const ADDRESSED: ReadonlySet<LinkKind> = new Set<LinkKind>(["link", "card", "social"]);

const UnixSecond = z.int().min(0).max(32_503_680_000);

export const linkShape = {
  kind: z
    .enum(LINK_KINDS)
    .meta({ id: "LinkKind" })
    .default("link")
    .meta(
      bilingual(
        "`card` has a picture, `social` stands in the row of icons; `heading` and `text` lead nowhere.",
        "نوع العنصر: للنوع `card` صورة، و`social` في صف الأيقونات؛ أما `heading` و`text` فلا يقودان إلى عنوان.",
      ),
    ),
  label: byLocale(LINK_TEXT_CHARS_MAX, "Label").default({}),
  /** As `URL.href` spells it. */
  url: z
    .string()
    .max(LINK_ADDRESS_MAX_CHARACTERS, { abort: true })
    .refine(
      (raw) => parseLinkAddress(raw) !== null,
      "an http, https, mailto, tel or sms address without user and password",
    )
    .overwrite((raw) => parseLinkAddress(raw) ?? raw)
    .nullable()
    .default(null)
    .meta(
      bilingual(
        "An http, https, mailto, tel or sms address; null for `heading` and `text`.",
        "عنوان http أو https أو mailto أو tel أو sms؛ و`null` في `heading` و`text`.",
      ),
    ),
  enabled: z.boolean().default(true),
  from: UnixSecond.nullable()
    .default(null)
    .meta(bilingual("Shown from this unix second on.", "تظهر من هذه الثانية (يونكس).")),
  until: UnixSecond.nullable()
    .default(null)
    .meta(bilingual("Not shown from this unix second on.", "تختفي من هذه الثانية (يونكس).")),
  highlight: z.boolean().default(false),
  image: PictureKey.nullable().default(null),
} as const;

function checkLink(link: z.output<typeof LinkShape>, ctx: z.RefinementCtx): void {
  const refuse = (path: string, message: string) =>
    ctx.addIssue({ code: "custom", path: [path], message });
  const isAddressed = ADDRESSED.has(link.kind);
  if (isAddressed && link.url === null) refuse("url", "missing");
  if (!isAddressed && link.url !== null) refuse("url", `a ${link.kind} has no address`);
  if (link.kind !== "card" && link.image !== null) refuse("image", "only a card has a picture");
  if (link.from !== null && link.until !== null && link.until <= link.from) {
    refuse("until", "not after `from`");
  }
  const max = link.kind === "text" ? LINK_TEXT_CHARS_MAX : LINK_LABEL_CHARS_MAX;
  for (const locale of LOCALES) {
    if ([...(link.label[locale] ?? "")].length > max) {
      ctx.addIssue({
        code: "custom",
        path: ["label", locale],
        message: `at most ${max} characters`,
      });
    }
  }
}

const LinkShape = z.strictObject(linkShape);

/** A link as a client sends it: without a `link_id` it is a new one. */
export const LinkInput = z
  .strictObject({
    link_id: Id.optional().meta(
      bilingual(
        "Of a link that the page has or had. A new link has none: it gets one.",
        "معرّف رابط موجود أو محذوف من الصفحة؛ والرابط الجديد بلا معرّف فيُعطى واحدًا.",
      ),
    ),
    ...linkShape,
  })
  .superRefine(checkLink)
  .meta({ id: "LinkInput" });
export type LinkInput = z.output<typeof LinkInput>;

/** A link as it is stored and answered. Its id never changes, and its counts belong to the id. */
export type Link = Omit<LinkInput, "link_id"> & { link_id: string };

const DocumentFields = {
  /** The first is the default. */
  locales: z
    .array(LocaleName)
    .min(1)
    .max(LOCALES.length)
    .refine((locales) => new Set(locales).size === locales.length, "twice the same language")
    .default(["ar"])
    .meta(
      bilingual(
        "The page's languages; the first one is its default.",
        "لغات الصفحة؛ والأولى هي الأساسية.",
      ),
    ),
  time_zone: Zone.default("UTC").meta(
    bilingual(
      "An IANA zone. Visitors are counted by its days.",
      "منطقة زمنية من IANA، وبأيامها يُعدّ الزوّار.",
    ),
  ),
  indexed: z
    .boolean()
    .default(true)
    .meta(bilingual("Whether search engines may list it.", "هل تُدرجها محركات البحث.")),
  name: byLocale(NAME_CHARS_MAX, "Name"),
  bio: byLocale(BIO_CHARS_MAX, "Bio").default({}),
  avatar: PictureKey.nullable().default(null),
  contact: Contact.nullable().default(null),
  look: Look.default(Look.parse({})),
} as const;

/** Also of a schema with further members (`authoring/page-input.ts`). */
export const documentShape = {
  ...DocumentFields,
  links: z.array(LinkInput).max(LINKS_MAX).default([]),
};

/** What is true of a document as a whole. */
export function checkDocument(
  { locales, name, links }: Pick<DocumentInput, "locales" | "name" | "links">,
  ctx: z.RefinementCtx,
): void {
  const [locale = "ar"] = locales;
  if (!isVisible(name[locale] ?? "")) {
    ctx.addIssue({ code: "custom", path: ["name", locale], message: "missing" });
  }
  const seen = new Set<string>([CONTACT_LINK]);
  for (const [i, { link_id }] of links.entries()) {
    if (link_id === undefined) continue;
    if (seen.has(link_id)) {
      ctx.addIssue({ code: "custom", path: ["links", i, "link_id"], message: "twice" });
    }
    seen.add(link_id);
  }
}

/** What a creator writes of a page, apart from its slug and status. */
export const DocumentInput = z.strictObject(documentShape).superRefine(checkDocument);
export type DocumentInput = z.output<z.ZodObject<typeof documentShape>>;

/** The document as it is stored. */
export type PageDocument = Omit<DocumentInput, "links"> & { links: Link[] };
