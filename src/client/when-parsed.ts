/** Waits for all of the document: a script that does not wait for the style may be earlier. */
export function whenParsed(work: () => void): void {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", work);
  else work();
}
