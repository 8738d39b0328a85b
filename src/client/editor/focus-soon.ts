/**
 * Moves the focus to an element of the next rendering. A button that its own press removes would leave
 * it on the document, and the keyboard at the top of the page.
 */
export function focusSoon(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}
