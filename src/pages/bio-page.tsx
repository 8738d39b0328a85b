/** The public bio page: a name, links, and ways to get in touch. */
import { CONTACT_LINK } from "../../objects/tables/event.ts";
import { assetUrl } from "../views/assets.ts";
import { Document } from "../views/document.tsx";
import { Icon, Mark } from "../views/icons.tsx";
import type { Locale } from "../views/locale.ts";
import { initials, plainText, truncated } from "../views/plain-text.ts";
import { TEXTS } from "../views/texts.ts";
import { entriesOf, LinkList, OUTWARD, type Shown, Socials } from "./link-list.tsx";
import { mediaPath, pagePath } from "./page-address.ts";
import { defaultLocale, otherLanguage, textIn } from "./page-document.ts";
import { CONTACT_LABEL, cardPath } from "./vcard.ts";

/** Search results and link previews cut a description at about this length. */
const DESCRIPTION_MAX_CHARACTERS = 160;

/**
 * The page in one of its languages as one HTML document, without `<!DOCTYPE html>`. Texts that are not
 * translated are in the other one.
 *
 * Depends only on its arguments, so it can be cached. `origin` is this service's own, as `URL.origin`
 * spells it.
 */
export function BioPage(props: Shown & { origin: string }) {
  const { page, locale, is_preview, origin } = props;
  const texts = TEXTS[locale];
  const name = truncated(textIn(page.name, locale), DESCRIPTION_MAX_CHARACTERS);
  const bio = textIn(page.bio, locale);
  const alt = texts.photo_of(name);
  const picture = page.avatar === null ? null : mediaPath(page.avatar);
  const preview = {
    description: truncated(bio, DESCRIPTION_MAX_CHARACTERS) || texts.all_links_of(name),
    canonical: origin + pagePath(page, locale),
    type: "profile",
    image: picture === null ? null : { url: origin + picture, alt },
  } as const;
  const entries = entriesOf(props);
  return (
    <Document
      locale={locale}
      look={page.look}
      title={name}
      preview={is_preview ? null : preview}
      head={!is_preview && <PublicHead {...props} />}
    >
      <LanguageSwitch {...props} />
      <main class="page">
        <header class="profile">
          <div class="portrait">
            {picture === null ? (
              <span class="initials" aria-hidden="true">
                {initials(name)}
              </span>
            ) : (
              <img src={picture} alt={alt} width="112" height="112" fetchpriority="high" />
            )}
          </div>
          <h1 dir="auto" lang={otherLanguage(page.name, locale)}>
            {name}
          </h1>
          {bio !== "" && (
            <p class="bio" dir="auto" lang={otherLanguage(page.bio, locale)}>
              {plainText(bio)}
            </p>
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
    </Document>
  );
}

/** What only the public page has: the script that counts, and what search engines read. */
function PublicHead(props: Shown & { origin: string }) {
  const { page, locale, origin } = props;
  const address = (one: Locale) => origin + pagePath(page, one);
  return (
    <>
      {!page.indexed && <meta name="robots" content="noindex" />}
      {page.locales.length > 1 && (
        <>
          {page.locales.map((one) => (
            <link rel="alternate" hreflang={one} href={address(one)} />
          ))}
          <link rel="alternate" hreflang="x-default" href={address(defaultLocale(page))} />
          {page.locales
            .filter((other) => other !== locale)
            .map((other) => (
              <meta property="og:locale:alternate" content={TEXTS[other].og_locale} />
            ))}
        </>
      )}
      <script defer src={assetUrl("beacon.js")} data-page={page.page_id} />
    </>
  );
}

/** Links to the page's other languages, each in its own words. */
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
    <a class="contact" href={href} rel={OUTWARD}>
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
