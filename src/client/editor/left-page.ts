/**
 * The page as this tab saved it while it was left. A reload asks for the page first, and the tab saves until the answer
 * begins: what was saved in between is not in that answer, and no draft is left of it either.
 */
import type { SavedPage } from "./draft.ts";

const KEY = "sila-left";

/** Hands what is saved between a request for another document and its answer to {@link newestOf}. */
export function keepLeftPage(saved: () => SavedPage): void {
  let asked_version = 0;
  window.addEventListener("beforeunload", () => {
    asked_version = saved().version;
  });
  window.addEventListener("pagehide", () => {
    if (asked_version === 0 || saved().version === asked_version) return;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(saved()));
    } catch {
      // Full or switched off: the next save meets the newer version, and merges.
    }
  });
}

/** The newer one of the page that was loaded and the one that was left; forgets the latter. */
export function newestOf(loaded: SavedPage): SavedPage {
  try {
    const left = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as SavedPage | null;
    sessionStorage.removeItem(KEY);
    const is_newer = left?.page_id === loaded.page_id && left.version > loaded.version;
    return is_newer ? left : loaded;
  } catch {
    return loaded;
  }
}
