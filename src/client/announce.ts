/** Screen readers hear it by the frame's `role="status"`. */
export function announce(words: string): void {
  const status = document.querySelector("[data-announcer]");
  if (status !== null) status.textContent = words;
}
