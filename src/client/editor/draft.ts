/**
 * What a creator may change of a page, as it stands in the editor. It has the form of the document
 * (docs/contract.md section 10), so that the page's own component can show it.
 */
import type { Link, LinkKind, PageDocument } from "../../pages/document/page-document.ts";

export type { ByLocale, Contact, Link, LinkKind } from "../../pages/document/page-document.ts";

export interface Draft extends PageDocument {
  slug: string;
  status: "draft" | "published" | "suspended";
}

/** The page as the API answers it. Times are ISO 8601. */
export interface SavedPage extends Draft {
  page_id: string;
  version: number;
  created_at: string;
  updated_at: string;
  ends_at: string | null;
}

/** Begins the ids of links that are not saved yet. Ids that the service makes have no colon. */
const UNSAVED = "new:";

export function isUnsaved(link_id: string): boolean {
  return link_id.startsWith(UNSAVED);
}

export function newLink(kind: LinkKind, members: Partial<Link> = {}): Link {
  return {
    link_id: UNSAVED + crypto.randomUUID(),
    kind,
    label: {},
    url: null,
    enabled: true,
    from: null,
    until: null,
    highlight: false,
    image: null,
    ...members,
  };
}

export function hasAddress(kind: LinkKind): boolean {
  return kind === "link" || kind === "card" || kind === "social";
}

export function draftOf(page: SavedPage): Draft {
  const { page_id, version, created_at, updated_at, ends_at, ...draft } = page;
  return draft;
}

export function withLink(draft: Draft, link_id: string, change: (link: Link) => Link): Draft {
  return {
    ...draft,
    links: draft.links.map((link) => (link.link_id === link_id ? change(link) : link)),
  };
}

/** `to` is the place in the list without the link. */
export function withLinkAt(draft: Draft, link_id: string, to: number): Draft {
  const moved = draft.links.find((link) => link.link_id === link_id);
  if (moved === undefined) return draft;
  const others = draft.links.filter((link) => link !== moved);
  return { ...draft, links: [...others.slice(0, to), moved, ...others.slice(to)] };
}

export function withIds(draft: Draft, ids: ReadonlyMap<string, string>): Draft {
  if (ids.size === 0) return draft;
  const links = draft.links.map((link) => {
    const link_id = ids.get(link.link_id);
    return link_id === undefined ? link : { ...link, link_id };
  });
  return { ...draft, links };
}

/** Members may have any order. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  if (left.size !== right.size) return false;
  return [...left].every(([name, value]) => right.has(name) && isSame(value, right.get(name)));
}
