/**
 * The body of a page: a name, links, and ways to get in touch. The editor's preview renders it in
 * the browser, so neither it nor what it imports may use anything of the server, and no schema.
 */
import { CONTACT_LINK } from "../../../objects/events/event.ts";
import { drawn, inLanguage } from "../../views/drawn-text.ts";
import { Icon, Mark } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { initials, plainText, truncated } from "../../views/plain-text.ts";
import { TEXTS } from "../../views/texts.ts";
import { CONTACT_LABEL, cardPath } from "../document/card-address.ts";
import { mediaPath, pagePath } from "../document/page-address.ts";
import { languageIn, textIn } from "../document/page-words.ts";
import { entriesOf, LinkList, OUTWARD, Socials } from "./link-list.tsx";
import { LongText } from "./long-text.tsx";
import type { Shown } from "./shown.ts";

/** Link previews cut a name at about this length. */
export const NAME_SHOWN_CHARACTERS = 160;

export function BioBody(props: Shown) {
  const { page, locale, is_preview } = props;
  const texts = TEXTS[locale];
  const name = truncated(textIn(page.name, locale), NAME_SHOWN_CHARACTERS);
  const name_language = languageIn(page.name, locale);
  const bio = textIn(page.bio, locale);
  const picture = page.avatar === null ? null : mediaPath(page.avatar);
  const entries = entriesOf(props);
  return (
    <>
      <div class="corner">
        <LanguageSwitch {...props} />
        <ShareButton {...props} />
      </div>
      <main class="page">
        <header class="profile">
          <div class="portrait">
            {picture === null ? (
              <span class="initials" aria-hidden="true">
                {initials(name)}
              </span>
            ) : (
              <img
                src={picture}
                alt={texts.photo_of(name)}
                width="112"
                height="112"
                fetchpriority="high"
              />
            )}
          </div>
          <h1 {...inLanguage(name_language)}>{drawn(name, name_language)}</h1>
          {bio !== "" && (
            <LongText
              locale={locale}
              class="bio"
              language={languageIn(page.bio, locale)}
              text={plainText(bio)}
            />
          )}
          <Socials shown={props} entries={entries} />
          <ContactButton {...props} />
        </header>
        <LinkList shown={props} entries={entries} />
      </main>
      <SilaFooter locale={locale} />
      {!is_preview && (
        <noscript>
          <img
            class="pixel"
            src={`/p/${page.page_id}.gif?l=${locale}`}
            alt=""
            width="1"
            height="1"
          />
        </noscript>
      )}
    </>
  );
}

/**
 * Opens the system's dialog, or copies the address and says so. Only the page's script can do that,
 * and it shows the button; its room is kept, so that nothing moves then.
 */
function ShareButton({ locale, is_preview }: Shown) {
  const { share, copied } = TEXTS[locale];
  return (
    <>
      <span class="copied" role="status" />
      <button
        class="share-page"
        type="button"
        aria-label={share}
        data-copied={copied}
        hidden={!is_preview}
      >
        <Icon name="share" />
      </button>
    </>
  );
}

function LanguageSwitch({ page, locale, is_preview }: Shown) {
  const others = page.locales.filter((other) => other !== locale);
  if (others.length === 0) return null;
  return (
    <nav class="languages" aria-label={TEXTS[locale].languages}>
      {others.map((other) => (
        <a
          href={is_preview ? `?lang=${other}` : pagePath(page, other)}
          lang={other}
          hreflang={other}
        >
          {TEXTS[other].own_name}
        </a>
      ))}
    </nav>
  );
}

/** Leads to the contact card through the redirect, which counts the click. */
function ContactButton({ page, locale, is_preview }: Shown) {
  const { page_id, slug, status, contact } = page;
  if (contact === null) return null;
  // A draft has no card yet, so in its preview the button leads nowhere.
  const card = status === "published" ? cardPath(slug, "3.0") : undefined;
  const href = is_preview ? card : `/r/${page_id}/${CONTACT_LINK}`;
  return (
    <a class="contact" href={href} rel={href && OUTWARD}>
      <Icon name="contact" />
      {CONTACT_LABEL[locale]}
    </a>
  );
}

function SilaFooter(props: { locale: Locale }) {
  return (
    <footer class="footer">
      <a href="/">
        <Mark />
        {TEXTS[props.locale].made_with}
      </a>
    </footer>
  );
}
