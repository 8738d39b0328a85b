/** Link ids of what a client sent, and what an edit changes. Pure, but new ids are random. */
import { ApiError } from "../http/api-error.ts";
import { utf8 } from "../http/bytes.ts";
import { newId } from "../http/new-id.ts";
import type { DocumentInput, PageDocument } from "../pages/document/page-document.ts";
import { documentOf, type Page } from "../pages/document/pages-store.ts";
import type { Change } from "../pages/document/revisions-store.ts";
import { DOCUMENT_BYTES_MAX, STORED_DOCUMENT_BYTES_MAX } from "./limits.ts";
import type { PageInput } from "./page-input.ts";

/**
 * The document with an id for each new link. Throws 400 where a link names an id that the page never
 * had: ids are made here, so that nobody can take over the counts of another link. Throws 413 for a
 * document that its owner could not send back: addresses are longer once they are parsed.
 *
 * @param known the ids of links that the page has or had
 */
export function withLinkIds(
  { links, ...document }: DocumentInput,
  known: ReadonlySet<string>,
): PageDocument {
  const issues = links.flatMap(({ link_id }, i) =>
    link_id === undefined || known.has(link_id)
      ? []
      : [{ path: `links.${i}.link_id`, message: "the page has no such link; a new one has no id" }],
  );
  if (issues.length > 0) throw new ApiError("VALIDATION_FAILED", { details: { issues } });
  const stored = {
    ...document,
    links: links.map((link) => ({ ...link, link_id: link.link_id ?? newId() })),
  };
  const bytes = utf8(JSON.stringify(stored)).length;
  if (bytes > STORED_DOCUMENT_BYTES_MAX) {
    throw new ApiError("PAYLOAD_TOO_LARGE", { details: { max_bytes: DOCUMENT_BYTES_MAX } });
  }
  return stored;
}

export function unknownLinks({ links }: DocumentInput, page: PageDocument): string[] {
  const there = new Set(page.links.map(({ link_id }) => link_id));
  return links.flatMap(({ link_id }) =>
    link_id === undefined || there.has(link_id) ? [] : [link_id],
  );
}

export function picturesOf({ avatar, links }: DocumentInput): string[] {
  const keys = [avatar, ...links.map(({ image }) => image)];
  return [...new Set(keys.filter((key) => key !== null))];
}

export function changesOf(
  before: Page,
  after: Pick<Page, "slug" | "status"> & { document: PageDocument },
): Change[] {
  const members = documentOf(before);
  const names = Object.keys(members) as (keyof PageDocument)[];
  return [
    ...(before.slug === after.slug ? [] : (["slug"] as const)),
    ...(before.status === after.status ? [] : (["status"] as const)),
    ...names.filter((name) => canonical(members[name]) !== canonical(after.document[name])),
  ];
}

/** Whether a page already is what a client wants; new links have got ids. */
export function isReflected(page: Page, { slug, status, ...input }: PageInput): boolean {
  const links = input.links.map((link, i) => ({
    ...link,
    link_id: link.link_id ?? page.links[i]?.link_id ?? "",
  }));
  return changesOf(page, { slug, status, document: { ...input, links } }).length === 0;
}

/** The order of an object's members does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
