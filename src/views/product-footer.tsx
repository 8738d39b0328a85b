import { Mark } from "./icons.tsx";
import type { Locale } from "./locale.ts";
import { TEXTS } from "./texts.ts";

/** A page on which a visitor does one thing has it: it leads nowhere else. */
export function ProductFooter({ locale }: { locale: Locale }) {
  return (
    <footer class="footer">
      <span>
        <Mark />
        {TEXTS[locale].product}
      </span>
    </footer>
  );
}
