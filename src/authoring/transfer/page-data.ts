/**
 * Links in the JSON of a page's scripts. A service's known shape is read by its names; of any other only the one list
 * counts whose addresses the page's own links have, because a page's JSON has other people's advertising too.
 */
import type { Bilingual } from "../../views/bilingual.ts";
import { excerptOf, listOf, objectOf, parseForeign, textOf } from "./foreign-json.ts";
import { REASONS } from "./import-reasons.ts";
import { PAGE_DATA_DEPTH_MAX } from "./limits.ts";
import type { Markup } from "./page-markup.ts";

export interface DataEntry {
  kind: "link" | "heading" | "social";
  label: string;
  /** The address as it is written; `''` for none. */
  url: string;
  /** What the page says, for a remark. */
  shown: string;
  /** The address of its small picture, or `''`. */
  thumbnail: string;
  /** A group without a title needs no heading. */
  is_group: boolean;
  /** Whether what is in it is left out. */
  is_too_deep?: boolean;
  /** Why it is left out, or null. */
  fault: Bilingual | null;
}

export interface DataPage {
  slug: string;
  name: string;
  bio: string;
  pictures: string[];
  entries: DataEntry[];
}

const GROUPS_MAX = 4;

type Fields = Readonly<Record<string, unknown>>;

/** The JSON of the page's scripts; what cannot be read is left out. */
export function dataOf({ scripts }: Pick<Markup, "scripts">): {
  linked: Fields[];
  other: Fields[];
} {
  const linked: Fields[] = [];
  const other: Fields[] = [];
  for (const { is_linked_data, json } of scripts) {
    try {
      const value = parseForeign(json);
      const all = listOf(value) ?? [value];
      (is_linked_data ? linked : other).push(...all.map(objectOf));
    } catch {
      // A page without this script may still have links.
    }
  }
  return { linked, other };
}

/**
 * A page of Next.js with `links` under `props.pageProps` or its `account`, as Linktree's; null where none of them has an
 * address.
 */
export function profileIn(data: Fields): DataPage | null {
  const props = objectOf(objectOf(data.props).pageProps);
  const account = objectOf(props.account);
  const links = listOf(props.links) ?? listOf(account.links);
  if (links === null) return null;
  const text = (key: string) => textOf(account[key]) || textOf(props[key]);
  const page: DataPage = {
    slug: text("username"),
    name: text("pageTitle").replace(/^@/, ""),
    bio: text("description"),
    pictures: ["customAvatar", "profilePictureUrl"].map(text).filter((address) => address !== ""),
    entries: flat(links, 1),
  };
  const socials = listOf(props.socialLinks) ?? listOf(account.socialLinks) ?? [];
  page.entries.push(...inOrder(socials).map(socialEntry));
  return page.entries.some(({ url }) => url !== "") ? page : null;
}

function flat(entries: readonly unknown[], depth: number): DataEntry[] {
  return inOrder(entries).flatMap((value) => {
    const fields = objectOf(value);
    // Some lists name their children by id alone, and have them beside.
    const inner = (listOf(fields.links) ?? listOf(fields.children) ?? []).filter(
      (each) => typeof each === "object",
    );
    const entry = linkEntry(value, inner.length > 0);
    if (inner.length === 0) return [entry];
    if (depth < GROUPS_MAX) return [entry, ...flat(inner, depth + 1)];
    return [{ ...entry, is_too_deep: true }];
  });
}

/** By `position`, where all have one. */
function inOrder(entries: readonly unknown[]): readonly unknown[] {
  const at = (value: unknown) => objectOf(value).position;
  if (!entries.every((value) => typeof at(value) === "number")) return entries;
  return entries.toSorted((a, b) => Number(at(a)) - Number(at(b)));
}

function linkEntry(value: unknown, is_group: boolean): DataEntry {
  const { title, url, type, thumbnail, context } = objectOf(value);
  const label = textOf(title);
  const address = textOf(url) || documentIn(objectOf(context));
  const of_all = { label, shown: excerptOf(value), thumbnail: textOf(thumbnail), is_group };
  if (textOf(type) === "HEADER" || (is_group && address === "")) {
    return { ...of_all, kind: "heading", url: "", fault: label === "" ? REASONS.no_text : null };
  }
  const missing = label === "" ? REASONS.not_object : REASONS.no_counterpart;
  return { ...of_all, kind: "link", url: address, fault: address === "" ? missing : null };
}

/** A file that the page offers stands in JSON within the JSON. */
function documentIn({ data }: Fields): string {
  try {
    return textOf(objectOf(parseForeign(textOf(data))).documentUrl);
  } catch {
    return "";
  }
}

/** `{type: "EMAIL_ADDRESS", url}`. */
function socialEntry(value: unknown): DataEntry {
  const { type, url } = objectOf(value);
  const name = textOf(type).toLowerCase().replaceAll("_", " ");
  const address = textOf(url);
  return {
    ...{ kind: "social", label: name.charAt(0).toUpperCase() + name.slice(1), url: address },
    ...{ shown: address || textOf(type), thumbnail: "", is_group: false, fault: null },
  };
}

/** Names of members that hold no part of a page's own content. */
const FOREIGN =
  /statsig|experiment|feature|flags?$|config|^ads?$|advert|sponsor|affiliate|recommend|related|i18n|translation|messages|analytics|theme/i;
const TITLES = ["title", "label", "name", "text"] as const;
const ADDRESSES = ["url", "href", "link"] as const;

/**
 * The longest list of titles with web addresses of which the page's own links have at least one; of a page without
 * links, the longest.
 *
 * @param hrefs of the page's own links, as `URL.href`
 */
export function longestList(values: readonly Fields[], hrefs: ReadonlySet<string>): DataEntry[] {
  let longest: DataEntry[] = [];
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > PAGE_DATA_DEPTH_MAX) return;
    if (Array.isArray(value)) {
      const entries = value.map(titled).filter((entry) => entry !== null);
      const isOwn = hrefs.size === 0 || entries.some(({ url }) => hrefs.has(url));
      if (entries.length > longest.length && isOwn) longest = entries;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (!FOREIGN.test(key)) look(inner, depth + 1);
    }
  };
  for (const value of values) look(value, 1);
  return longest;
}

function titled(value: unknown): DataEntry | null {
  const fields = objectOf(value);
  const [label] = TITLES.map((name) => textOf(fields[name])).filter((text) => text !== "");
  const address = ADDRESSES.map((name) => textOf(fields[name])).find((text) =>
    /^https?:\/\//i.test(text),
  );
  const url = address === undefined ? null : URL.parse(address);
  if (label === undefined || url === null) return null;
  const rest = { thumbnail: "", is_group: false, fault: null };
  return { kind: "link", label, url: url.href, shown: `${label} ${url.href}`, ...rest };
}

export interface LinkedData {
  name: string;
  bio: string;
  picture: string;
  /** Addresses of the same person elsewhere. */
  same_as: string[];
}

/** What schema.org's JSON-LD says of the person that the page is of. */
export function personIn(values: readonly Fields[]): LinkedData | null {
  const all = values.flatMap((value) => [
    value,
    objectOf(value.mainEntity),
    ...(listOf(value["@graph"]) ?? []).map(objectOf),
  ]);
  const person = all.find((value) => /^(?:Person|Organization|MusicGroup)$/.test(typeOf(value)));
  if (person === undefined) return null;
  const [image] = listOf(person.image) ?? [person.image];
  return {
    name: textOf(person.name).replace(/^@/, ""),
    bio: textOf(person.description),
    picture: textOf(image) || textOf(objectOf(image).url),
    same_as: (listOf(person.sameAs) ?? [person.sameAs]).map(textOf).filter((url) => url !== ""),
  };
}

function typeOf(value: Fields): string {
  const [type] = listOf(value["@type"]) ?? [value["@type"]];
  return textOf(type);
}
