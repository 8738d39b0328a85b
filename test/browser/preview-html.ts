import type { Page as Tab } from "playwright-core";
import type { Draft } from "../../src/client/editor/draft.ts";
import { shownWords } from "../../src/pages/document/page-words.ts";
import { BioBody } from "../../src/pages/render/bio-body.tsx";

export function rendered(draft: Draft, page_id: string): string {
  const page = shownWords({ ...draft, page_id });
  return String(BioBody({ page, locale: "ar", now: Date.now(), is_preview: true }));
}

/**
 * A body's HTML, parsed and written again by the browser with the attributes of each element in order of their
 * names: an attribute that the preview adds to an element comes last there.
 */
export function written(tab: Tab, body: string): Promise<string> {
  return tab.evaluate((html) => {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    for (const element of parsed.body.querySelectorAll("*")) {
      // The preview marks what is edited for a moment.
      element.removeAttribute("data-at-hand");
      const attributes = [...element.attributes].sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const attribute of attributes) element.removeAttributeNode(attribute);
      for (const attribute of attributes) element.setAttributeNode(attribute);
    }
    return parsed.body.innerHTML;
  }, `<!DOCTYPE html><html><body>${body}</body></html>`);
}
