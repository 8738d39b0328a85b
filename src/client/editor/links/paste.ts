/**
 * Reads what is pasted or typed: links with their titles, numbers, accounts, headings. The titles of
 * other services' pages and notes stand above or below their addresses, or beside them. What is
 * neither is left out unless the creator takes it in. Pure.
 */
import { destinationOf } from "../../../pages/document/destination.ts";
import { LINK_LABEL_CHARS_MAX } from "../../../pages/document/limits.ts";
import {
  LINK_ADDRESS_MAX_CHARACTERS,
  parseLinkAddress,
} from "../../../pages/document/link-address.ts";
import { withoutTracking } from "../../../pages/document/tracking.ts";
import { isVisible, plainText } from "../../../views/plain-text.ts";
import {
  handleOf,
  isGeneric,
  isOtherPlatform,
  isRegister,
  isWay,
  serviceNamed,
  servicesNamed,
  type Way,
  wayIn,
  withoutWays,
} from "./naming-words.ts";
import { inAscii, type Phone } from "./phone.ts";
import { folded, isProfile, profileOf } from "./services.ts";
import {
  handleIn,
  isRefused,
  type Target,
  targetAlone,
  targetsIn,
  telOf,
  whatsappOf,
} from "./targets.ts";
import type { Tools } from "./tools.ts";

export type Found =
  | {
      is: "link";
      address: string;
      /** Empty for the name of the site. */
      label: string;
      is_profile: boolean;
      /** Left out at first: the paste has it already, or it is of the service that made the page. */
      left_out: "again" | "service" | null;
    }
  /** Asks whether to call, or for the country. */
  | { is: "phone"; phone: Phone; label: string; way: Way | null }
  /** Asks for the platform. `address`: the handle may be a site's name, too. */
  | { is: "handle"; handle: string; label: string; address: string | null }
  | { is: "heading"; text: string }
  | { is: "words"; text: string }
  /** An address, but of a kind that a page may not link to. */
  | { is: "refused"; text: string };

export interface Line {
  /** As it stands in the field, so that reading it again gives the same. A title may be a line of its own. */
  text: string;
  found: Found;
}

/** Half of them may be titles. */
const LINES_MAX = 800;
/** Twice the links of a page. */
const LINES_SHOWN_MAX = 400;
/** Reading takes longer than a text's length. This is several times 200 usual lines. */
const TEXT_CHARACTERS_MAX = 100_000;
/** A label and an address. */
const LINE_CHARACTERS_MAX = LINK_ADDRESS_MAX_CHARACTERS + 1_024;
/** Words between two addresses of a line; more are a sentence, not a title. */
const TITLE_WORDS_MAX = 4;

const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** Invisible, and part of no address: zero-width space, word joiner, byte order mark, soft hyphen. */
const INVISIBLE = /[\u200b\u2060\ufeff\u00ad]/g;
const BULLET = /^(?:[-*+•·▪◦●○▸►➤–—]\ufe0f?\s+|[\d٠-٩]{1,3}[.)]\s+)/u;
/** What exported chats put in front of a message: its time and its sender. */
const CHAT =
  /^\[?\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}[,،]?\s+\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?\s?m\.?|[صم])?\s*(?:\]|-)\s*[^:\n]{1,60}:\s+/iu;
/** Marks and pictures around a title that only point to what follows. */
const POINTING = String.raw`\s:：=|،,;؛\-–—_*~.·•←→↑↓⬇⬅➡⬆▶◀👇👆👉👈🔗📱📞☎📲🌐🌍📍📩📧✉📬📮💌\ufe0f\u{1f3fb}-\u{1f3ff}`;
const AROUND_TITLE = new RegExp(String.raw`^[${POINTING})\]}]+|[${POINTING}([{]+$`, "gu");
/** At the end of a title only the address would follow: `زوروا متجرنا في`. */
const LEADING_ON = /(?<=\S)\s+(?:على|في|عبر|من|الى|إلى|هنا|at|on|via|in|to|here)$/iu;
const MARKDOWN = /\[([^[\]]+)\]\s?\(([^\s()]+(?:\([^\s()]*\)[^\s()]*)*)\)/g;
/** One of these before a target says that the words are its title. */
const MARK = /[:：=|\-–—←→⬇👇]\s*$/u;
/** Each side is read for itself if it has a target. */
const SEPARATORS = [/\s*[|•·]\s+|\s+[|•·]\s*/u, /[;؛]\s*/u, /،\s*|,\s+/u, /\s+[-–—/]\s+/u];
const NO_NAMES =
  /^(?:accounts?|channel|group|home|here|link|live|me|page|profile|reels?|shop|store|stories|story|videos?)$/i;
/** A host without a scheme between words needs one of these: `Node.js` is none. */
const COMMON_ENDINGS =
  /\.(?:com|net|org|info|biz|io|co|app|dev|shop|store|site|online|link|page|tv|ai|gg|ae|sa|eg|kw|qa|bh|om|jo|lb|sy|iq|ps|ye|sd|ly|tn|dz|ma|mr|tr|uk|de|fr|us|ca|eu)$/i;
/** Services of pages like ours: their own addresses stand below each of their pages. */
const PAGE_HOSTS =
  /^(?:www\.)?(?:linktr\.ee|linktree\.com|beacons\.ai|beacons\.page|bio\.link|lnk\.bio|carrd\.co|taplink\.(?:cc|at|ws)|campsite\.bio|solo\.to|allmylinks\.com|linkin\.bio|hoo\.be|msha\.ke|bio\.site|stan\.store)$/;

/** A line of the paste with what it is by itself. */
type Piece =
  /** `title`: the words beside it; null for a target alone, whose title may stand in the next line. */
  | { is: "target"; target: Target; title: string | null }
  /** `is_weak`: a platform and a word may be a title as well: `Instagram page`. */
  | { is: "found"; found: Found; is_weak?: boolean };
/** `raw`: null for one of several of a line, which is spelled anew. */
type Item = { raw: string | null; text: string } & (
  | Piece
  | { is: "blank" }
  | { is: "words"; can_be_title: boolean }
);

export function readPaste(pasted: string, tools: Tools): Line[] {
  const raws = pasted.slice(0, TEXT_CHARACTERS_MAX).split(LINE_ENDS, LINES_MAX);
  const items = raws.flatMap((raw) => itemsOf(raw, tools));
  return withoutDoubles(paired(items).slice(0, LINES_SHOWN_MAX));
}

/** Bidi controls stand around pasted numbers and handles, and would make them something else. */
function cleaned(raw: string): string {
  const line = raw.slice(0, LINE_CHARACTERS_MAX).replace(INVISIBLE, "");
  return plainText(line.replace(/\p{Surrogate}/gu, "\ufffd")).trim();
}

function titleOf(words: string): string {
  return words.replace(/\s+/g, " ").replace(AROUND_TITLE, "").replace(LEADING_ON, "").trim();
}

function itemsOf(raw: string, tools: Tools): Item[] {
  const whole = cleaned(raw);
  if (!isVisible(whole)) return [{ raw, text: "", is: "blank" }];
  const chat = CHAT.exec(inAscii(whole))?.[0].length ?? 0;
  const message = whole.slice(chat).replace(/[^\S\t]+/g, " ");
  const text = message.replace(BULLET, "").replace(MARKDOWN, markdownLink).trim();
  // Dots and lines between the words of a page.
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text)) return [];
  const shown = text.replace(/\t/g, " ");
  if (isRefused(text)) return [{ raw, text, is: "found", found: { is: "refused", text: shown } }];
  const found = piecesOf(text, tools) ?? [];
  const isPart = found.length > 1;
  if (found.length > 0)
    return found.map((each) => ({ ...each, raw: isPart ? null : raw, text: shown }));
  return [{ raw, text: shown, is: "words", can_be_title: canBeTitle(text) }];
}

/** Alone in its line it is a row of a table; `whole` is the line. */
function markdownLink(
  link: string,
  title: string,
  address: string,
  _at: number,
  whole: string,
): string {
  return link === whole.trim() ? `${title}\t${address}` : `${title} ${address}`;
}

function canBeTitle(text: string): boolean {
  const [, name = ""] = /^([^:：]+)[:：]\s*\S/u.exec(text) ?? [];
  const is_short = [...text].length <= LINK_LABEL_CHARS_MAX;
  return is_short && /\p{L}/u.test(text) && !isOtherPlatform(name);
}

/** The targets of a line with the titles beside them; null for words alone. */
function piecesOf(text: string, tools: Tools): Piece[] | null {
  if (text.includes("\t")) {
    const cells = text.split("\t").filter((cell) => cell.trim() !== "");
    if (cells.length > 1) return tableRow(cells, tools);
  }
  const alone = targetAlone(text, tools);
  if (alone !== null) return [{ is: "target", target: alone, title: beside(text) }];
  const accounts = accountsIn(text);
  if (accounts !== null) return accounts;
  const way = wayIn(text);
  for (const separator of SEPARATORS) {
    const parts = text.split(separator);
    if (parts.length < 2) continue;
    const each = parts.map((part) => piecesOf(part, tools));
    if (!each.every((pieces) => pieces !== null)) continue;
    return each.flat().map((piece) => ("target" in piece ? withWay(piece, way) : piece));
  }
  return sentence(text, way, tools);
}

/** Marks beside a target alone are a title that says nothing: `🌐 salma.shop`. */
function beside(text: string): string | null {
  return /^[\p{Extended_Pictographic}]/u.test(text) ? (wayIn(text) === "call" ? "☎" : "") : null;
}

function withWay(piece: Piece, way: Way | null): Piece {
  if (piece.is !== "target" || piece.target.is !== "phone" || way === null) return piece;
  if (piece.title !== null && wayIn(piece.title) !== null) return piece;
  return { ...piece, title: `${piece.title ?? ""} ${way}` };
}

/** One cell leads somewhere, and another one is its title, whatever stands in it. */
function tableRow(cells: readonly string[], tools: Tools): Piece[] | null {
  const targets = cells.map((cell) => targetAlone(cell, tools));
  const isPlain = (cell: string) => /^(?:https?:|mailto:|tel:|sms:)/i.test(cell.trim());
  const at = cells.findIndex((cell, i) => isPlain(cell) && targets[i] !== null);
  const first = at >= 0 ? at : targets.findLastIndex((target) => target !== null);
  const target = targets[first];
  if (!target) return null;
  return [{ is: "target", target, title: titleOf(cells[first === 0 ? 1 : 0] ?? "") }];
}

/** A platform's name and an account's, in either order: `Instagram: salma`, `salma.attar انستا`. */
function accountsIn(text: string): Piece[] | null {
  const [, left = "", right = ""] =
    /^([^:：=]+)[:：=]\s*(\S+)$/u.exec(text) ?? /^(.*\S)\s+(\S+)$/u.exec(text) ?? [];
  const [, head = "", tail = ""] = /^(\S+)\s+(.+)$/u.exec(text) ?? [];
  for (const [names, name] of [
    [left, right],
    [tail, head],
  ] as const) {
    const services = servicesNamed(names.replace(/[@:：=\-–—\s]+$/u, "").replace(/^\(|\)$/g, ""));
    const handle = handleIn(name.replace(/[،,؛;]+$/, ""));
    if (services === null || handle === null || isKnownHost(handle)) continue;
    if (!name.startsWith("@") && !isLikelyName(handle)) continue;
    const is_weak = !/[:：=@]/u.test(text) && /^\p{L}+$/u.test(handle);
    const found = services.flatMap((service) => linkTo(profileOf(service, handle)));
    return found.map((each) => ({ is: "found", found: each, is_weak }));
  }
  return null;
}

/** Platforms take no other letters. `TikTok videos` is a title. */
function isLikelyName(handle: string): boolean {
  return /^[\w.-]+$/.test(handle) && !NO_NAMES.test(handle);
}

/** `انستا salma.attar وسناب salma_a`: a platform's name before each account. */
function accountsAlong(text: string): Piece[] | null {
  const words = text.split(" ");
  const found = words.flatMap((word, i): Piece[] => {
    const handle = /^@|[._\d]/.test(word) ? handleIn(word.replace(/[،,؛;]+$/, "")) : null;
    const name = nameBeside(words.slice(Math.max(i - 2, 0), i), -1);
    if (handle === null || name === null || !isLikelyName(handle) || isKnownHost(handle)) return [];
    const services = servicesNamed(name) ?? [];
    return services
      .flatMap((service) => linkTo(profileOf(service, handle)))
      .map((each) => ({ is: "found", found: each }));
  });
  return found.length > 1 ? found : null;
}

function isKnownHost(host: string): boolean {
  const address = host.includes(".") ? parseLinkAddress(`https://${host}`) : null;
  return address !== null && destinationOf(address).icon !== "web";
}

/** One target between words, or several, each with the words before it, or all with those behind. */
function sentence(text: string, way: Way | null, tools: Tools): Piece[] | null {
  const all = targetsIn(text, tools);
  const is_of_names = all.every(({ target }) => target.is === "dotted" || target.is === "handle");
  const accounts = is_of_names ? accountsAlong(text) : null;
  if (accounts !== null) return accounts;
  const placed = all.filter((each) => isMeant(each, all.length, way));
  const [first, ...others] = placed;
  if (first === undefined) return null;
  if (others.length === 0) {
    const { target, before, behind } = first;
    const title = isRegister(before) && target.is === "phone" ? null : `${before} ${behind}`;
    if (title === null) return null;
    const side = titleOf(before) === "" || isWay(titleOf(before)) ? behind : before;
    return [{ is: "target", target, title: withNames(target, before, behind, titleOf(side)) }];
  }
  const gaps = [first.before, ...placed.map(({ behind }) => behind)].map(titleOf);
  const is_prose = gaps.some((gap) => gap.split(" ").length > TITLE_WORDS_MAX);
  const is_behind = gaps[0] === "";
  const pieces: Piece[] = placed.map(({ target, before, behind }, i) => {
    const gap = gaps[is_behind ? i + 1 : i] ?? "";
    const is_last = i === placed.length - 1;
    return {
      is: "target",
      target,
      title: withNames(target, before, is_behind || is_last ? behind : "", is_prose ? "" : gap),
    };
  });
  const rest = is_prose ? gaps[0] : is_behind ? "" : gaps.at(-1);
  if (rest === undefined || !/[\p{L}\p{N}]/u.test(rest)) return pieces;
  const words: Piece = { is: "found", found: { is: "words", text: rest } };
  return is_prose ? [words, ...pieces] : [...pieces, words];
}

/** What names a platform or a way in the words nearest to the target stays in its title. */
function withNames(target: Target, before: string, behind: string, title: string): string {
  if (target.is === "phone") {
    const way = wayIn(before) ?? wayIn(behind);
    return way === null || wayIn(title) !== null ? title : `${title} ${way}`;
  }
  if (target.is === "handle" || target.is === "dotted") {
    const service =
      nameBeside(before.trim().split(/\s+/), -1) ?? nameBeside(behind.trim().split(/\s+/), 0);
    if (service !== null) return service;
  }
  return title;
}

/** The last two words, or the first two, without `on` and `على`. */
function nameBeside(all: readonly string[], at: 0 | -1): string | null {
  const words = all.filter((word) => !/^(?:on|at|my|على|في|عبر)$/iu.test(word));
  for (const count of [2, 1]) {
    const name = (at === 0 ? words.slice(0, count) : words.slice(-count)).join(" ");
    if (name !== "" && serviceNamed(name) !== undefined) return name;
  }
  return null;
}

function isMeant(
  { target, before, behind }: { target: Target; before: string; behind: string },
  count: number,
  way: Way | null,
): boolean {
  if (target.is === "phone") {
    return !target.is_weak || way !== null || MARK.test(before) || titleOf(before + behind) === "";
  }
  if (target.is !== "dotted") return true;
  if (nameBeside(before.trim().split(/\s+/), -1) !== null) return true;
  if (target.address === null || count > 1) return false;
  return MARK.test(before) || COMMON_ENDINGS.test(target.handle);
}

function linkTo(address: string | null, label = ""): (Found & { is: "link" })[] {
  if (address === null) return [];
  const clean = parseLinkAddress(withoutTracking(new URL(address)).href) ?? address;
  const is_profile = isProfile(clean);
  return [{ is: "link", address: clean, label: labelOf(clean, label), is_profile, left_out: null }];
}

/** A title that is only the site's name gives way to the account's, to the number or the mailbox. */
function labelOf(address: string, title: string): string {
  const { icon, name, place } = destinationOf(address);
  const plain = folded(title);
  const is_name =
    plain === "" ||
    isGeneric(title) ||
    (icon !== "web" && serviceNamed(title)?.id === icon) ||
    (icon !== "web" && [name.ar, name.en].map(folded).includes(plain.replace(/^ال/, ""))) ||
    (/^(?:whatsapp|phone|message)$/.test(icon) && isWay(title));
  if (!is_name) return title;
  return /^(?:mail|phone|message)$/.test(icon) ? place : (handleOf(address) ?? "");
}

/** What a target with its title becomes. */
function foundFor(target: Target, title: string): Found[] {
  if (target.is === "address") return linkTo(target.address, title);
  if (target.is === "phone") {
    const { phone } = target;
    const way = target.is_call ? "call" : wayIn(title);
    const label = isGeneric(title) ? "" : titleOf(withoutWays(title));
    const address = way === "whatsapp" ? whatsappOf(phone) : way === "call" ? telOf(phone) : null;
    if (address === null || phone.international === null)
      return [{ is: "phone", phone, label, way }];
    return linkTo(address, label);
  }
  const { handle } = target;
  const services = servicesNamed(title);
  if (services !== null) return services.flatMap((service) => linkTo(profileOf(service, handle)));
  const address = target.is === "dotted" ? target.address : null;
  if (address !== null && title !== "") return linkTo(address, title);
  return [{ is: "handle", handle, label: title, address }];
}

type Titled = Item & { is: "target" };

function isBare(item: Item | undefined): item is Titled & { target: { is: "address" | "phone" } } {
  if (item?.is !== "target" || item.title !== null) return false;
  return item.target.is === "address" || item.target.is === "phone";
}

/** Whether the line is the title of the target beside it. */
function isTitle(item: Item | undefined, of: Target, has_words: boolean): boolean {
  switch (item?.is) {
    case "words":
      return item.can_be_title;
    case "found":
      // `LinkedIn @ Salma` above the address of that account.
      return item.is_weak === true || (item.raw !== null && isSameSite(item.found, of));
    case "target":
      return (
        item.title === null &&
        item.target.is === "dotted" &&
        ((has_words && of.is === "address") || isHostOf(item.target.handle, of))
      );
    default:
      return false;
  }
}

function isSameSite(found: Found, target: Target): boolean {
  if (found.is !== "link" || target.is !== "address") return false;
  const { icon } = destinationOf(target.address);
  return icon !== "web" && icon === destinationOf(found.address).icon;
}

function isHostOf(name: string, target: Target): boolean {
  return (
    target.is === "address" && destinationOf(target.address).place.includes(name.toLowerCase())
  );
}

/** Where the titles of a paste stand, seen from its addresses, and whether blank lines are between them. */
function orderOf(all: readonly Item[], has_words: boolean): { items: readonly Item[]; by: 1 | -1 } {
  const filled = all.filter(({ is }) => is !== "blank");
  const pairs = (items: readonly Item[], by: 1 | -1) =>
    items.filter((item, i) => isBare(item) && isTitle(items[i + by], item.target, has_words))
      .length;
  const items = pairs(all, -1) + pairs(all, 1) > 0 ? all : filled;
  const first = filled.find((item) => !isSection(item) && !isMarkedHeading(item));
  const is_below = isBare(first) && pairs(items, 1) > pairs(items, -1);
  return { items, by: is_below ? 1 : -1 };
}

/** Gives each target alone its title from the line above, or below where that is the rule of the paste. */
function paired(all: readonly Item[]): Line[] {
  const filled = all.filter(({ is }) => is !== "blank");
  const has_words = filled.some((item) => item.is === "words" && !isSection(item));
  const { items, by } = orderOf(all, has_words);
  const has_sections = hasSections(filled);
  const titles = new Map<Item, Item>();
  const taken = new Set<Item>();
  items.forEach((item, i) => {
    const title = items[i + by];
    if (title === undefined || taken.has(title) || item.is !== "target" || item.title !== null)
      return;
    const is_title = isBare(item)
      ? isTitle(title, item.target, has_words) && !(has_sections && isSection(title))
      : isNameAbove(item, title);
    if (!is_title) return;
    titles.set(item, title);
    taken.add(title);
  });
  const rest = filled.filter((item) => !taken.has(item));
  // The name of the page, above its words or the links that were copied with their titles.
  const [, second] = filled;
  const is_named =
    second !== undefined &&
    (second.is === "words" || taken.has(second) || second.raw?.includes("\t") === true);
  return rest.flatMap((item, i) => {
    const title = titles.get(item);
    if (item === filled[0] && is_named && isHandle(item)) return [wordsOf(item)];
    if (item.is === "words" && isHeading(rest, i)) {
      return [
        { text: item.raw ?? item.text, found: { is: "heading", text: headingOf(item.text) } },
      ];
    }
    const found = foundIn(item, title, has_words);
    const raws = title === undefined ? [item.raw] : [title.raw, item.raw];
    const text = (by === 1 ? raws.toReversed() : raws).join("\n");
    return found.map((each) => ({
      text: found.length > 1 || item.raw === null ? spelled(each) : text,
      found: each,
    }));
  });
}

function wordsOf({ raw, text }: Item): Line {
  return { text: raw ?? text, found: { is: "words", text } };
}

const isHandle = (item: Item) =>
  item.is === "target" && item.title === null && item.target.is === "handle";

/** So that reading it again finds the same, where several stood in a line. */
function spelled(found: Found): string {
  switch (found.is) {
    case "link":
      return found.label === "" ? found.address : `${found.label}\t${found.address}`;
    case "phone":
      return [found.label, found.way, found.phone.number].filter(Boolean).join(" ");
    case "handle":
      return found.address === null ? `@${found.handle}` : found.handle;
    default:
      return found.text;
  }
}

function foundIn(item: Item, title: Item | undefined, has_words: boolean): Found[] {
  switch (item.is) {
    case "blank":
      return [];
    case "found":
      return item.is_weak && has_words ? [{ is: "words", text: item.text }] : [item.found];
    case "words":
      return [{ is: "words", text: item.text }];
    case "target": {
      if (title !== undefined) return foundFor(item.target, titleOf(title.text));
      // A name with a dot among titles is a title, too: `Last.fm`.
      const is_words =
        item.title === null &&
        item.target.is === "dotted" &&
        has_words &&
        !COMMON_ENDINGS.test(item.target.handle);
      return is_words
        ? [{ is: "words", text: item.text }]
        : foundFor(item.target, item.title ?? "");
    }
  }
}

/** `Instagram` above a handle. */
function isNameAbove({ target }: Titled, title: Item): boolean {
  const is_account = target.is === "handle" || (target.is === "dotted" && target.address === null);
  return is_account && title.is === "words" && servicesNamed(titleOf(title.text)) !== null;
}

const isSection = (item: Item | undefined) => item?.is === "words" && /[:：]\s*$/u.test(item.text);
const isMarkedHeading = (item: Item) => item.is === "words" && /^#{1,6}\s+\S/u.test(item.text);

/** Lines that end in a colon are titles only where each has one address below it. */
function hasSections(items: readonly Item[]): boolean {
  return items.some((item, i) => {
    if (!isSection(item)) return false;
    const [next, after] = [items[i + 1], items[i + 2]];
    const is_title = isBare(next) && (after === undefined || isSection(after));
    return leads(next) && !is_title;
  });
}

const leads = (item: Item | undefined) =>
  item?.is === "target" || (item?.is === "found" && item.found.is === "link");

/** Only above links. */
function isHeading(items: readonly Item[], at: number): boolean {
  const item = items[at];
  if (item === undefined || !(isSection(item) || isMarkedHeading(item))) return false;
  return leads(items[at + 1]);
}

function headingOf(text: string): string {
  return titleOf(text.replace(/^#{1,6}\s+/u, ""));
}

function withoutDoubles(lines: readonly Line[]): Line[] {
  const seen = new Set<string>();
  const is_alone = lines.length === 1;
  return lines.map((line) => {
    if (line.found.is !== "link") return line;
    const { address } = line.found;
    const key = address.replace(/^https?:\/\/(?:www\.)?/, "").replace(/\/$/, "");
    const is_again = seen.has(key);
    seen.add(key);
    const is_service = PAGE_HOSTS.test(new URL(address).hostname);
    const left_out = is_again ? "again" : is_service ? "service" : null;
    return left_out === null || (is_alone && is_again)
      ? line
      : { ...line, found: { ...line.found, left_out } };
  });
}
