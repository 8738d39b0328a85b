/** The panel has two lists, the row of icons and everything else; the page has one list of both. */
import { type Draft, type Link, withLinkAt } from "../draft.ts";

export interface Place {
  /** Counts from 0 in the link's list. */
  at: number;
  of: number;
}

export function listOf(links: readonly Link[], kind: Link["kind"]): Link[] {
  return links.filter((link) => (link.kind === "social") === (kind === "social"));
}

export function placeOf(links: readonly Link[], link_id: string): Place | null {
  const link = links.find((each) => each.link_id === link_id);
  if (link === undefined) return null;
  const list = listOf(links, link.kind);
  return { at: list.indexOf(link), of: list.length };
}

/** Places beyond the ends of the list are its ends. */
export function movedTo(draft: Draft, link_id: string, to: number): Draft {
  const { links } = draft;
  const link = links.find((each) => each.link_id === link_id);
  if (link === undefined) return draft;
  const list = listOf(links, link.kind);
  const at = Math.min(Math.max(to, 0), list.length - 1);
  if (list.indexOf(link) === at) return draft;
  const others = links.filter((each) => each !== link);
  const rest = list.filter((each) => each !== link);
  const next = rest[at];
  const last = rest.at(-1);
  const place = next === undefined ? others.indexOf(last ?? link) + 1 : others.indexOf(next);
  return withLinkAt(draft, link_id, place);
}
