/** A page made of a file, with remarks on what was refused or changed, by the usual schema. */
import type * as z from "zod/mini";
import { utf8 } from "../../http/bytes.ts";
import { BIO_CHARS_MAX, LINKS_MAX, NAME_CHARS_MAX } from "../../pages/document/limits.ts";
import { parseLinkAddress } from "../../pages/document/link-address.ts";
import {
  type Contact,
  DocumentInput,
  LinkInput,
  type LinkKind,
} from "../../pages/document/page-document.ts";
import { picturePrefix } from "../../pages/document/picture-keys.ts";
import type { RemovedLink } from "../../pages/document/removed-links-store.ts";
import type { Locale } from "../../views/locale.ts";
import { isVisible, plainText } from "../../views/plain-text.ts";
import { STORED_DOCUMENT_BYTES_MAX } from "../limits.ts";
import { ImportRefused, REASONS, reasonOf } from "./import-reasons.ts";
import type { ImportedCounts } from "./imported-counts.ts";
import { Remarks } from "./remarks.ts";

export interface ImportedPage {
  /** Spelled as in the file, not checked. */
  slug: string | null;
  /** Links have ids if the file has counts of them. */
  document: DocumentInput;
  removed: RemovedLink[];
  /** Readers of unchecked pictures by their keys in the document; may throw `ImportRefused`. */
  pictures: Map<string, () => Uint8Array<ArrayBuffer>>;
  /** Whether this service exported the file: such a page may have no links. */
  is_export: boolean;
  counts: ImportedCounts | null;
  refused: Remarks;
  notes: Remarks;
}

/** A link of a file from another service; the language of its text is unknown. */
export interface ForeignLink {
  kind?: LinkKind;
  label: string;
  url?: string | null;
  enabled?: boolean;
  from?: number | null;
  until?: number | null;
  highlight?: boolean;
}

const ARABIC = /\p{Script=Arabic}/u;

export class ForeignPage {
  slug: string | null = null;
  name = "";
  bio = "";
  contact: z.input<typeof Contact> | null = null;
  readonly refused = new Remarks();
  readonly notes = new Remarks();
  readonly #links: LinkInput[] = [];
  readonly #pictures = new Map<string, () => Uint8Array<ArrayBuffer>>();
  #avatar: string | null = null;

  setAvatar(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#avatar = name;
    this.#pictures.set(name, () => bytes);
  }

  /** Adds a link, or refuses it with the schema's reason. `text` is what the file says. */
  add(line: number | null, text: string, { label, ...link }: ForeignLink): void {
    const result = LinkInput.safeParse({ ...link, label: { ar: label } });
    if (!result.success) this.refused.add(line, text, reasonOf(result.error));
    else if (this.#links.length >= LINKS_MAX) this.refused.add(line, text, REASONS.too_many);
    else this.#links.push(result.data);
  }

  /** The page is Arabic if any of its texts has an Arabic letter. */
  finish(): ImportedPage {
    const own_name = isVisible(this.name) ? plainText(this.name) : (this.slug ?? "");
    const name = this.#cut(own_name, NAME_CHARS_MAX);
    const bio = this.#cut(this.bio, BIO_CHARS_MAX);
    const labels = this.#links.map(({ label }) => label.ar ?? "");
    const texts = [name, bio, ...labels].join("");
    const locale: Locale = ARABIC.test(texts) || texts === "" ? "ar" : "en";
    const document = parseDocument("page", {
      locales: [locale],
      name: { [locale]: isVisible(name) ? name : UNNAMED[locale] },
      bio: bio === "" ? {} : { [locale]: bio },
      avatar: this.#avatar,
      contact: this.contact,
    });
    document.links = this.#links.map((link, i) => ({ ...link, label: { [locale]: labels[i] } }));
    const { slug, refused, notes } = this;
    fitDocument(document, refused);
    const pictures = this.#pictures;
    const none = { removed: [], is_export: false, counts: null };
    return { slug, document, pictures, refused, notes, ...none };
  }

  #cut(text: string, max: number): string {
    const plain = plainText(text.toWellFormed());
    const characters = [...plain];
    if (characters.length <= max) return plain;
    this.notes.add(null, plain, REASONS.shortened);
    return `${characters.slice(0, max - 1).join("")}…`;
  }
}

/** Throws `ImportRefused` where the schema refuses the document, called `file` in the reason. */
export function parseDocument(
  file: string,
  fields: Readonly<Record<string, unknown>>,
): DocumentInput {
  const result = DocumentInput.safeParse(fields);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = `${file}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
  throw new ImportRefused({
    ar: `${REASONS.invalid.ar} (${where})`,
    en: `${REASONS.invalid.en} (${where})`,
  });
}

/** Placeholders as long as the ids and keys that the page will get. */
const SOME_ID = "0".repeat(22);
const SOME_KEY = `${picturePrefix(SOME_ID)}${"0".repeat(32)}.webp`;

/** Leaves out the last links of a document that is too large to be stored. */
export function fitDocument(document: DocumentInput, refused: Remarks): void {
  const keyOf = (key: string | null) => (key === null ? null : SOME_KEY);
  const storedLink = (link: LinkInput) => ({
    ...link,
    link_id: link.link_id ?? SOME_ID,
    image: keyOf(link.image),
  });
  const bytesOf = (value: unknown) => utf8(JSON.stringify(value)).length;
  const avatar = keyOf(document.avatar);
  let bytes = bytesOf({ ...document, avatar, links: document.links.map(storedLink) });
  while (bytes > STORED_DOCUMENT_BYTES_MAX) {
    const link = document.links.pop();
    if (link === undefined) return;
    bytes -= bytesOf(storedLink(link));
    refused.add(null, link.label.ar ?? link.label.en ?? "", REASONS.large_page);
  }
}

const UNNAMED: Record<Locale, string> = { ar: "صفحة مستوردة", en: "Imported page" };

/** The host of a web address, else the number or address itself. */
export function labelOf(url: string): string {
  const { hostname, pathname } = new URL(parseLinkAddress(url) ?? "about:blank");
  return hostname.replace(/^www\./, "") || pathname;
}
