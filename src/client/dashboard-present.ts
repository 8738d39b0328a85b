/** The number of people here now counts down by itself: no update comes when they have left. */
import type { ReaderLocale } from "../views/numbering.ts";
import { counted } from "../views/numbers.ts";

/** Returns a function for updates, and for null while none can come: nobody knows who is there. */
export function presentPeople(page: HTMLElement, locale: ReaderLocale) {
  const element = page.querySelector<HTMLElement>("[data-present]");
  const step_ms = Number(element?.dataset.step);
  let timer: number | undefined;
  return (present: readonly number[] | null): void => {
    clearInterval(timer);
    if (element === null) return;
    element.hidden = present === null;
    if (present === null) return;
    const words = element.dataset.present ?? "";
    const received_ms = performance.now();
    const show = () => {
      const passed = Math.floor((performance.now() - received_ms) / step_ms);
      const steps = present.slice(0, Math.max(0, present.length - passed));
      const n = steps.reduce((sum, each) => sum + each, 0);
      const said = words.replace("#", counted(locale, "visitor", n));
      if (element.textContent !== said) element.textContent = said;
    };
    show();
    timer = setInterval(show, step_ms);
  };
}
