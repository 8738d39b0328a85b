/**
 * What the markup of a stranger's page says: links with their texts, JSON of its scripts, names and pictures. Read as a
 * stream by `HTMLRewriter`, which builds no tree and has a limit of memory.
 *
 * A tag may have no end: the rewriter never reports that of `<a>one<a>two`, so a new `<a>` closes the one before, as in
 * browsers. An element has one handler of its end: a second one would replace it. Text within scripts, styles,
 * drawings and templates is none of the page.
 */
import { LINK_LABEL_CHARS_MAX } from "../../pages/document/limits.ts";
import { withoutEntities } from "./html-text.ts";
import { ImportRefused, REASONS } from "./import-reasons.ts";
import {
  PAGE_ANCHORS_MAX,
  PAGE_SCRIPTS_MAX,
  PAGE_TEXT_CHARS_MAX,
  PAGE_TEXTS_MAX,
} from "./limits.ts";

export interface Anchor {
  /** As it is written, without entities. */
  href: string;
  /** What stands on the screen, on one line. */
  text: string;
  /** What its picture or label says, for those who see none. */
  alt: string;
  has_picture: boolean;
}

export interface Markup {
  anchors: Anchor[];
  /** Texts of `application/json`, `application/ld+json` and `script#__NEXT_DATA__`. */
  scripts: { is_linked_data: boolean; id: string; json: string }[];
  /** Of `<meta>`, by `property` or `name`; the first of each. */
  meta: Map<string, string>;
  title: string;
  /** First that is not empty. */
  heading: string;
  /** Address of the picture that is called an avatar. */
  avatar: string;
  canonical: string;
  base: string;
  asks_password: boolean;
}

/** Elements within which no text is the page's, beside scripts. */
const SILENT = "style, svg, template, noscript, iframe, select, textarea";
/** Words of a class, an id or a label. */
const AVATAR = /(?:^|[\s_-])(?:avatar|profile[\s_-]?(?:image|pic\w*|photo|img)|display-image)/i;
/** A logo is called after its service. */
const ICON_WORD = /[\s_-]*(?:\b|_)(?:icon|logo|أيقونة|شعار)$/i;

/** Throws {@link ImportRefused} for markup in which more is open than the rewriter has memory for. */
export async function readMarkup(html: string): Promise<Markup> {
  const reader = new MarkupReader();
  try {
    const { body } = reader.rewriter().transform(new Response(html));
    await body?.pipeTo(new WritableStream());
  } catch {
    throw new ImportRefused(REASONS.unreadable_page);
  }
  return reader.markup();
}

class Text {
  #text = "";

  add(text: string): void {
    this.#text += text.slice(0, PAGE_TEXT_CHARS_MAX - this.#text.length);
  }

  get read(): string {
    return oneLine(this.#text);
  }
}

interface OpenAnchor extends Omit<Anchor, "text"> {
  text: Text;
}

class MarkupReader {
  readonly #anchors: OpenAnchor[] = [];
  readonly #scripts: { is_linked_data: boolean; id: string; parts: string[] }[] = [];
  readonly #meta = new Map<string, string>();
  readonly #titles: Text[] = [];
  readonly #headings: Text[] = [];
  #avatar = "";
  #canonical = "";
  #base = "";
  #asks_password = false;

  #anchor: OpenAnchor | null = null;
  #title: Text | null = null;
  #heading: Text | null = null;
  #script: { parts: string[] } | null = null;
  #silent = 0;

  rewriter(): HTMLRewriter {
    return new HTMLRewriter()
      .on(SILENT, { element: (element) => this.#beginSilence(element) })
      .on("script", {
        element: (element) => this.#beginScript(element),
        text: ({ text }) => void this.#script?.parts.push(text),
      })
      .on("a", { element: (element) => this.#beginAnchor(element) })
      .on("a *", { element: (element) => this.#passInner(element) })
      .on("img", { element: (element) => this.#passImage(element) })
      .on("h1", { element: (element) => this.#beginHeading(element) })
      .on("title", { element: (element) => this.#beginTitle(element) })
      .on("meta", { element: (element) => this.#passMeta(element) })
      .on("link[rel=canonical], base", { element: (element) => this.#passLink(element) })
      .on("input[type=password]", {
        element: () => {
          this.#asks_password = true;
        },
      })
      .onDocument({ text: ({ text }) => this.#passText(text) });
  }

  markup(): Markup {
    const first = (texts: readonly Text[]) =>
      texts.map(({ read }) => read).find((text) => text !== "") ?? "";
    return {
      anchors: this.#anchors.map(({ text, ...anchor }) => ({ ...anchor, text: text.read })),
      scripts: this.#scripts.map(({ parts, ...script }) => ({ ...script, json: parts.join("") })),
      meta: this.#meta,
      title: first(this.#titles),
      heading: first(this.#headings),
      avatar: this.#avatar,
      canonical: this.#canonical,
      base: this.#base,
      asks_password: this.#asks_password,
    };
  }

  #passText(text: string): void {
    if (this.#title !== null) this.#title.add(text);
    else if (this.#silent === 0) {
      this.#anchor?.text.add(text);
      this.#heading?.add(text);
    }
  }

  #beginSilence(element: Element): void {
    if (element.tagName === "svg" && this.#anchor !== null) this.#anchor.has_picture = true;
    const isOpen = onEnd(element, () => {
      this.#silent -= 1;
    });
    if (isOpen) this.#silent += 1;
  }

  #beginScript(element: Element): void {
    this.#script = null;
    this.#silent += 1;
    onEnd(element, () => {
      this.#script = null;
      this.#silent -= 1;
    });
    const type = attribute(element, "type").toLowerCase();
    const id = attribute(element, "id");
    const is_linked_data = type === "application/ld+json";
    const is_data = is_linked_data || type === "application/json" || id === "__NEXT_DATA__";
    if (!is_data || this.#scripts.length >= PAGE_SCRIPTS_MAX) return;
    const script = { is_linked_data, id, parts: [] };
    this.#scripts.push(script);
    this.#script = script;
  }

  #beginAnchor(element: Element): void {
    this.#anchor = null;
    if (this.#silent > 0 || this.#anchors.length >= PAGE_ANCHORS_MAX) return;
    const href = attribute(element, "href");
    const alt = attribute(element, "aria-label") || attribute(element, "title");
    const anchor = { href, text: new Text(), alt, has_picture: false };
    this.#anchors.push(anchor);
    this.#anchor = anchor;
    onEnd(element, () => {
      if (this.#anchor === anchor) this.#anchor = null;
    });
  }

  /** Words of two elements are two words. */
  #passInner(element: Element): void {
    const anchor = this.#anchor;
    if (anchor === null || this.#silent > 0 || element.tagName === "a") return;
    if (element.tagName === "img" || element.tagName === "i") anchor.has_picture = true;
    anchor.alt ||= withoutIcon(
      attribute(element, "alt") || attribute(element, "aria-label") || attribute(element, "title"),
    );
    if (JOINED.has(element.tagName)) return;
    anchor.text.add(" ");
    if (element.tagName !== "h1") onEnd(element, () => anchor.text.add(" "));
  }

  #passImage(element: Element): void {
    if (this.#avatar !== "" || this.#silent > 0) return;
    const words = ["class", "id", "data-testid"].map((name) => attribute(element, name)).join(" ");
    if (!AVATAR.test(words)) return;
    this.#avatar = attribute(element, "data-src") || attribute(element, "src");
  }

  #beginHeading(element: Element): void {
    if (this.#silent > 0 || this.#headings.length >= PAGE_TEXTS_MAX) return;
    const heading = new Text();
    this.#headings.push(heading);
    this.#heading = heading;
    onEnd(element, () => {
      this.#heading = null;
      this.#anchor?.text.add(" ");
    });
  }

  #beginTitle(element: Element): void {
    if (this.#silent > 0 || this.#titles.length >= PAGE_TEXTS_MAX) return;
    const title = new Text();
    this.#titles.push(title);
    this.#title = title;
    onEnd(element, () => {
      this.#title = null;
    });
  }

  #passMeta(element: Element): void {
    const name = (attribute(element, "property") || attribute(element, "name")).toLowerCase();
    if (name === "" || this.#meta.has(name) || this.#meta.size >= PAGE_TEXTS_MAX) return;
    this.#meta.set(name, attribute(element, "content"));
  }

  #passLink(element: Element): void {
    if (element.tagName === "base") this.#base ||= attribute(element, "href");
    else this.#canonical ||= attribute(element, "href");
  }
}

/** Elements within words. */
const JOINED = new Set("b i em strong u s mark small sup sub font bdi bdo wbr abbr".split(" "));

function attribute(element: Element, name: string): string {
  const value = element.getAttribute(name);
  return value === null ? "" : oneLine(value.slice(0, PAGE_TEXT_CHARS_MAX));
}

/** Answers false for an element without an end, such as `<img>` and `<svg/>`. */
function onEnd(element: Element, end: () => void): boolean {
  try {
    element.onEndTag(end);
    return true;
  } catch {
    return false;
  }
}

/** Entities are decoded once a text is whole: pieces may end within one. */
function oneLine(text: string): string {
  return withoutEntities(text).replace(/\s+/g, " ").trim();
}

/** Cut first: the search takes quadratic time. */
function withoutIcon(text: string): string {
  return text.slice(0, LINK_LABEL_CHARS_MAX).replace(ICON_WORD, "").trim();
}
