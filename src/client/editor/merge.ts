/**
 * Three-way merge of a page that was changed here and elsewhere since the same version. Changes of
 * different fields are both kept. Where both changed one field, the creator chooses.
 */
import { type Draft, isSame, isUnsaved, type Link } from "./draft.ts";

/** One field, or one whole link, with two new values. A link that was removed has the value null. */
export interface Conflict {
  /** `name.ar`, `look.palette`, `links.<link_id>.url`, `links.<link_id>`. */
  path: string;
  mine: unknown;
  theirs: unknown;
}

export interface Merged {
  /** With my values where there is a conflict. */
  draft: Draft;
  conflicts: readonly Conflict[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The changes of both since `base`. Lists other than the links are one field as a whole.
 *
 * @param own links of `theirs` that I added, as I sent them: for them it is the base
 */
export function merge(base: Draft, mine: Draft, theirs: Draft, own: readonly Link[] = []): Merged {
  const conflicts: Conflict[] = [];
  const [{ links: l0, ...b }, { links: l1, ...m }, { links: l2, ...t }] = [base, mine, theirs];
  const fields = mergeFields(b, m, t, "", conflicts) as Omit<Draft, "links">;
  return { draft: { ...fields, links: mergeLinks(l0, l1, l2, own, conflicts) }, conflicts };
}

/**
 * New links of mine that `page` has although the answer to their save was lost, as they were sent, each with
 * the id that the page gave it. They are found by their content.
 *
 * @param sent new links with the ids that they have in my draft; the latest version last
 *
 * @param base what the drafts of `sent` were based on
 */
export function arrivedLinks(
  sent: readonly Link[],
  base: Draft,
  page: Draft,
): { ids: ReadonlyMap<string, string>; own: readonly Link[] } {
  const before = byId(base.links);
  const arrived = new Set(page.links.filter(({ link_id }) => !before.has(link_id)));
  const ids = new Map<string, string>();
  const own: Link[] = [];
  for (const link of sent) {
    const there = [...arrived].find((each) => isSameContent(each, link));
    if (there === undefined || ids.has(link.link_id)) continue;
    arrived.delete(there);
    ids.set(link.link_id, there.link_id);
    own.push(there);
  }
  return { ids, own };
}

/**
 * The merged draft with the values that are mine as they stand in the fields: a text that is being typed
 * may end in a space.
 *
 * @param clean my side of the merge, which is `typed` as it is saved
 */
export function asTyped(merged: Draft, clean: Draft, typed: Draft): Draft {
  const [before, mine] = [byId(clean.links), byId(typed.links)];
  const fields = typedValue(merged, clean, typed) as Draft;
  const links = merged.links.map(
    (link) => typedValue(link, before.get(link.link_id), mine.get(link.link_id)) as Link,
  );
  return { ...fields, links };
}

function typedValue(merged: unknown, clean: unknown, typed: unknown): unknown {
  if (isSame(merged, clean)) return typed;
  if (!isFields(merged) || !isFields(clean) || !isFields(typed)) return merged;
  const members = Object.entries(merged).map(([name, value]) => [
    name,
    typedValue(value, clean[name], typed[name]),
  ]);
  return Object.fromEntries(members);
}

/** The draft with another value for the field of a conflict. */
export function resolved(draft: Draft, { path }: Conflict, value: unknown): Draft {
  const [top = "", ...rest] = path.split(".");
  if (top !== "links") return withField(draft, [top, ...rest], value) as Draft;
  const [link_id = "", ...members] = rest;
  if (members.length > 0) {
    const links = draft.links.map((link) =>
      link.link_id === link_id ? (withField(link, members, value) as Link) : link,
    );
    return { ...draft, links };
  }
  const others = draft.links.filter((link) => link.link_id !== link_id);
  if (value === null) return { ...draft, links: others };
  const at = draft.links.findIndex((link) => link.link_id === link_id);
  const place = at === -1 ? others.length : at;
  return { ...draft, links: [...others.slice(0, place), value as Link, ...others.slice(place)] };
}

function withField(value: unknown, [name = "", ...rest]: readonly string[], to: unknown): unknown {
  const fields: Record<string, unknown> = isFields(value) ? { ...value } : {};
  const next = rest.length === 0 ? to : withField(fields[name], rest, to);
  if (next === undefined) delete fields[name];
  else fields[name] = next;
  return fields;
}

function mergeValue(
  [base, mine, theirs]: readonly [unknown, unknown, unknown],
  path: string,
  conflicts: Conflict[],
): unknown {
  if (isSame(mine, theirs) || isSame(theirs, base)) return mine;
  if (isSame(mine, base)) return theirs;
  if (isFields(base) && isFields(mine) && isFields(theirs)) {
    return mergeFields(base, mine, theirs, `${path}.`, conflicts);
  }
  conflicts.push({ path, mine, theirs });
  return mine;
}

function mergeFields(
  base: Fields,
  mine: Fields,
  theirs: Fields,
  prefix: string,
  conflicts: Conflict[],
): Fields {
  const merged: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const value = mergeValue([base[name], mine[name], theirs[name]], prefix + name, conflicts);
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mergeLinks(
  base: readonly Link[],
  mine: readonly Link[],
  theirs: readonly Link[],
  own: readonly Link[],
  conflicts: Conflict[],
): Link[] {
  const [before, here, there] = [byId([...base, ...own]), byId(mine), byId(theirs)];
  const arrived = theirs.filter(({ link_id }) => !before.has(link_id));
  const merged = new Map<string, Link>();
  for (const id of new Set([...here.keys(), ...there.keys()])) {
    const link = mergeLink(id, [before.get(id), here.get(id), there.get(id)], arrived, conflicts);
    if (link !== null) merged.set(id, link);
  }
  return inOrder(base, mine, theirs, merged);
}

function mergeLink(
  id: string,
  [base, mine, theirs]: readonly [Link | undefined, Link | undefined, Link | undefined],
  arrived: readonly Link[],
  conflicts: Conflict[],
): Link | null {
  const path = `links.${id}`;
  if (mine !== undefined && theirs !== undefined) {
    return mergeValue([base ?? {}, mine, theirs], path, conflicts) as Link;
  }
  if (base === undefined) {
    // The answer to a save may be lost. Then my new link is already there, under its lasting id.
    const isThere =
      mine !== undefined && isUnsaved(id) && arrived.some((link) => isSameContent(link, mine));
    return isThere ? null : (mine ?? theirs ?? null);
  }
  const left = mine ?? theirs;
  if (left === undefined || isSame(left, base)) return null;
  conflicts.push({ path, mine: mine ?? null, theirs: theirs ?? null });
  return mine ?? null;
}

function isSameContent({ link_id: _, ...a }: Link, { link_id: __, ...b }: Link): boolean {
  return isSame(a, b);
}

/** My order if I changed it, else theirs; each link of the other list follows the one before it. */
function inOrder(
  base: readonly Link[],
  mine: readonly Link[],
  theirs: readonly Link[],
  merged: ReadonlyMap<string, Link>,
): Link[] {
  const [first, second] = isReordered(base, mine) ? [mine, theirs] : [theirs, mine];
  const order = first.map(({ link_id }) => link_id).filter((id) => merged.has(id));
  const placed = new Set(order);
  let previous: string | null = null;
  for (const { link_id } of second) {
    if (merged.has(link_id) && !placed.has(link_id)) {
      order.splice(previous === null ? 0 : order.indexOf(previous) + 1, 0, link_id);
      placed.add(link_id);
    }
    if (placed.has(link_id)) previous = link_id;
  }
  return order.flatMap((id) => merged.get(id) ?? []);
}

function isReordered(base: readonly Link[], links: readonly Link[]): boolean {
  const [before, after] = [byId(base), byId(links)];
  const kept = base.filter(({ link_id }) => after.has(link_id));
  const now = links.filter(({ link_id }) => before.has(link_id));
  return kept.some(({ link_id }, i) => link_id !== now[i]?.link_id);
}

function byId(links: readonly Link[]): ReadonlyMap<string, Link> {
  return new Map(links.map((link) => [link.link_id, link]));
}
