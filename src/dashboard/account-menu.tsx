import { Icon } from "../views/icons.tsx";
import { languageOf, numberingOf, type ReaderLocale } from "../views/numbering.ts";
import { initials, plainText, truncated } from "../views/plain-text.ts";
import { TEXTS } from "../views/texts.ts";
import { accountAddress, changed, walletAddress } from "./addresses.ts";
import { FRAME_TEXTS } from "./texts.ts";

export interface Account {
  locale: ReaderLocale;
  user_name: string;
  /** The requested address, for links that change one of its parameters. */
  url: URL;
  /** Sila's own accounts have a page (src/identity/account-page.tsx). */
  has_own_accounts: boolean;
}

const NAME_MAX_CHARACTERS = 60;

/** The script shows the button that signs out: without a script it could not send its token. */
export function AccountMenu({ locale, url, user_name, has_own_accounts }: Account) {
  const texts = FRAME_TEXTS[locale];
  const language = languageOf(locale);
  const other = language === "ar" ? "en" : "ar";
  const other_digits = numberingOf(locale) === "arab" ? "latn" : "arab";
  const name = truncated(user_name, NAME_MAX_CHARACTERS) || texts.account;
  return (
    <details class="menu account" data-menu>
      <summary class="quiet">
        <span class="initials" aria-hidden="true">
          {initials(plainText(user_name))}
        </span>
        <span class="sr">{texts.account}: </span>
        <span class="account-name">
          <bdi>{name}</bdi>
        </span>
        <Icon name="down" />
      </summary>
      <div class="menu-panel">
        <p class="signed-in">
          {texts.signed_in_as} <bdi>{name}</bdi>
        </p>
        <a class="menu-item" href={changed(url, { lang: other })} hreflang={other}>
          <span>
            <bdi lang={other} dir={TEXTS[other].direction}>
              {texts.other_language}
            </bdi>
          </span>
        </a>
        {language === "ar" && (
          <a class="menu-item" href={changed(url, { digits: other_digits })}>
            {texts.other_digits}
          </a>
        )}
        {has_own_accounts && (
          <a class="menu-item" href={accountAddress(url)}>
            {texts.account_page}
          </a>
        )}
        <a class="menu-item" href={walletAddress(url)}>
          {texts.wallet}
        </a>
        <button class="menu-item" type="button" data-sign-out hidden>
          {texts.sign_out}
        </button>
      </div>
    </details>
  );
}
