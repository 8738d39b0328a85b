import type { FC } from "hono/jsx";
import { CONTACT_LINK } from "../../../objects/events/event.ts";
import { isOpen } from "../../../objects/page/open-link.ts";
import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { drawn, inLanguage } from "../../views/drawn-text.ts";
import { Icon } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { plainText } from "../../views/plain-text.ts";
import { TEXTS } from "../../views/texts.ts";
import { type BlockKind, isBlock } from "../document/block-kinds.ts";
import { type Destination, destinationOf } from "../document/destination.ts";
import { parseLinkAddress } from "../document/link-address.ts";
import { mediaPath } from "../document/page-address.ts";
import type { Link } from "../document/page-document.ts";
import { languageIn, otherLanguage, textIn } from "../document/page-words.ts";
import { DownloadBlock } from "./download-block.tsx";
import { LongText } from "./long-text.tsx";
import { NewsletterBlock } from "./newsletter-block.tsx";
import type { BlockProps, Entry, EntryProps, Shown } from "./shown.ts";
import { TipBlock } from "./tip-block.tsx";

/** Links to other sites: no endorsement, no referrer, no window handle (S11). */
export const OUTWARD = "noopener noreferrer nofollow ugc";

/** A phone may cut longer labels (bio.css), but not for pointer, keyboard and screen reader. */
const LABEL_CHARACTERS = 100;

/** A card's picture is cut to 16 to 9: pixels of a wide screen at double density. */
const PICTURE_PX = { width: 960, height: 540 };

/** Open links that {@link parseLinkAddress} accepts, and headings and texts with words. */
export function entriesOf({ page, locale, now }: Shown): Entry[] {
  const now_s = Math.floor(now / SECOND_MS);
  return page.links.flatMap((link): Entry[] => {
    // The redirect takes this id for the contact card.
    if (!isOpen(link, now_s) || link.link_id === CONTACT_LINK) return [];
    const entry = entryOf(link);
    if (entry === null) return [];
    const has_words = () => plainText(textIn(link.label, locale)) !== "";
    return entry.destination !== null || isBlock(entry.kind) || has_words() ? [entry] : [];
  });
}

/** The editor shows its draft with each key that is pressed, and all links but one are the same. */
const entries = new WeakMap<Link, Entry | null>();

function entryOf(link: Link): Entry | null {
  const known = entries.get(link);
  if (known !== undefined) return known;
  const { url, ...members } = link;
  const leads_nowhere = link.kind === "heading" || link.kind === "text" || isBlock(link.kind);
  const address = leads_nowhere ? null : parseLinkAddress(url ?? "");
  const entry =
    leads_nowhere || address !== null
      ? { ...members, destination: address === null ? null : destinationOf(address) }
      : null;
  entries.set(link, entry);
  return entry;
}

export function Socials(props: { shown: Shown; entries: readonly Entry[] }) {
  const { shown, entries } = props;
  const { locale } = shown;
  const icons = entries.flatMap(({ link_id, kind, label, destination }) => {
    if (kind !== "social" || destination === null) return [];
    const text = plainText(textIn(label, locale)) || destination.name[locale];
    const { href, ...target } = targetOf(shown, link_id, destination);
    return [
      <li data-entry={entryMark(shown, link_id)}>
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

export function LinkList(props: { shown: Shown; entries: readonly Entry[] }) {
  const { shown, entries } = props;
  const { links, no_links } = TEXTS[shown.locale];
  const { RenderedEntry = ListEntry } = shown;
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
          <li data-entry={entryMark(shown, entry.link_id)}>
            <RenderedEntry shown={shown} entry={entry} is_lazy={entry !== first_picture} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The editor finds an entry of its preview by it. Visitors' pages are without. */
function entryMark({ is_preview }: Shown, link_id: string): string | undefined {
  return is_preview ? link_id : undefined;
}

/** A browser need not render an entry again that is the same. */
export function isSameEntry(a: Readonly<EntryProps>, b: Readonly<EntryProps>): boolean {
  return (
    a.entry === b.entry &&
    a.is_lazy === b.is_lazy &&
    a.shown.locale === b.shown.locale &&
    a.shown.is_preview === b.shown.is_preview &&
    a.shown.page.page_id === b.shown.page.page_id &&
    // Its consent names who sends the letters.
    (a.entry.kind !== "newsletter" || ownerOf(a) === ownerOf(b))
  );
}

function ownerOf({ shown }: Readonly<EntryProps>): string {
  return textIn(shown.page.name, shown.locale);
}

const BLOCKS: Readonly<Record<BlockKind, FC<BlockProps>>> = {
  tip: TipBlock,
  download: DownloadBlock,
  newsletter: NewsletterBlock,
};

export function ListEntry({ shown, entry, is_lazy }: EntryProps) {
  if (isBlock(entry.kind)) {
    const Block = BLOCKS[entry.kind];
    return <Block shown={shown} entry={entry} />;
  }
  const { label, destination, image, alt = {}, highlight, link_id } = entry;
  const { locale } = shown;
  const words = plainText(textIn(label, locale));
  const language = languageIn(label, locale);
  if (destination === null) {
    return entry.kind === "heading" ? (
      <h2 class="heading" {...inLanguage(language)}>
        {drawn(words, language)}
      </h2>
    ) : (
      <LongText locale={locale} class="text" language={language} text={words} />
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
          alt={plainText(textIn(alt, locale))}
          lang={otherLanguage(alt, locale)}
          {...PICTURE_PX}
          loading={is_lazy ? "lazy" : undefined}
        />
      )}
      <Words
        {...(words === "" ? nameOf(destination, locale) : { label: words, language })}
        place={destination.place}
      />
      <Icon name="onward" class="onward" />
    </a>
  );
}

function nameOf({ name, place, is_web }: Destination, locale: Locale) {
  return { label: is_web && name[locale] !== place ? name[locale] : "", language: locale };
}

function Words(props: { label: string; language: Locale; place: string }) {
  const { label, language, place } = props;
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
      <span class="label" title={[...label].length > LABEL_CHARACTERS ? label : undefined}>
        <bdi {...inLanguage(language)}>{drawn(label, language)}</bdi>
      </span>
      <bdi class="destination" dir="ltr">
        {place}
      </bdi>
    </span>
  );
}

/** Clicks on web addresses count in the redirect, on others by the page script's beacon. */
function targetOf({ page, is_preview }: Shown, link_id: string, { address, is_web }: Destination) {
  if (is_preview) return { href: address, rel: OUTWARD, target: "_blank" };
  return is_web
    ? { href: `/r/${page.page_id}/${link_id}`, rel: OUTWARD }
    : { href: address, rel: OUTWARD, "data-link": link_id };
}
