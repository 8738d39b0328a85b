import { Icon } from "../views/icons.tsx";
import { languageOf, type ReaderLocale } from "../views/numbering.ts";
import { formatNumber, inForm } from "../views/numbers.ts";
import { notificationsAddress } from "./addresses.ts";
import { UNREAD } from "./script-texts.ts";
import { FRAME_TEXTS } from "./texts.ts";

/** The bell has room for two digits. */
const SHOWN_MAX = 99;

export function Bell(props: { locale: ReaderLocale; url: URL; unread: number }) {
  const { locale, url, unread } = props;
  const shown = formatNumber(locale, Math.min(unread, SHOWN_MAX));
  return (
    <a class="quiet bell" href={notificationsAddress(url)} data-bell>
      <Icon name="bell" />
      <span class="sr">{FRAME_TEXTS[locale].notifications}</span>
      {unread > 0 && (
        <>
          <span class="unread" aria-hidden="true">
            {unread > SHOWN_MAX ? `${shown}+` : shown}
          </span>
          <span class="sr"> ({inForm(locale, UNREAD[languageOf(locale)], unread)})</span>
        </>
      )}
    </a>
  );
}
