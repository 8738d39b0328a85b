/**
 * Makes what is saved of the draft. A field that the service would refuse must not keep the others
 * from being saved: it is withheld, the last saved value is sent in its place, and the field says
 * why.
 */
import { parseLinkAddress } from "../../pages/document/link-address.ts";
import { defaultLocale } from "../../pages/document/page-words.ts";
import { isVisible, plainText } from "../../views/plain-text.ts";
import { isComplete } from "./blocks/new-block.ts";
import { type Contact, type Draft, hasAddress, isUnsaved, type Link } from "./draft.ts";

/**
 * Why a field is withheld. `empty` is not shown as an error: the creator has not filled the new
 * link yet; nor is `typed`: the address is being typed. `emptied` is one: visitors still get what
 * was there before.
 */
export type Reason =
  | "empty"
  | "emptied"
  | "typed"
  | "not_an_address"
  | "not_a_time"
  | "ends_before_it_begins";

/** The last second that the service accepts, in the year 3000. */
const TIME_MAX_S = 32_503_680_000;

export interface Wire {
  /** The service's spelling of texts and addresses. */
  draft: Draft;
  /** Keys are paths: `name.ar`, `links.<link_id>.url`. */
  withheld: ReadonlyMap<string, Reason>;
}

export function hasProblem(withheld: ReadonlyMap<string, Reason>): boolean {
  return [...withheld.values()].some((reason) => reason !== "empty" && reason !== "typed");
}

/** @param typed links whose addresses are being typed: visitors must not get half of one */
export function wireOf(draft: Draft, saved: Draft, typed: ReadonlySet<string> = NONE): Wire {
  const withheld = new Map<string, Reason>();
  const clean = cleaned(draft);
  const before = new Map(saved.links.map((link) => [link.link_id, link]));
  const links = clean.links.flatMap((link) => {
    const last = before.get(link.link_id);
    const wire = wireLink(link, last, withheld);
    if (!typed.has(link.link_id) || !hasAddress(link.kind)) return wire;
    if ((link.url ?? "") !== (last?.url ?? "")) withheld.set(`links.${link.link_id}.url`, "typed");
    return withLastAddress(wire, last);
  });
  const locale = defaultLocale(clean);
  const name = { ...clean.name };
  if (!isVisible(name[locale] ?? "")) {
    withheld.set(`name.${locale}`, "emptied");
    const last = saved.name[locale] ?? saved.name.ar ?? saved.name.en;
    if (last !== undefined) name[locale] = last;
  }
  return { draft: { ...clean, name, links }, withheld };
}

/** A PUT's body. New links have no `link_id`. */
export function bodyOf({ status, links, ...draft }: Draft): unknown {
  return {
    ...draft,
    ...(status === "suspended" ? {} : { status }),
    links: links.map(({ link_id, ...link }) => (isUnsaved(link_id) ? link : { link_id, ...link })),
  };
}

export function cleaned(draft: Draft): Draft {
  return {
    ...draft,
    name: texts(draft.name),
    bio: texts(draft.bio),
    contact: draft.contact && cleanContact(draft.contact),
    links: draft.links.map(cleanLink),
  };
}

/** Keys are links of the draft: with each key pressed, all but one are the ones before. */
const cleanLinks = new WeakMap<Link, Link>();

function cleanLink(link: Link): Link {
  const known = cleanLinks.get(link);
  if (known !== undefined) return known;
  const { alt = {}, ...members } = link;
  const { kind, url } = link;
  const image = kind === "card" ? link.image : null;
  const described = image === null ? {} : texts(alt);
  const clean = {
    ...members,
    label: texts(link.label),
    url: url === null || !hasAddress(kind) ? null : (parseLinkAddress(url) ?? url),
    image,
    ...(Object.keys(described).length === 0 ? {} : { alt: described }),
  };
  cleanLinks.set(link, clean);
  cleanLinks.set(clean, clean);
  return clean;
}

const NONE: ReadonlySet<string> = new Set();

function withLastAddress(wire: readonly Link[], last: Link | undefined): Link[] {
  if (last === undefined) return [];
  return wire.map((link) => ({ ...link, url: last.url }));
}

function wireLink(link: Link, saved: Link | undefined, withheld: Map<string, Reason>): Link[] {
  let wire = link;
  const path = (member: string) => `links.${link.link_id}.${member}`;
  if (hasAddress(link.kind) && !isAddress(link)) {
    const nothing = saved === undefined ? "empty" : "emptied";
    withheld.set(path("url"), (link.url ?? "").trim() === "" ? nothing : "not_an_address");
    if (saved === undefined) return [];
    if (!hasAddress(saved.kind)) return [saved];
    wire = { ...wire, url: saved.url };
  }
  if (!isComplete(link)) {
    withheld.set(path("block"), "empty");
    if (saved === undefined) return [];
    wire = { ...wire, block: saved.block };
  }
  // A year that is being typed is 0002 before it is 2026.
  for (const member of ["from", "until"] as const) {
    const second = link[member];
    if (second === null || (second >= 0 && second <= TIME_MAX_S)) continue;
    withheld.set(path(member), "not_a_time");
    wire = { ...wire, [member]: saved?.[member] ?? null };
  }
  if (wire.from !== null && wire.until !== null && wire.until <= wire.from) {
    withheld.set(path("until"), "ends_before_it_begins");
    wire = { ...wire, from: saved?.from ?? null, until: saved?.until ?? null };
  }
  return [wire];
}

const addresses = new WeakMap<Link, boolean>();

function isAddress(link: Link): boolean {
  const known = addresses.get(link);
  if (known !== undefined) return known;
  const is_address = parseLinkAddress(link.url ?? "") !== null;
  addresses.set(link, is_address);
  return is_address;
}

/** A language without a text has no member. */
function texts<T extends Record<string, string | undefined>>(by_locale: T): T {
  const clean = Object.entries(by_locale).map(([locale, text]) => [locale, clear(text ?? "")]);
  return Object.fromEntries(clean.filter(([, text]) => text !== "")) as T;
}

function cleanContact(contact: Contact): Contact {
  const list = (entries: readonly string[]) => entries.map(clear).filter((entry) => entry !== "");
  const line = (text: string | null) => clear(text ?? "") || null;
  return {
    name: clear(contact.name),
    organisation: line(contact.organisation),
    title: line(contact.title),
    phones: list(contact.phones),
    emails: list(contact.emails),
    address: line(contact.address),
    note: line(contact.note),
  };
}

/** Half of a surrogate pair becomes U+FFFD, as in the service. */
function clear(text: string): string {
  return plainText(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}
