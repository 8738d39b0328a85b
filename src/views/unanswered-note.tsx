/** A script shows it in a form whose answer did not come (`src/client/unanswered.ts`). */
import type { Locale } from "./locale.ts";
import { TEXTS } from "./texts.ts";

export function Unanswered({ locale }: { locale: Locale }) {
  return (
    <p class="note" role="alert" data-unanswered hidden>
      {TEXTS[locale].unanswered}
    </p>
  );
}
