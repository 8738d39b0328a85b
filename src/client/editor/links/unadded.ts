/**
 * Text in the field for new links that is not added yet. It stays while another panel is open and
 * over a reload or a sign-in, and the browser asks before the tab with it is closed.
 */
const KEY = "sila-unadded";

/** Keeps texts by page in a browser without storage. */
const texts = new Map<string, string>();

const ask = (event: Event) => event.preventDefault();

export function unadded(page_id: string): string {
  const known = texts.get(page_id);
  if (known !== undefined) return known;
  try {
    const text = sessionStorage.getItem(`${KEY}:${page_id}`) ?? "";
    keepUnadded(page_id, text);
    return text;
  } catch {
    return "";
  }
}

export function keepUnadded(page_id: string, text: string): void {
  texts.set(page_id, text);
  // Only while it is needed: a page with such a listener is not kept for the back button.
  if (text.trim() === "") window.removeEventListener("beforeunload", ask);
  else window.addEventListener("beforeunload", ask);
  try {
    if (text === "") sessionStorage.removeItem(`${KEY}:${page_id}`);
    else sessionStorage.setItem(`${KEY}:${page_id}`, text);
  } catch {
    // The storage is full or switched off: the browser still asks.
  }
}
