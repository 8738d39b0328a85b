/**
 * The document of a page: everything that its creator writes, as stored in `pages.document` and in
 * each revision (docs/contract.md section 10). Checked here where it is written. Rows of D1 are
 * trusted, except for addresses, which are checked again where they are rendered.
 */
import * as z from "zod/mini";
import { CONTACT_LINK } from "../../../objects/events/event.ts";
import { boundedText } from "../../http/bounded-text.ts";
import { Id } from "../../http/ids.ts";
import "../../http/messages.ts";
import { Zone } from "../../http/time-zone.ts";
import { LOCALES } from "../../views/locale.ts";
import { Look } from "../../views/look.ts";
import { USUAL_LOOK } from "../../views/look-values.ts";
import { isVisible, plainText } from "../../views/plain-text.ts";
import { BLOCK_KINDS, type BlockKind, isBlock } from "./block-kinds.ts";
import {
  ALT_CHARS_MAX,
  BIO_CHARS_MAX,
  CONTACT_ENTRIES_MAX,
  CONTACT_FIELD_CHARS_MAX,
  CONTACT_TEXT_CHARS_MAX,
  DOWNLOAD_USES_MAX,
  LINK_LABEL_CHARS_MAX,
  LINK_TEXT_CHARS_MAX,
  LINKS_MAX,
  NAME_CHARS_MAX,
  TIP_AMOUNTS_MAX,
  TIP_POINTS_MAX,
} from "./limits.ts";
import { LINK_ADDRESS_MAX_CHARACTERS, parseLinkAddress } from "./link-address.ts";
import { PICTURE_KEY, PICTURE_KEY_CHARS_MAX } from "./picture-keys.ts";

export const LocaleName = z.enum(LOCALES);

/** A creator's text has no control and bidi characters (docs/security.md S12). */
function words(max: number) {
  return boundedText(max).check(z.overwrite((text) => plainText(text.toWellFormed())));
}

function orNull<S extends z.ZodMiniType>(schema: S) {
  return z._default(z.nullable(schema), null);
}

/** A language without a text falls back to the other. */
function byLocale(max: number) {
  return z.strictObject({ ar: z.optional(words(max)), en: z.optional(words(max)) });
}

export type ByLocale = z.output<ReturnType<typeof byLocale>>;

export const Contact = z.strictObject({
  name: z._default(words(CONTACT_FIELD_CHARS_MAX), ""),
  organisation: orNull(words(CONTACT_FIELD_CHARS_MAX)),
  title: orNull(words(CONTACT_FIELD_CHARS_MAX)),
  phones: z._default(
    z.array(words(CONTACT_FIELD_CHARS_MAX)).check(z.maxLength(CONTACT_ENTRIES_MAX)),
    [],
  ),
  emails: z._default(
    z.array(words(CONTACT_FIELD_CHARS_MAX)).check(z.maxLength(CONTACT_ENTRIES_MAX)),
    [],
  ),
  address: orNull(words(CONTACT_TEXT_CHARS_MAX)),
  note: orNull(words(CONTACT_TEXT_CHARS_MAX)),
});
export type Contact = z.output<typeof Contact>;

export const PictureKey = z
  .string()
  .check(
    z.regex(PICTURE_KEY, "the key of an uploaded picture"),
    z.maxLength(PICTURE_KEY_CHARS_MAX),
  );

export const LINK_KINDS = ["link", "card", "social", "heading", "text", ...BLOCK_KINDS] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Links of these kinds have an address, and their clicks are counted. */
const ADDRESSED: ReadonlySet<LinkKind> = new Set<LinkKind>(["link", "card", "social"]);

/** Who may download a file: anybody, who has tipped, who subscribes, or who has a link. */
export const DOWNLOAD_ACCESS = ["free", "tip", "subscriber", "link"] as const;

const TipBlock = z.strictObject({
  amounts: z.array(z.int().check(z.minimum(1), z.maximum(TIP_POINTS_MAX))).check(
    z.minLength(1),
    z.maxLength(TIP_AMOUNTS_MAX),
    z.refine((amounts) => new Set(amounts).size === amounts.length, "twice the same amount"),
  ),
});
const DownloadBlock = z.strictObject({
  file_id: Id,
  access: z._default(z.enum(DOWNLOAD_ACCESS), "free"),
  /** Downloads through this block; null is no limit. */
  uses_max: orNull(z.int().check(z.minimum(1), z.maximum(DOWNLOAD_USES_MAX))),
});
const NewsletterBlock = z.strictObject({});

const BLOCKS = { tip: TipBlock, download: DownloadBlock, newsletter: NewsletterBlock } as const;
export type BlockByKind = { [K in BlockKind]: z.output<(typeof BLOCKS)[K]> };

const UnixSecond = z.int().check(z.minimum(0), z.maximum(32_503_680_000));

export const linkShape = {
  kind: z._default(z.enum(LINK_KINDS), "link"),
  label: z._default(byLocale(LINK_TEXT_CHARS_MAX), {}),
  /** The spelling of `URL.href`. */
  url: orNull(
    z.string().check(
      z.maxLength(LINK_ADDRESS_MAX_CHARACTERS, { abort: true }),
      z.refine(
        (raw) => parseLinkAddress(raw) !== null,
        "an http, https, mailto, tel or sms address without user and password",
      ),
      z.overwrite((raw) => parseLinkAddress(raw) ?? raw),
    ),
  ),
  enabled: z._default(z.boolean(), true),
  /** Unix seconds. */
  from: orNull(UnixSecond),
  until: orNull(UnixSecond),
  highlight: z._default(z.boolean(), false),
  image: orNull(PictureKey),
  alt: z.optional(byLocale(ALT_CHARS_MAX)),
  block: z.optional(z.union([TipBlock, DownloadBlock, NewsletterBlock])),
} as const;

function isBlockOf(kind: BlockKind, block: object): boolean {
  return BLOCKS[kind].safeParse(block).success;
}

function checkLink(link: z.output<typeof LinkShape>, ctx: z.core.$RefinementCtx): void {
  const refuse = (path: string, message: string) =>
    ctx.addIssue({ code: "custom", path: [path], message });
  const isAddressed = ADDRESSED.has(link.kind);
  if (isAddressed && link.url === null) refuse("url", "missing");
  if (!isAddressed && link.url !== null) refuse("url", `a ${link.kind} has no address`);
  if (link.kind !== "card" && link.image !== null) refuse("image", "only a card has a picture");
  if (link.image === null && link.alt !== undefined) refuse("alt", "there is no picture");
  if (link.block === undefined && isBlock(link.kind)) refuse("block", "missing");
  if (link.block !== undefined && !(isBlock(link.kind) && isBlockOf(link.kind, link.block))) {
    refuse("block", `not that of a ${link.kind}`);
  }
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
    link_id: z.optional(Id),
    ...linkShape,
  })
  .check(z.superRefine(checkLink));
export type LinkInput = z.output<typeof LinkInput>;

/** Its id never changes, and its counts belong to the id. */
export type Link = Omit<LinkInput, "link_id"> & { link_id: string };

const DocumentFields = {
  /** The first is the default. */
  locales: z._default(
    z.array(LocaleName).check(
      z.minLength(1),
      z.maxLength(LOCALES.length),
      z.refine((locales) => new Set(locales).size === locales.length, "twice the same language"),
    ),
    ["ar"],
  ),
  time_zone: z._default(Zone, "UTC"),
  indexed: z._default(z.boolean(), true),
  name: byLocale(NAME_CHARS_MAX),
  bio: z._default(byLocale(BIO_CHARS_MAX), {}),
  avatar: orNull(PictureKey),
  contact: orNull(Contact),
  look: z._default(Look, USUAL_LOOK),
} as const;

/** A schema with further members uses it too (`authoring/page-input.ts`). */
export const documentShape = {
  ...DocumentFields,
  links: z._default(z.array(LinkInput).check(z.maxLength(LINKS_MAX)), []),
};

export function checkDocument(
  { locales, name, links }: Pick<DocumentInput, "locales" | "name" | "links">,
  ctx: z.core.$RefinementCtx,
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

export const DocumentInput = z.strictObject(documentShape).check(z.superRefine(checkDocument));
export type DocumentInput = z.output<z.ZodMiniObject<typeof documentShape>>;

export type PageDocument = Omit<DocumentInput, "links"> & { links: Link[] };
