/**
 * Reads a page elsewhere, saved as a file or fetched (`fetch-page.ts`): JSON in its scripts, else its links with
 * their texts. Nothing is invented: a link without a text gets its host, an icon the name of its service. Pictures
 * are addresses, and not fetched here (docs/security.md S27).
 */
import { destinationOf } from "../../pages/document/destination.ts";
import { LINK_LABEL_CHARS_MAX } from "../../pages/document/limits.ts";
import { parseLinkAddress } from "../../pages/document/link-address.ts";
import { withoutTracking } from "../../pages/document/tracking.ts";
import type { Locale } from "../../views/locale.ts";
import { isVisible, truncated } from "../../views/plain-text.ts";
import { REASONS } from "./import-reasons.ts";
import { ForeignPage, type ImportedPage, labelOf } from "./imported-page.ts";
import { isOfService } from "./of-service.ts";
import { type DataEntry, dataOf, longestList, personIn, profileIn } from "./page-data.ts";
import { type Anchor, type Markup, readMarkup } from "./page-markup.ts";
import { withScheme } from "./with-scheme.ts";

export interface ReadPage {
  imported: ImportedPage;
  /** The page's own name; `''` where it has none. */
  own_name: string;
  /** Addresses of its picture, the best first. */
  picture_addresses: string[];
  title: string;
  asks_password: boolean;
}

/**
 * Rejects with {@link ImportRefused} where the markup cannot be read. A page without links has none in
 * `document.links`.
 *
 * @param address where the page is; null for a file, which may say so itself
 */
export async function fromPage(html: string, address: URL | null): Promise<ReadPage> {
  const markup = await readMarkup(html);
  const at = address ?? addressIn(markup);
  const data = dataOf(markup);
  const profile = data.other.map(profileIn).find((found) => found !== null) ?? null;
  const person = personIn(data.linked);
  const page = new ForeignPage();
  page.slug = profile === null ? slugIn(at) : profile.slug || null;
  // A profile without a name is called by its user's, which is its slug.
  page.name = profile?.name || person?.name || (profile === null ? nameIn(markup) : "");
  page.bio = profile?.bio ?? (person?.bio || bioIn(markup));
  const own = [markup.avatar, person?.picture ?? "", markup.meta.get("og:image") ?? ""];
  const picture_addresses = picturesOf([...(profile?.pictures ?? []), ...own], baseOf(markup, at));
  const [picture] = picture_addresses;
  if (picture !== undefined) page.notes.add(null, picture, REASONS.picture_not_fetched);
  if (profile !== null) addEntries(page, profile.entries);
  else addLinks(page, markup, at, data.other, person?.same_as ?? []);
  const { title, asks_password } = markup;
  return {
    imported: page.finish(),
    own_name: page.name || (profile?.slug ?? ""),
    picture_addresses,
    title,
    asks_password,
  };
}

/** The links of the markup; those of the JSON if it has more. */
function addLinks(
  page: ForeignPage,
  markup: Markup,
  at: URL | null,
  data: Parameters<typeof longestList>[0],
  same_as: readonly string[],
): void {
  const found = linksIn(page, markup, at);
  const list = longestList(data, new Set(found.map(({ url }) => url)));
  const locale = /\p{Script=Arabic}/u.test(page.name + found.map(({ text }) => text).join(""))
    ? "ar"
    : "en";
  const icons = found.filter(({ is_icon }) => is_icon).map(({ url }) => url);
  if (list.length > found.length - icons.length) {
    addEntries(page, list);
    for (const url of icons) addIcon(page, url, locale);
  } else {
    for (const [i, { url, text, is_icon }] of found.entries()) {
      if (is_icon) addIcon(page, url, locale, i + 1);
      else page.add(i + 1, text, { label: labelFor(page, text, url), url });
    }
  }
  const known = new Set(icons);
  for (const address of same_as) {
    const url = cleaned(address);
    if (url === null || known.has(url) || found.some((link) => link.url === url)) continue;
    known.add(url);
    if (isKnown(url)) addIcon(page, url, locale);
  }
}

function addEntries(page: ForeignPage, entries: readonly DataEntry[]): void {
  for (const [i, entry] of entries.entries()) {
    addEntry(page, i + 1, entry);
    if (entry.is_too_deep) page.refused.add(i + 1, entry.shown, REASONS.nested);
  }
}

function addEntry(page: ForeignPage, line: number, entry: DataEntry): void {
  const { kind, label, url, shown, thumbnail, is_group, fault } = entry;
  if (fault !== null) {
    if (!is_group) page.refused.add(line, shown, fault);
    return;
  }
  if (kind === "heading") {
    page.add(line, shown, { kind, label });
    return;
  }
  const address = cleaned(url);
  if (address === null) {
    page.refused.add(line, shown, REASONS.bad_address);
    return;
  }
  page.add(line, shown, { kind, label: labelFor(page, label, address), url: address });
  if (thumbnail !== "") page.notes.add(line, thumbnail, REASONS.picture_not_fetched);
}

interface FoundLink {
  /** As `URL.href`, without tracking. */
  url: string;
  text: string;
  is_icon: boolean;
}

/** The page's own links, each address once. Its service's links are refused. */
function linksIn(page: ForeignPage, markup: Markup, at: URL | null): FoundLink[] {
  const base = baseOf(markup, at);
  const found = new Map<string, FoundLink>();
  for (const [i, anchor] of markup.anchors.entries()) {
    const { href } = anchor;
    // A menu of sections, a button of a script, a template that was not filled in.
    if (href === "" || href.startsWith("#") || /^javascript:/i.test(href)) continue;
    const address = absolute(href, base);
    const link = address === null ? null : URL.parse(address);
    const text = anchor.text || anchor.alt;
    if (link !== null && isOfService(link, text, at)) {
      page.refused.add(i + 1, `${text} ${link.href}`, REASONS.of_service);
      continue;
    }
    const url = address === null ? null : cleaned(address);
    if (url === null) page.refused.add(i + 1, `${text} ${href}`, REASONS.bad_address);
    else {
      const known = found.get(url);
      const is_icon = isIcon(anchor, url);
      if (known === undefined) found.set(url, { url, text, is_icon });
      else if (known.is_icon && !is_icon) found.set(url, { url, text, is_icon });
      else known.text ||= text;
    }
  }
  return [...found.values()];
}

/** Without a text of its own, to a site that has an icon. */
function isIcon({ text, has_picture }: Anchor, url: string): boolean {
  if (!isKnown(url)) return false;
  const letters = (words: string) => words.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const { ar, en } = destinationOf(url).name;
  const names = [ar, en].map(letters);
  return text === "" || (has_picture && names.includes(letters(text)));
}

function isKnown(url: string): boolean {
  return destinationOf(url).icon !== "web";
}

function addIcon(page: ForeignPage, url: string, locale: Locale, line: number | null = null): void {
  page.add(line, url, { kind: "social", label: destinationOf(url).name[locale], url });
}

function labelFor(page: ForeignPage, text: string, url: string): string {
  const label = truncated(text, LINK_LABEL_CHARS_MAX);
  if (label.endsWith("…") && !text.trim().endsWith("…"))
    page.notes.add(null, text, REASONS.shortened);
  return isVisible(label) ? label : labelOf(url);
}

/** An address as a page here may have it, or null. */
function cleaned(address: string): string | null {
  const url = parseLinkAddress(withScheme(address) ?? "");
  return url === null ? null : withoutTracking(new URL(url)).href;
}

function absolute(href: string, base: URL | null): string | null {
  const whole = base === null && href.startsWith("//") ? `https:${href}` : href;
  return URL.parse(whole, base?.href)?.href ?? null;
}

function baseOf({ base }: Markup, at: URL | null): URL | null {
  return base === "" ? at : (URL.parse(base, at?.href) ?? at);
}

function addressIn({ canonical, meta }: Markup): URL | null {
  for (const address of [canonical, meta.get("og:url") ?? ""]) {
    const url = URL.parse(address);
    if (url !== null && /^https?:$/.test(url.protocol)) return url;
  }
  return null;
}

function slugIn(at: URL | null): string | null {
  const [, slug = "", more] = at?.pathname.split("/") ?? [];
  if (slug === "" || (more !== undefined && more !== "") || slug.includes(".")) return null;
  try {
    return decodeURIComponent(slug).replace(/^@/, "");
  } catch {
    return null;
  }
}

/** What stands before a site's own name: "Salma | Linktree". */
function nameIn({ heading, meta, title }: Markup): string {
  const [name = ""] = [heading, meta.get("og:title") ?? "", title]
    .map((text) => (text.split(/ [|·•–—-] /)[0] ?? "").trim().replace(/^@/, ""))
    .filter(isVisible);
  return name;
}

function bioIn({ meta }: Markup): string {
  return meta.get("og:description") || (meta.get("description") ?? "");
}

/** Those that can be a picture here. */
function picturesOf(addresses: readonly string[], base: URL | null): string[] {
  return addresses
    .filter((address) => address !== "")
    .map((address) => absolute(address, base))
    .filter((address) => address !== null)
    .filter(
      (address) => /^https?:/.test(address) && !/\.(?:gif|svg|avif|ico)(?:$|\?)/i.test(address),
    );
}
