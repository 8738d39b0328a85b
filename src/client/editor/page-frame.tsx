/**
 * A bio page in a frame, rendered in the browser by the page's own component. The frame is a document
 * of its own (`/dashboard/preview-frame`): its policy allows no script, so nothing in it runs, counts
 * or leaves the site.
 */
import type { Child } from "hono/jsx";
import { memo, useEffect, useLayoutEffect, useRef } from "hono/jsx/dom";
import { createRoot } from "hono/jsx/dom/client";
import { PREVIEW_FRAME_PATH } from "../../http/endpoints.ts";
import { shownWords } from "../../pages/document/page-words.ts";
import { BioBody } from "../../pages/render/bio-body.tsx";
import { isSameEntry, ListEntry } from "../../pages/render/link-list.tsx";
import type { ShownPage } from "../../pages/render/shown.ts";
import { accentRules } from "../../views/accent.ts";
import { LOCALES, type Locale } from "../../views/locale.ts";
import { lookAttributes, lookSheets } from "../../views/look-document.ts";
import type { Look } from "../../views/look-values.ts";
import { TEXTS } from "../../views/texts.ts";

export interface FrameView {
  page: ShownPage;
  locale: Locale;
  /** Replaces the scheme of the look or the device; null does not. */
  scheme: "light" | "dark" | null;
}

/** Where the creator works: the frame scrolls there once, and marks it for a moment. */
export interface FramePlace {
  place: object;
  /** Null where there is no such element, which a later edit may bring. */
  selector: () => string | null;
}

export interface FrameContent {
  look: Look;
  locale: Locale;
  scheme: "light" | "dark" | null;
  body: () => Child;
  at?: FramePlace | null;
}

/** Links open and close by the clock, also while nobody edits. */
const SHOWN_AGAIN_MS = 15_000;

const MARKED_MS = 1_500;
const MARK = "[data-at-hand] { outline: 0.1875rem solid; outline-offset: 0.25rem; }";

/** Rendered again only if something of the entry changes. */
const ChangedEntry = memo(ListEntry, isSameEntry);

class FrameRenderer {
  readonly #frame: HTMLIFrameElement;
  readonly #onLanguage: (locale: Locale) => void;
  #document: Document | null = null;
  #root: ReturnType<typeof createRoot> | null = null;
  #accent: CSSStyleSheet | null = null;
  #content: FrameContent | null = null;
  /** The last place to which the frame has scrolled. */
  #followed: object | null = null;
  #unmark: (() => void) | null = null;

  constructor(frame: HTMLIFrameElement, onLanguage: (locale: Locale) => void) {
    this.#frame = frame;
    this.#onLanguage = onLanguage;
  }

  /** The page's link to its other language loads the frame again, with `?lang=`. */
  loaded(): void {
    const { contentDocument: loaded, contentWindow: window } = this.#frame;
    if (loaded === null || window?.location.pathname !== PREVIEW_FRAME_PATH) {
      // A link of the page led the frame elsewhere: "made with Sila" to a page that allows no frames.
      if (this.#document !== null) window?.location.replace(PREVIEW_FRAME_PATH);
      this.#document = null;
      return;
    }
    if (loaded === this.#document) return;
    this.#document = loaded;
    this.#followed = null;
    this.#root = null;
    this.#accent = new (window as Window & typeof globalThis).CSSStyleSheet();
    const mark = new (window as Window & typeof globalThis).CSSStyleSheet();
    mark.replaceSync(MARK);
    loaded.adoptedStyleSheets = [this.#accent, mark];
    const asked = new URLSearchParams(window.location.search).get("lang");
    const language = LOCALES.find((locale) => locale === asked);
    if (language !== undefined) this.#onLanguage(language);
    if (this.#content !== null) this.show(this.#content);
  }

  showAgain(): void {
    if (this.#content !== null) this.show(this.#content);
  }

  show(content: FrameContent): void {
    this.#content = content;
    const target = this.#document;
    if (target === null) return;
    const { locale, scheme, body } = content;
    const look: Look = scheme === null ? content.look : { ...content.look, scheme };
    setAttributes(target.documentElement, {
      lang: locale,
      dir: TEXTS[locale].direction,
      ...lookAttributes(content.look),
    });
    this.#accent?.replaceSync(accentRules(look) ?? "");
    setSheets(target, lookSheets(look));
    this.#root ??= createRoot(target.body);
    this.#root.render(body());
    if (content.at != null && content.at.place !== this.#followed) {
      requestAnimationFrame(() => this.#follow());
    }
  }

  /** A phone shows the frame in the place of the panels: then it begins at what is edited. */
  resized(): void {
    if (this.#frame.clientHeight === 0) this.#followed = null;
    else this.#follow();
  }

  /** Scrolls the frame alone: `scrollIntoView` would move the editor, too. */
  #follow(): void {
    const at = this.#content?.at ?? null;
    const { contentWindow: window, clientHeight: room } = this.#frame;
    if (at === null || window === null || at.place === this.#followed || room === 0) return;
    const selector = at.selector();
    const element = selector === null ? null : this.#document?.querySelector(selector);
    if (element == null) return;
    this.#followed = at.place;
    const { top, bottom, height } = element.getBoundingClientRect();
    if (top < 0 || bottom > room) {
      const above = Math.max(0, (room - height) / 2);
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      window.scrollTo({ top: window.scrollY + top - above, behavior: calm ? "auto" : "smooth" });
    }
    this.#unmark?.();
    element.setAttribute("data-at-hand", "");
    const timer = setTimeout(() => this.#unmark?.(), MARKED_MS);
    this.#unmark = () => {
      clearTimeout(timer);
      element.removeAttribute("data-at-hand");
      this.#unmark = null;
    };
  }
}

function setAttributes(element: Element, attributes: Readonly<Record<string, string>>): void {
  for (const { name } of [...element.attributes]) {
    if (!(name in attributes)) element.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

/** Old sheets stay until the new ones are loaded, so the page never stands there without style. */
function setSheets(target: Document, wanted: readonly string[]): void {
  const present = [...target.head.querySelectorAll("link")];
  const hrefs = present.map((link) => link.getAttribute("href"));
  if (wanted.join() === hrefs.join()) return;
  const old = present.filter((link) => !wanted.includes(link.getAttribute("href") ?? ""));
  const added = wanted
    .filter((href) => !hrefs.includes(href))
    .map((href) => {
      const link = target.createElement("link");
      link.rel = "stylesheet";
      link.href = href;
      return link;
    });
  let left = added.length;
  const removeOld = () => {
    left -= 1;
    if (left <= 0) for (const link of old) link.remove();
  };
  for (const link of added) {
    link.addEventListener("load", removeOld);
    link.addEventListener("error", removeOld);
  }
  target.head.append(...added);
  if (added.length === 0) removeOld();
}

export function PageFrame(props: {
  view: FrameView;
  title: string;
  class?: string;
  /** A picture of a page does not scroll, takes no focus, and stays as it is. */
  is_still?: boolean;
  at?: FramePlace | null;
  onLanguage?: (locale: Locale) => void;
}) {
  const { view, at = null, ...frame } = props;
  const { locale, scheme } = view;
  const page = shownWords(view.page);
  const shown = { page, locale, is_preview: true, RenderedEntry: ChangedEntry };
  const body = () => <BioBody {...shown} now={Date.now()} />;
  return <LookFrame content={{ look: page.look, locale, scheme, body, at }} {...frame} />;
}

export function LookFrame(props: {
  content: FrameContent;
  title: string;
  class?: string;
  is_still?: boolean;
  onLanguage?: (locale: Locale) => void;
}) {
  const { content, is_still = false } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const renderer = useRef<FrameRenderer | null>(null);
  const onLanguage = useRef(props.onLanguage);
  onLanguage.current = props.onLanguage;
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null) return;
    if (renderer.current === null) {
      const made = new FrameRenderer(current, (locale) => onLanguage.current?.(locale));
      renderer.current = made;
      current.addEventListener("load", () => made.loaded());
      if (current.contentDocument?.readyState === "complete") made.loaded();
    }
    renderer.current.show(content);
  });
  // What is open by its times changes while nobody edits. Always the last content: with
  // that of its rendering, a timer that outlives it would put back what the creator has changed.
  useEffect(() => {
    if (is_still) return;
    const timer = setInterval(() => renderer.current?.showAgain(), SHOWN_AGAIN_MS);
    const sizes = new ResizeObserver(() => renderer.current?.resized());
    if (frame.current !== null) sizes.observe(frame.current);
    return () => {
      clearInterval(timer);
      sizes.disconnect();
    };
  }, []);
  return (
    <iframe
      ref={frame}
      class={props.class}
      title={props.title}
      src={PREVIEW_FRAME_PATH}
      tabindex={is_still ? -1 : undefined}
      scrolling={is_still ? "no" : undefined}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
    />
  );
}
