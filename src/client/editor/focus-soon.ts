/** A button that its own press removes would leave the keyboard at the top of the page. */
export function focusSoon(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}
