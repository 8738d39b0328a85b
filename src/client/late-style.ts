/**
 * Shows a page whose style sheets stall. Browsers paint nothing until each sheet of the document
 * has arrived or failed, however long that takes; they do not wait for one that is for no medium.
 * Chromium and WebKit go on loading it, for when it comes after all. Firefox waits all the same.
 */

/** Counted from the arrival of this script, which is loaded beside the style. */
const STYLE_MAX_MS = 3000;

export function showWithoutStyle(): void {
  setTimeout(() => {
    for (const link of document.querySelectorAll<HTMLLinkElement>("[rel=stylesheet]")) {
      if (link.sheet) continue;
      link.media = "not all";
      link.onload = () => {
        link.onload = null;
        link.media = "all";
      };
    }
  }, STYLE_MAX_MS);
}
