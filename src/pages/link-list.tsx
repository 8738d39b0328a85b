/** The links of a page: the row of icons, and the list with its headings and texts. */
import { isOpen } from "../../objects/page/page-row.ts";
import { SECOND_MS } from "../../objects/platform/clock.ts";
import { CONTACT_LINK } from "../../objects/tables/event.ts";
import { Icon } from "../views/icons.tsx";
import type { Locale } from "../views/locale.ts";
import { plainText } from "../views/plain-text.ts";
import { TEXTS } from "../views/texts.ts";
import { type Destination, destinationOf } from "./destination.ts";
import { parseLinkAddress } from "./link-address.ts";
import { mediaPath } from "./page-address.ts";
import { type Link, otherLanguage, textIn } from "./page-document.ts";
import type { Page } from "./pages-store.ts";

/** For links to other sites: no endorsement, no referrer, no window handle (S11). */
export const OUTWARD = "noopener noreferrer nofollow ugc";

/** The room for a card's picture, which is cut to it: 16 to 9, in pixels of a wide screen at double density. */
const PICTURE_PX = { width: 960, height: 540 };

/** The page as one visitor, or its owner in the preview, sees it. */
export interface Shown {
  page: Page;
  locale: Locale;
  /** Unix milliseconds. */
  now: number;
  /** For its owner: nothing is counted, so links lead directly to their addresses. */
  is_preview: boolean;
}

interface Entry extends Omit<Link, "url"> {
  /** Null for a heading or a text. */
  destination: Destination | null;
}

/**
 * The links that are switched on and within their times, without those whose address
 * {@link parseLinkAddress} refuses, and without headings and texts that have no words.
 */
export function entriesOf({ page, locale, now }: Shown): Entry[] {
  const now_s = Math.floor(now / SECOND_MS);
  return page.links.flatMap(({ url, ...link }): Entry[] => {
    // The redirect takes this id for the contact card.
    if (!isOpen(link, now_s) || link.link_id === CONTACT_LINK) return [];
    if (link.kind === "heading" || link.kind === "text") {
      const has_words = plainText(textIn(link.label, locale)) !== "";
      return has_words ? [{ ...link, destination: null }] : [];
    }
    const address = parseLinkAddress(url ?? "");
    return address === null ? [] : [{ ...link, destination: destinationOf(address) }];
  });
}

/** The links of kind `social`, each an icon with its name for screen readers. */
export function Socials(props: { shown: Shown; entries: readonly Entry[] }) {
  const { shown, entries } = props;
  const { locale } = shown;
  const icons = entries.flatMap(({ link_id, kind, label, destination }) => {
    if (kind !== "social" || destination === null) return [];
    const text = plainText(textIn(label, locale)) || destination.name[locale];
    const { href, ...target } = targetOf(shown, link_id, destination);
    return [
      <li>
        <a
          class="social"
          href={href}
          {...target}
          aria-label={text}
          title={text}
          lang={otherLanguage(label, locale)}
        >
          <Icon name={destination.icon} />
        </a>
      </li>,
    ];
  });
  if (icons.length === 0) return null;
  return (
    <ul class="socials" aria-label={TEXTS[locale].socials}>
      {icons}
    </ul>
  );
}

/** All other links in their order, or a line that says that the page has none. */
export function LinkList(props: { shown: Shown; entries: readonly Entry[] }) {
  const { shown, entries } = props;
  const { links, no_links } = TEXTS[shown.locale];
  if (entries.length === 0) {
    return (
      <div class="links">
        <p class="text">{no_links}</p>
      </div>
    );
  }
  const listed = entries.filter(({ kind }) => kind !== "social");
  if (listed.length === 0) return null;
  const first_picture = listed.find(({ image }) => image !== null);
  return (
    <nav aria-label={links}>
      <ul class="links">
        {listed.map((entry) => (
          <li>
            <ListEntry shown={shown} entry={entry} is_lazy={entry !== first_picture} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ListEntry(props: { shown: Shown; entry: Entry; is_lazy: boolean }) {
  const { shown, entry, is_lazy } = props;
  const { label, destination, image, highlight, link_id } = entry;
  const { locale } = shown;
  const words = plainText(textIn(label, locale));
  const lang = otherLanguage(label, locale);
  if (destination === null) {
    return entry.kind === "heading" ? (
      <h2 class="heading" dir="auto" lang={lang}>
        {words}
      </h2>
    ) : (
      <p class="text" dir="auto" lang={lang}>
        {words}
      </p>
    );
  }
  const kinds = ["link", image !== null && "card", highlight && "highlight"];
  return (
    <a class={kinds.filter(Boolean).join(" ")} {...targetOf(shown, link_id, destination)}>
      {image === null ? (
        <span class="chip">
          <Icon name={destination.icon} />
        </span>
      ) : (
        <img
          class="picture"
          src={mediaPath(image)}
          alt=""
          {...PICTURE_PX}
          loading={is_lazy ? "lazy" : undefined}
        />
      )}
      <Words label={words} lang={lang} place={destination.place} />
      <Icon name="onward" class="onward" />
    </a>
  );
}

/** The label above the place to which the link leads; without a label the place alone. */
function Words(props: { label: string; lang: Locale | undefined; place: string }) {
  const { label, lang, place } = props;
  if (label === "") {
    return (
      <span class="words">
        <bdi class="label" dir="ltr">
          {/* A long host breaks before a dot. */}
          {place.split(/(?<=.)(?=\.)/).map((part, i) => (i === 0 ? part : [<wbr />, part]))}
        </bdi>
      </span>
    );
  }
  return (
    <span class="words">
      <span class="label">
        <bdi lang={lang}>{label}</bdi>
      </span>
      <bdi class="destination" dir="ltr">
        {place}
      </bdi>
    </span>
  );
}

/**
 * The attributes of a link. Web addresses go through the redirect, which counts; for others the page's
 * script sends a beacon.
 */
function targetOf({ page, is_preview }: Shown, link_id: string, { address, is_web }: Destination) {
  if (is_preview) return { href: address, rel: OUTWARD, target: "_blank" };
  return is_web
    ? { href: `/r/${page.page_id}/${link_id}`, rel: OUTWARD }
    : { href: address, rel: OUTWARD, "data-link": link_id };
}
