/** Pages as tests and the demo write them, shorter than the document that is stored. */
import type { Contact, Link, PageDocument } from "../src/pages/document/page-document.ts";
import { documentOf, insertPage, type Page } from "../src/pages/document/pages-store.ts";
import { addRevision } from "../src/pages/document/revisions-store.ts";
import type { Locale } from "../src/views/locale.ts";
import { type Look, USUAL_LOOK } from "../src/views/look-values.ts";

/** A page in one language; a text instead of a record is in that language. */
export interface PlainPage
  extends Partial<Omit<Page, "name" | "bio" | "look" | "links" | "contact">> {
  page_id: string;
  locale?: Locale;
  name?: string | PageDocument["name"];
  bio?: string | PageDocument["bio"];
  look?: Partial<Look>;
  contact?: Partial<Contact> | null;
  links?: readonly PlainLink[];
}

type PlainLink = Partial<Omit<Link, "label">> & {
  link_id: string;
  label?: string | Link["label"];
};

const NO_CONTACT: Contact = {
  name: "",
  organisation: null,
  title: null,
  phones: [],
  emails: [],
  address: null,
  note: null,
};

export function plainPage(plain: PlainPage): Page {
  const {
    locale = plain.locales?.[0] ?? "ar",
    name = "",
    bio = "",
    look,
    contact,
    ...rest
  } = plain;
  const inLocale = (text: string | PageDocument["name"]) =>
    typeof text === "string" ? { [locale]: text } : text;
  const at = plain.updated_at ?? 0;
  return {
    owner_id: null,
    slug: plain.page_id,
    status: "published",
    ends_at: null,
    version: 1,
    created_at: at,
    updated_at: at,
    locales: [locale],
    time_zone: "UTC",
    indexed: true,
    avatar: null,
    ...rest,
    name: inLocale(name),
    bio: inLocale(bio),
    look: { ...USUAL_LOOK, ...look },
    contact: contact ? { ...NO_CONTACT, ...contact } : null,
    links: (plain.links ?? []).map(({ label = "", ...link }) => ({
      kind: "link",
      url: null,
      enabled: true,
      from: null,
      until: null,
      highlight: false,
      image: null,
      ...link,
      label: inLocale(label),
    })),
  };
}

/** The column `document` of a page without anything on it. */
export const EMPTY_DOCUMENT = JSON.stringify(documentOf(plainPage({ page_id: "empty" })));

/** A page that exists is left alone. Unlike a creator's save, it is announced to nobody. */
export async function storePage(
  db: Pick<D1Database, "batch" | "prepare">,
  page: Page,
): Promise<void> {
  const database = db as D1Database;
  const save_id = crypto.randomUUID();
  const save = { ...page, save_id, document: documentOf(page) };
  await db.batch([
    insertPage(database, save, { pages_max: null, source: null }, page.updated_at),
    ...addRevision(database, page.page_id, save_id, ["created"], page.updated_at),
  ]);
}

/** SQL that changes members of one link in the document of page ?1, as a save does. */
export function editLinkSql(link_id: string, members: Partial<Link>): string {
  return withLinks(
    `json(CASE WHEN value ->> 'link_id' = '${link_id}'
       THEN json_patch(value, '${JSON.stringify(members)}') ELSE value END)`,
    "true",
  );
}

export function removeLinkSql(link_id: string): string {
  return withLinks("json(value)", `value ->> 'link_id' <> '${link_id}'`);
}

export function addLinkSql(link_id: string, url: string): string {
  const [link] = plainPage({ page_id: "", links: [{ link_id, url }] }).links;
  return `UPDATE pages SET version = version + 1,
    document = json_insert(document, '$.links[#]', json('${JSON.stringify(link)}')) WHERE page_id = ?1`;
}

function withLinks(link: string, condition: string): string {
  return `UPDATE pages SET version = version + 1, document = json_set(document, '$.links',
    (SELECT json_group_array(${link}) FROM json_each(document, '$.links') WHERE ${condition}))
    WHERE page_id = ?1`;
}
