/**
 * Imports a LinkStack export: an object with `links`, and the user's fields in `user` or beside
 * them. A link's kind is its `type`, in older exports the number of its button.
 */
import { CONTACT_FIELD_CHARS_MAX, CONTACT_TEXT_CHARS_MAX } from "../../pages/document/limits.ts";
import { truncated } from "../../views/plain-text.ts";
import { excerptOf, listOf, objectOf, parseForeign, textOf, withoutHtml } from "./foreign-json.ts";
import { ImportRefused, REASONS } from "./import-reasons.ts";
import { ForeignPage, type ImportedPage, labelOf } from "./imported-page.ts";
import { withScheme } from "./with-scheme.ts";

/** Buttons that are no web links. */
const BUTTONS: Readonly<Record<string, string>> = {
  6: "email",
  42: "heading",
  43: "spacer",
  44: "telephone",
  93: "text",
  94: "icon",
  96: "vcard",
};

/** Types with an address; a button of a known service has the type `predefined`. */
const ADDRESSED = new Set(["", "link", "predefined", "email", "telephone", "icon"]);
const EXTENSIONS: Readonly<Record<string, string>> = {
  jpg: "jpg",
  jpeg: "jpg",
  png: "png",
  webp: "webp",
};

type Fields = Readonly<Record<string, unknown>>;

export function fromLinkStack(file: unknown): ImportedPage {
  const fields = objectOf(file);
  const links = listOf(fields.links);
  if (links === null) throw new ImportRefused(REASONS.unknown_json);
  const user = { ...fields, ...objectOf(fields.user) };
  const page = new ForeignPage();
  page.slug = textOf(user.littlelink_name) || null;
  page.name = textOf(user.name) || textOf(user.littlelink_name);
  const bio = textOf(user.littlelink_description);
  page.bio = withoutHtml(bio);
  if (page.bio !== bio) page.notes.add(null, bio, REASONS.html_removed);
  addAvatar(page, user);
  for (const { entry, link } of inOrder(links)) addLink(page, entry, link);
  return page.finish();
}

/** LinkStack shows pinned links first, then by `order`. */
function inOrder(links: readonly unknown[]): { entry: number; link: Fields }[] {
  const entries = links.map((link, i) => ({ entry: i + 1, link: objectOf(link) }));
  const rank = ({ link }: { link: Fields }) => [
    link.up_link === "yes" ? 0 : 1,
    Number(textOf(link.order)) || 0,
  ];
  return entries.sort((a, b) => {
    const [[pinned_a = 0, order_a = 0], [pinned_b = 0, order_b = 0]] = [rank(a), rank(b)];
    return pinned_a - pinned_b || order_a - order_b || a.entry - b.entry;
  });
}

function addLink(page: ForeignPage, entry: number, link: Fields): void {
  const shown = excerptOf(link);
  const type = BUTTONS[textOf(link.button_id)] ?? textOf(link.type);
  const label = textOf(link.title);
  if (type === "vcard") addContact(page, entry, link);
  else if (type === "heading") addText(page, entry, "heading", label);
  else if (type === "text") addText(page, entry, "text", label);
  else if (type === "spacer") page.refused.add(entry, "spacer", REASONS.no_counterpart);
  else if (!ADDRESSED.has(type)) page.refused.add(entry, shown, REASONS.unknown_kind);
  else {
    const address = textOf(link.link);
    const url = withScheme(type === "telephone" ? phoneOf(address) : address);
    if (url === null) {
      const reason = address === "" ? REASONS.no_address : REASONS.bad_address;
      page.refused.add(entry, shown, reason);
    } else {
      const kind = type === "icon" ? "social" : "link";
      page.add(entry, shown, { kind, label: label || labelOf(url), url });
    }
  }
}

function addText(page: ForeignPage, entry: number, kind: "heading" | "text", html: string): void {
  const label = withoutHtml(html);
  if (label === "") {
    page.refused.add(entry, html, REASONS.no_text);
    return;
  }
  if (label !== html) page.notes.add(entry, html, REASONS.html_removed);
  page.add(entry, html, { kind, label });
}

function phoneOf(address: string): string {
  return address.startsWith("tel:") ? address : `tel:${address.replace(/[^\d+*#]/g, "")}`;
}

function addAvatar(page: ForeignPage, user: Fields): void {
  const base64 = textOf(user.image_data);
  if (base64 === "") return;
  const extension = EXTENSIONS[textOf(user.image_extension).toLowerCase()];
  try {
    if (extension === undefined) throw new Error("another type");
    page.setAvatar(`avatar.${extension}`, Uint8Array.fromBase64(base64));
  } catch {
    page.notes.add(null, "image_data", REASONS.picture_refused);
  }
}

/** The address of a contact card's link is JSON. A page has one card. */
function addContact(page: ForeignPage, entry: number, link: Fields): void {
  const shown = excerptOf({ title: link.title });
  if (page.contact !== null) {
    page.refused.add(entry, shown, REASONS.second_card);
    return;
  }
  let card: Fields;
  try {
    card = objectOf(parseForeign(textOf(link.link)));
  } catch {
    page.refused.add(entry, shown, REASONS.not_object);
    return;
  }
  const joined = (fields: readonly string[], separator: string) =>
    fields
      .map((field) => textOf(card[field]))
      .filter((text) => text !== "")
      .join(separator);
  const all = (fields: readonly string[]) =>
    fields
      .map((field) => truncated(textOf(card[field]), CONTACT_FIELD_CHARS_MAX))
      .filter((text) => text !== "");
  const names = ["prefix", "first_name", "middle_name", "last_name", "suffix"];
  const place = (of: string) =>
    joined(
      ["street", "city", "state", "zip", "country"].map((part) => `${of}_address_${part}`),
      ", ",
    );
  page.contact = {
    name: truncated(joined(names, " "), CONTACT_FIELD_CHARS_MAX),
    organisation: truncated(textOf(card.organization), CONTACT_FIELD_CHARS_MAX) || null,
    title: truncated(textOf(card.vtitle) || textOf(card.role), CONTACT_FIELD_CHARS_MAX) || null,
    phones: all(["cell_phone", "work_phone", "home_phone"]),
    emails: all(["email", "work_email"]),
    address: truncated(place("work") || place("home"), CONTACT_TEXT_CHARS_MAX) || null,
  };
}
