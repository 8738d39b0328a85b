/** Bytes of HTML as text, and entities as characters: `HTMLRewriter` knows neither labels in `<meta>` nor entities. */
import { ImportRefused, REASONS } from "./import-reasons.ts";

/** Browsers look for the label here too (HTML section 13.2.3.2). */
const LABEL_BYTES = 1_024;
const LABEL = /<meta[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)/i;

/**
 * Decodes by a byte order mark, the header's charset, or that of `<meta>`; what has none of them must be UTF-8. Throws
 * {@link ImportRefused} for an unknown encoding.
 *
 * @param charset of the header, or null
 * @param is_cut whether the end is missing, maybe within a character
 */
export function decodeHtml(
  bytes: Uint8Array,
  charset: string | null = null,
  is_cut = false,
): string {
  const label = markOf(bytes) ?? charset ?? labelIn(bytes);
  try {
    const decoder = new TextDecoder(label ?? "utf-8", { fatal: label === null, ignoreBOM: false });
    return decoder.decode(bytes, { stream: is_cut });
  } catch {
    throw new ImportRefused(REASONS.not_text);
  }
}

function markOf([first, second, third]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : null;
}

function labelIn(bytes: Uint8Array): string | null {
  const begin = new TextDecoder("latin1").decode(bytes.subarray(0, LABEL_BYTES));
  const label = LABEL.exec(begin)?.[1] ?? null;
  // A text in which this can be read is not UTF-16.
  return label !== null && /^utf-?16/i.test(label) ? "utf-8" : label;
}

/** Those that titles have. The others stay as they are written. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", AMP: "&", LT: "<", GT: ">" },
  ...{ ndash: "–", mdash: "—", hellip: "…", bull: "•", middot: "·", laquo: "«", raquo: "»" },
  ...{ lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", times: "×" },
  ...{ copy: "©", reg: "®", trade: "™", euro: "€", pound: "£", yen: "¥", cent: "¢", deg: "°" },
  ...{ hearts: "♥", star: "☆", starf: "★", rarr: "→", larr: "←", zwnj: "\u200c", zwj: "\u200d" },
  ...{ aacute: "á", agrave: "à", acirc: "â", atilde: "ã", auml: "ä", aring: "å", aelig: "æ" },
  ...{ Aacute: "Á", Agrave: "À", Acirc: "Â", Auml: "Ä", Aring: "Å", ccedil: "ç", Ccedil: "Ç" },
  ...{ eacute: "é", egrave: "è", ecirc: "ê", euml: "ë", Eacute: "É", Egrave: "È", Ecirc: "Ê" },
  ...{ iacute: "í", igrave: "ì", icirc: "î", iuml: "ï", ntilde: "ñ", Ntilde: "Ñ", szlig: "ß" },
  ...{ oacute: "ó", ograve: "ò", ocirc: "ô", otilde: "õ", ouml: "ö", Ouml: "Ö", oslash: "ø" },
  ...{ uacute: "ú", ugrave: "ù", ucirc: "û", uuml: "ü", Uuml: "Ü", yacute: "ý", yuml: "ÿ" },
};

const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]{2,8}));?/g;

/** Decodes once, so `&amp;lt;` is `&lt;`. A name needs its semicolon: `?a=1&copy=2` is an address. */
export function withoutEntities(text: string): string {
  return text.replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entity.endsWith(";") ? (NAMED[name] ?? entity) : entity;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}
