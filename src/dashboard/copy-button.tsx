/** The frame's script shows the button, which copies an address. */
import { Icon } from "../views/icons.tsx";
import type { ReaderLocale } from "../views/numbering.ts";
import { FRAME_TEXTS } from "./texts.ts";

export function CopyButton(props: { locale: ReaderLocale; text: string }) {
  const texts = FRAME_TEXTS[props.locale];
  return (
    <button
      class="quiet"
      type="button"
      data-copy={props.text}
      data-copied={texts.copied}
      data-failed={texts.copy_failed}
      hidden
    >
      <Icon name="copy" />
      <span data-words>{texts.copy}</span>
    </button>
  );
}
