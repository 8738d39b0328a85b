/** The public bio page: a name, links, and ways to get in touch. */
import { CONTACT_LINK } from "../../objects/tables/event.ts";
import { assetUrl } from "../views/assets.ts";
import { Document } from "../views/document.tsx";
import { Icon, Mark } from "../views/icons.tsx";
import type { Locale } from "../views/locale.ts";
import { initials, plainText, truncated } from "../views/plain-text.ts";
import { TEXTS } from "../views/texts.ts";
import { parseLinkAddress } from "./link-address.ts";
import type { Link, Page } from "./pages-store.ts";
import { CONTACT_LABEL } from "./vcard.ts";

/** Search results and link previews cut a description at about this length. */
const DESCRIPTION_MAX_CHARACTERS = 160;
/** For links to other sites: no endorsement, no referrer, no window handle (S11). */
const OUTWARD = "noopener noreferrer nofollow ugc";

/**
 * The page as one HTML document, without `<!DOCTYPE html>`.
 *
 * Depends only on its arguments, so it can be cached. `origin` is this service's own, as `URL.origin`
 * spells it. Links whose address {@link parseLinkAddress} refuses are left out.
 */
export function BioPage(props: { page: Page; origin: string }) {
  const { page, origin } = props;
  const texts = TEXTS[page.locale];
  const name = truncated(page.name, DESCRIPTION_MAX_CHARACTERS);
  const alt = texts.photo_of(name);
  const picture = page.avatar === null ? null : mediaUrl(page.avatar);
  return (
    <Document
      locale={page.locale}
      theme={page.theme}
      title={name}
      preview={{
        description: truncated(page.bio, DESCRIPTION_MAX_CHARACTERS) || texts.all_links_of(name),
        canonical: `${origin}/${encodeURIComponent(page.slug)}`,
        type: "profile",
        image: picture === null ? null : { url: origin + picture, alt },
      }}
      head={<script defer src={assetUrl("beacon.js")} data-page={page.page_id} />}
    >
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
          <h1 dir="auto">{name}</h1>
          {page.bio !== "" && (
            <p class="bio" dir="auto">
              {plainText(page.bio)}
            </p>
          )}
          <ContactButton page={page} />
        </header>
        <Links page={page} />
      </main>
      <SilaFooter locale={page.locale} />
      <noscript>
        <img class="pixel" src={`/p/${page.page_id}.gif`} alt="" width="1" height="1" />
      </noscript>
    </Document>
  );
}

/** Leads to the contact card through the redirect, which counts the click. */
function ContactButton(props: { page: Page }) {
  const { page_id, contact, locale } = props.page;
  if (contact === null) return null;
  return (
    <a class="contact" href={`/r/${page_id}/${CONTACT_LINK}`} rel={OUTWARD}>
      <Icon name="contact" />
      {CONTACT_LABEL[locale]}
    </a>
  );
}

function Links(props: { page: Page }) {
  const { page } = props;
  const entries = page.links.flatMap((link) => {
    // The redirect takes this id for the contact card.
    const address = link.link_id === CONTACT_LINK ? null : parseLinkAddress(link.url);
    return address === null ? [] : [<LinkEntry page={page} link={link} address={address} />];
  });
  if (entries.length === 0) return null;
  return (
    <nav aria-label={TEXTS[page.locale].links}>
      <ul class="links">{entries}</ul>
    </nav>
  );
}

/** A link with its icon, label and destination. Web addresses go through the redirect, which counts. */
function LinkEntry(props: { page: Page; link: Link; address: string }) {
  const { page, link, address } = props;
  const { icon, destination } = describe(new URL(address));
  const label = plainText(link.label);
  const target =
    icon === "web"
      ? { href: `/r/${page.page_id}/${link.link_id}` }
      : { href: address, "data-link": link.link_id };
  return (
    <li>
      <a class="link" rel={OUTWARD} {...target}>
        <span class="chip">
          <Icon name={icon} />
        </span>
        <span class="words">
          {label !== "" && (
            <span class="label">
              <bdi>{label}</bdi>
            </span>
          )}
          <bdi class="destination" dir="ltr">
            {destination}
          </bdi>
        </span>
        <Icon name="onward" class="onward" />
      </a>
    </li>
  );
}

/** The part of the address that tells a visitor where it leads: the host, the mailbox, the number. */
function describe(url: URL) {
  switch (url.protocol) {
    case "mailto:":
      return { icon: "mail", destination: readable(url.pathname) } as const;
    case "tel:":
      return { icon: "phone", destination: readable(url.pathname) } as const;
    case "sms:":
      return { icon: "message", destination: readable(url.pathname) } as const;
    default:
      return { icon: "web", destination: url.hostname.replace(/^www\./, "") } as const;
  }
}

/** Percent-decoded where the escapes are valid, and cleaned like any other text. */
function readable(text: string): string {
  try {
    return plainText(decodeURIComponent(text));
  } catch {
    return text;
  }
}

/** The picture's path. Its key has the content's hash, so it can be cached for ever. */
function mediaUrl(key: string): string {
  return `/media/${key.split("/").map(encodeURIComponent).join("/")}`;
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
