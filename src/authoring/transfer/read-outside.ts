/** Reads a page elsewhere in the workshop (`src/workshop`), so the result crosses an RPC. Nothing is stored. */
import { ApiError } from "../../http/api-error.ts";
import { type PictureType, readPicture } from "../pictures/picture-header.ts";
import { fetchOutside, type Outside } from "./fetch-page.ts";
import { fromPage, type ReadPage } from "./from-page.ts";
import { decodeHtml } from "./html-text.ts";
import { ImportRefused } from "./import-reasons.ts";
import { type PageFault, PageUnreadable } from "./page-faults.ts";

export interface OutsideLink {
  label: string;
  url: string | null;
  kind?: "heading" | "social";
}

export interface OutsidePage {
  /** Where it is, after redirects. */
  address: string;
  name: string;
  bio: string;
  links: OutsideLink[];
  /** How many links of the page are not in the list. */
  left_out: number;
  picture_address: string | null;
}

export interface ReadOutside {
  page: OutsidePage | null;
  /** Why there is none. */
  fault: PageFault | null;
}

export interface OutsidePicture {
  type: PictureType;
  bytes: Uint8Array<ArrayBuffer>;
}

const HTML_TYPES: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);
/** Titles of what stands in a page's place. */
const CHALLENGE =
  /^(?:attention required|just a moment|access denied|sorry, you have been blocked|security check|checking your browser|verify(?:ing)? (?:that )?you are human|are you a robot|one moment, please)/i;
const SIGN_IN_PATH = /\/(?:log-?in|sign-?in|authwall)(?:\/|\.\w+$|$)/i;

export async function readOutside(address: string, outside: Outside): Promise<ReadOutside> {
  try {
    const page = await read(address, outside);
    return { page, fault: null };
  } catch (error) {
    if (error instanceof PageUnreadable) return { page: null, fault: error.fault };
    if (error instanceof ImportRefused) return { page: null, fault: "unreadable" };
    throw error;
  }
}

async function read(address: string, outside: Outside): Promise<OutsidePage> {
  const { url, type, bytes, charset, is_cut } = await fetchOutside(address, "text/html", outside);
  if (!HTML_TYPES.has(type)) throw new PageUnreadable("not_html");
  const found = await fromPage(decodeHtml(bytes, charset, is_cut), url);
  const isInPlace = CHALLENGE.test(found.title) || SIGN_IN_PATH.test(url.pathname);
  if (isInPlace) throw new PageUnreadable("blocked");
  const page = pageOf(url, found);
  if (page.links.some((link) => link.url !== null)) return page;
  if (is_cut) throw new PageUnreadable("too_large");
  throw new PageUnreadable(found.asks_password ? "blocked" : "no_links");
}

/** Null where it cannot be fetched, or is none that a page may have (S26). */
export async function readOutsidePicture(
  address: string,
  outside: Outside,
): Promise<OutsidePicture | null> {
  try {
    const { bytes, is_cut } = await fetchOutside(
      address,
      "image/jpeg, image/png, image/webp",
      outside,
    );
    if (is_cut) return null;
    const picture = readPicture(bytes);
    return { type: picture.type, bytes: picture.bytes };
  } catch (error) {
    if (error instanceof PageUnreadable || error instanceof ApiError) return null;
    throw error;
  }
}

function pageOf(url: URL, { imported, own_name, picture_addresses }: ReadPage): OutsidePage {
  const { document, refused } = imported;
  const [locale = "ar"] = document.locales;
  return {
    address: url.href,
    name: own_name === "" ? "" : (document.name[locale] ?? ""),
    bio: document.bio[locale] ?? "",
    links: document.links.map(({ kind, label, url }) => ({
      ...{ label: label[locale] ?? "", url },
      ...(kind === "heading" || kind === "social" ? { kind } : {}),
    })),
    left_out: refused.n,
    picture_address: picture_addresses[0] ?? null,
  };
}
