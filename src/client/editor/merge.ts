/**
 * Three-way merge of a page that was changed here and elsewhere since the same version. Changes of
 * different fields are both kept. Where both changed one field, the creator chooses.
 */
import { type Draft, isSame, isUnsaved, type Link, withIds } from "./draft.ts";

/** One field or whole link with two new values. Null is the value of a removed link. */
export interface Conflict {
  /** `name.ar`, `look.palette`, `links.<link_id>.url`, `links.<link_id>`. */
  path: string;
  mine: unknown;
  theirs: unknown;
}

export interface Merged {
  /** My values stand where there is a conflict. */
  draft: Draft;
  conflicts: readonly Conflict[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Keeps the changes of both since `base`. Lists other than the links are one field as a whole. */
export function merge(base: Draft, mine: Draft, theirs: Draft): Merged {
  const conflicts: Conflict[] = [];
  const [{ links: l0, ...b }, { links: l1, ...m }, { links: l2, ...t }] = [base, mine, theirs];
  const fields = mergeFields(b, m, t, "", conflicts) as Omit<Draft, "links">;
  return { draft: { ...fields, links: mergeLinks(l0, l1, l2, conflicts) }, conflicts };
}

export interface Arrived {
  /** The base of a merge with `theirs`: what I sent is no change of somebody else. */
  base: Draft;
  /** New ids of my links that are there, found by their content, by their old ids. */
  ids: ReadonlyMap<string, string>;
}

/**
 * Finds my own changes in a page that comes from elsewhere.
 *
 * @param base what the drafts of `sent` were based on
 * @param sent drafts of mine; any of them may have been saved
 */
export function arrived(base: Draft, sent: readonly Draft[], theirs: Draft): Arrived {
  const ids = arrivedLinks(base, sent, theirs);
  const mine = sent.map((draft) => withIds(draft, ids));
  // New links, and those that an undo brought back.
  const isAdded = (link: Link) =>
    mine.some(({ links }) => links.some((each) => isSame(each, link)));
  const known_ids = byId(base.links);
  const added = theirs.links.filter((link) => !known_ids.has(link.link_id) && isAdded(link));
  const [before, there] = [byId([...base.links, ...added]), byId(theirs.links)];
  const links = new Map<string, Link>();
  for (const [id, link] of before) {
    const known = arrivedValue(
      link,
      mine.map((draft) => byId(draft.links).get(id)),
      there.get(id),
    );
    if (known !== undefined) links.set(id, known as Link);
  }
  const order = (of: Draft) => of.links.map(({ link_id }) => link_id).join();
  const is_my_order = mine.some((draft) => order(draft) === order(theirs));
  const [first, second] = is_my_order ? [theirs, base] : [base, theirs];
  return {
    base: {
      ...(arrivedValue(
        { ...base, links: null },
        mine.map((draft) => ({ ...draft, links: null })),
        { ...theirs, links: null },
      ) as Draft),
      links: placed(first.links, second.links, links),
    },
    ids,
  };
}

/** `theirs` if I sent that, else `base`. */
function arrivedValue(base: unknown, sent: readonly unknown[], theirs: unknown): unknown {
  if (isSame(base, theirs)) return base;
  if (sent.some((value) => isSame(value, theirs))) return theirs;
  if (!isFields(base) || !isFields(theirs)) return base;
  const mine = sent.filter(isFields);
  const members = [...new Set([...Object.keys(base), ...Object.keys(theirs)])].flatMap((name) => {
    const values = mine.map((fields) => fields[name]);
    const value = arrivedValue(base[name], values, theirs[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(members);
}

function arrivedLinks(
  base: Draft,
  sent: readonly Draft[],
  theirs: Draft,
): ReadonlyMap<string, string> {
  const before = byId(base.links);
  const unknown = new Set(theirs.links.filter(({ link_id }) => !before.has(link_id)));
  const ids = new Map<string, string>();
  for (const link of sent.flatMap(({ links }) => links)) {
    if (!isUnsaved(link.link_id) || ids.has(link.link_id)) continue;
    const there = [...unknown].find((each) => isSameContent(each, link));
    if (there === undefined) continue;
    unknown.delete(there);
    ids.set(link.link_id, there.link_id);
  }
  return ids;
}

/** Keeps my values as typed: a text may end in a space. `clean` is `typed` as it is saved. */
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
  conflicts: Conflict[],
): Link[] {
  const [before, here, there] = [byId(base), byId(mine), byId(theirs)];
  const merged = new Map<string, Link>();
  for (const id of new Set([...here.keys(), ...there.keys()])) {
    const link = mergeLink(id, [before.get(id), here.get(id), there.get(id)], conflicts);
    if (link !== null) merged.set(id, link);
  }
  return isReordered(base, mine) ? placed(mine, theirs, merged) : placed(theirs, mine, merged);
}

function mergeLink(
  id: string,
  [base, mine, theirs]: readonly [Link | undefined, Link | undefined, Link | undefined],
  conflicts: Conflict[],
): Link | null {
  const path = `links.${id}`;
  if (mine !== undefined && theirs !== undefined) {
    return mergeValue([base ?? {}, mine, theirs], path, conflicts) as Link;
  }
  const left = mine ?? theirs;
  if (base === undefined) return left ?? null;
  if (left === undefined || isSame(left, base)) return null;
  conflicts.push({ path, mine: mine ?? null, theirs: theirs ?? null });
  return mine ?? null;
}

function isSameContent({ link_id: _, ...a }: Link, { link_id: __, ...b }: Link): boolean {
  return isSame(a, b);
}

/** Keeps the order of `first`; each link that only `second` has follows the one before it. */
function placed(
  first: readonly Link[],
  second: readonly Link[],
  links: ReadonlyMap<string, Link>,
): Link[] {
  const order = first.map(({ link_id }) => link_id).filter((id) => links.has(id));
  const known = new Set(order);
  let previous: string | null = null;
  for (const { link_id } of second) {
    if (links.has(link_id) && !known.has(link_id)) {
      order.splice(previous === null ? 0 : order.indexOf(previous) + 1, 0, link_id);
      known.add(link_id);
    }
    if (known.has(link_id)) previous = link_id;
  }
  return order.flatMap((id) => links.get(id) ?? []);
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
