/**
 * The links of a copied page with their titles, from the clipboard's `text/html`: its plain text has
 * the titles alone. The parsed document is inert and never shown: nothing in it runs or is loaded.
 */
import { parseLinkAddress } from "../../../pages/document/link-address.ts";
import { truncated } from "../../../views/plain-text.ts";

/** A longer one is read as plain text. */
const HTML_CHARACTERS_MAX = 1_000_000;
const TITLE_CHARACTERS_MAX = 200;
/** Elements that end no line. */
const INLINE = new Set(
  "A ABBR B BDI BDO CITE CODE EM FONT I IMG LABEL MARK Q S SMALL SPAN STRONG SUB SUP TIME U WBR".split(
    " ",
  ),
);
const SKIPPED = new Set(
  "SCRIPT STYLE TEMPLATE NOSCRIPT SVG HEAD TITLE SELECT TEXTAREA IFRAME".split(" "),
);

/** One line for each text and link, `title⇥address`. Null where no link has a title of its own. */
export function textOfHtml(html: string): string | null {
  if (html.length > HTML_CHARACTERS_MAX || !/<a\s/i.test(html)) return null;
  const lines = new Lines();
  lines.read(new DOMParser().parseFromString(html, "text/html").body);
  lines.end();
  return lines.has_titles ? lines.all.join("\n") : null;
}

class Lines {
  readonly all: string[] = [];
  has_titles = false;
  #line = "";

  end(): void {
    const line = this.#line.replace(/\s+/g, " ").trim();
    if (line !== "") this.all.push(line);
    this.#line = "";
  }

  read(node: Node): void {
    if (node.nodeType === Node.TEXT_NODE) this.#line += node.nodeValue ?? "";
    if (!(node instanceof Element) && node.nodeType !== Node.ELEMENT_NODE) return;
    const element = node as Element;
    const name = element.nodeName.toUpperCase();
    if (SKIPPED.has(name)) return;
    if (name === "BR") this.#break();
    const address = name === "A" ? parseLinkAddress(element.getAttribute("href") ?? "") : null;
    if (address !== null) {
      this.#link(element, address);
      return;
    }
    if (!INLINE.has(name)) this.end();
    for (const child of element.childNodes) this.read(child);
    if (!INLINE.has(name)) this.end();
  }

  /** Two in a row are a blank line. */
  #break(): void {
    if (this.#line.trim() === "") this.all.push("");
    this.end();
  }

  /** Notes make links of addresses, whose titles stand in other lines. */
  #link(element: Element, address: string): void {
    const picture = element.querySelector("img[alt]")?.getAttribute("alt");
    const named = element.getAttribute("aria-label") ?? element.getAttribute("title") ?? picture;
    const words = (element.textContent ?? "").trim() === "" ? named : element.textContent;
    const title = truncated(words ?? "", TITLE_CHARACTERS_MAX);
    if (title === "" || isAddress(title, address)) {
      this.#line += ` ${address} `;
      return;
    }
    this.end();
    this.has_titles = true;
    this.all.push(`${title}\t${address}`);
  }
}

function isAddress(title: string, address: string): boolean {
  const spelled = [title, `https://${title}`, `http://${title}`, `mailto:${title}`, `tel:${title}`];
  return spelled.some((each) => parseLinkAddress(each) === address);
}
