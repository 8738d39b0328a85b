/**
 * Imports a saved Linktree page. Next.js keeps its data in `script#__NEXT_DATA__`, the links under
 * `props.pageProps.links` or `props.pageProps.account.links`. Pictures are addresses, and never
 * fetched (docs/security.md S27).
 */
import { excerptOf, listOf, objectOf, parseForeign, textOf } from "./foreign-json.ts";
import { ImportRefused, REASONS } from "./import-reasons.ts";
import { ForeignPage, type ImportedPage, labelOf, withScheme } from "./imported-page.ts";

const DEPTH_MAX = 4;
const DATA_ID = "__NEXT_DATA__";
/** A tag whose last attribute is the id, and the characters before it that are searched. */
const BEGIN_OF_TAG = /^<script\s[^>]*\bid\s*=\s*["']?$/i;
const TAG_CHARS_MAX = 500;
/** Occurrences of the id that are tried: other scripts mention it too. */
const PLACES_MAX = 20;

export function fromLinktree(html: string): ImportedPage {
  const data = objectOf(parseForeign(nextData(html)));
  const props = objectOf(objectOf(data.props).pageProps);
  const account = objectOf(props.account);
  const links = listOf(props.links) ?? listOf(account.links);
  if (links === null) throw new ImportRefused(REASONS.no_linktree_links);
  const page = new ForeignPage();
  const ofAccount = (key: string) => textOf(account[key]) || textOf(props[key]);
  page.slug = ofAccount("username") || null;
  page.name = ofAccount("pageTitle").replace(/^@/, "");
  page.bio = ofAccount("description");
  const picture = ofAccount("profilePictureUrl");
  if (picture !== "") page.notes.add(null, picture, REASONS.picture_not_fetched);

  let entry = 0;
  const addAll = (entries: readonly unknown[], depth: number): void => {
    for (const value of entries) {
      entry += 1;
      const inner = listOf(objectOf(value).links) ?? listOf(objectOf(value).children) ?? [];
      addEntry(page, entry, value, inner.length > 0);
      if (depth < DEPTH_MAX) addAll(inner, depth + 1);
      else if (inner.length > 0) page.refused.add(entry, excerptOf(value), REASONS.nested);
    }
  };
  addAll(links, 1);
  for (const value of listOf(props.socialLinks) ?? listOf(account.socialLinks) ?? []) {
    entry += 1;
    addSocial(page, entry, value);
  }
  return page.finish();
}

/**
 * The text of the first `script#__NEXT_DATA__`, found as text in linear time: a script holds no
 * markup, and an HTML parser would build whatever tree a hostile file describes.
 */
function nextData(html: string): string {
  let at = html.indexOf(DATA_ID);
  for (let n = 0; n < PLACES_MAX && at >= 0; n += 1) {
    const before = html.slice(Math.max(0, at - TAG_CHARS_MAX), at);
    const tag = before.slice(before.lastIndexOf("<"));
    const from = html.indexOf(">", at) + 1;
    const to = html.indexOf("</script", from);
    const is_comment = html.lastIndexOf("<!--", at) > html.lastIndexOf("-->", at);
    if (!is_comment && BEGIN_OF_TAG.test(tag) && from > 0 && to >= 0) return html.slice(from, to);
    at = html.indexOf(DATA_ID, at + DATA_ID.length);
  }
  throw new ImportRefused(REASONS.no_next_data);
}

function addEntry(page: ForeignPage, entry: number, value: unknown, is_group: boolean): void {
  const { title, url, type, thumbnail } = objectOf(value);
  const [label, address, shown] = [textOf(title), textOf(url), excerptOf(value)];
  if (textOf(type) === "HEADER" || (is_group && address === "")) {
    // A group without a title needs no heading.
    if (label !== "") page.add(entry, shown, { kind: "heading", label });
    else if (!is_group) page.refused.add(entry, shown, REASONS.no_text);
    return;
  }
  const link = withScheme(address);
  if (link === null) {
    const reason = address === "" ? REASONS.no_counterpart : REASONS.bad_address;
    page.refused.add(entry, shown, address === "" && label === "" ? REASONS.not_object : reason);
    return;
  }
  page.add(entry, shown, { label: label || labelOf(link), url: link });
  const picture = textOf(thumbnail);
  if (picture !== "") page.notes.add(entry, picture, REASONS.picture_not_fetched);
}

/** `{type: "INSTAGRAM", url}`. */
function addSocial(page: ForeignPage, entry: number, value: unknown): void {
  const { type, url } = objectOf(value);
  const link = withScheme(textOf(url));
  if (link === null) {
    page.refused.add(entry, textOf(url) || textOf(type), REASONS.bad_address);
    return;
  }
  const name = textOf(type).toLowerCase().replaceAll("_", " ");
  const label = name === "" ? labelOf(link) : name.charAt(0).toUpperCase() + name.slice(1);
  page.add(entry, textOf(url), { kind: "social", label, url: link });
}
