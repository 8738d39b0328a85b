import { type Draft, isSame, type Link } from "../draft.ts";

/** A whole link that one version lacks has the value null there. */
export interface Difference {
  /** The path of a `Conflict`, or `order` for the order of links that both have. */
  path: string;
  old: unknown;
  now: unknown;
}

/** Their members are compared: the texts of each language, and the fields of a link. */
const NESTED = new Set(["name", "bio", "label", "contact", "look"]);
/** They stay as they are when a version is restored. */
const KEPT = new Set(["slug", "status", "links"]);

export function differencesOf(old: Draft, now: Draft): Difference[] {
  const names = (Object.keys(now) as (keyof Draft)[]).filter((name) => !KEPT.has(name));
  const fields = names.flatMap((name) => compare(name, name, old[name], now[name]));
  return [...fields, ...compareLinks(old.links, now.links)];
}

function compare(path: string, name: string, old: unknown, now: unknown): Difference[] {
  if (isSame(old, now)) return [];
  if (!NESTED.has(name) || old === null || now === null) return [{ path, old, now }];
  const [a, b] = [new Map(Object.entries(old ?? {})), new Map(Object.entries(now ?? {}))];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((member) =>
    compare(`${path}.${member}`, member, a.get(member), b.get(member)),
  );
}

function compareLinks(old: readonly Link[], now: readonly Link[]): Difference[] {
  const [before, after] = [byId(old), byId(now)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].flatMap((id): Difference[] => {
    const path = `links.${id}`;
    const [a, b] = [before.get(id), after.get(id)];
    if (a === undefined || b === undefined) return [{ path, old: a ?? null, now: b ?? null }];
    const members = Object.keys(b) as (keyof Link)[];
    return members.flatMap((name) => compare(`${path}.${name}`, name, a[name], b[name]));
  });
  const order = (links: readonly Link[], others: ReadonlyMap<string, Link>) =>
    links.map(({ link_id }) => link_id).filter((id) => others.has(id));
  const [a, b] = [order(old, after), order(now, before)];
  return isSame(a, b) ? changed : [...changed, { path: "order", old: null, now: null }];
}

function byId(links: readonly Link[]): ReadonlyMap<string, Link> {
  return new Map(links.map((link) => [link.link_id, link]));
}
