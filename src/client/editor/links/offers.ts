/** What a line becomes, or what to choose from. */

import { destinationOf } from "../../../pages/document/destination.ts";
import { LINK_LABEL_CHARS_MAX, LINK_TEXT_CHARS_MAX } from "../../../pages/document/limits.ts";
import { spacedNumber } from "../../../pages/document/spaced-number.ts";
import type { IconName } from "../../../views/icons.tsx";
import { LOCALES, type Locale } from "../../../views/locale.ts";
import { type Link, newLink } from "../draft.ts";
import { locale } from "../locale.ts";
import { LINKS_TEXTS } from "./links-texts.ts";
import type { Found } from "./paste.ts";
import { isProfile, profileOf, SERVICES } from "./services.ts";
import { telOf, whatsappOf } from "./targets.ts";

export interface Offer {
  /** What the choice is called; of a line that is clear, what is added. */
  name: string;
  link: Omit<Partial<Link>, "link_id"> & { kind: Link["kind"] };
  icon: IconName | null;
  /** Where it leads: a platform's name, a host or a number. */
  place: string;
  /** An account may stand in the row of icons. Those of social services do unless the creator changes it. */
  row: "usual" | "possible" | null;
}

export interface Offers {
  offers: readonly Offer[];
  /** The line becomes this unless the creator chooses; null for a question, and for what is left out. */
  usual: Offer | null;
  question: string | null;
  /** Why it is left out at first. */
  reason: string | null;
}

/** The most likely services; a handle on another one is added by its address. */
const SERVICES_OFFERED = 8;
/** A longer line of words is a text, not a heading. */
const HEADING_CHARACTERS_MAX = 60;
const WORDS_MAX = { heading: LINK_LABEL_CHARS_MAX, text: LINK_TEXT_CHARS_MAX } as const;
/** A word that could be an account's name. */
const NAME = /^[a-z\d_]{3,30}$/i;

/** @param is_alone a line that was typed alone: nothing of it is left out unasked */
export function offersFor(found: Found, locales: readonly Locale[], is_alone: boolean): Offers {
  const none = { usual: null, question: null, reason: null };
  switch (found.is) {
    case "link": {
      const offers = addressOffers(found.address, found.label, locales);
      if (found.left_out === null) return { ...none, offers, usual: offers[0] ?? null };
      if (is_alone) return { ...none, offers, question: LINKS_TEXTS.old_page };
      return { ...none, offers, reason: LINKS_TEXTS.reasons[found.left_out] };
    }
    case "phone": {
      const { phone, label, way } = found;
      const title = label || spacedNumber(phone.number);
      const { call, whatsapp } = LINKS_TEXTS;
      const tel = way === "whatsapp" ? null : telOf(phone);
      const is_known = phone.international !== null;
      const question = is_known ? LINKS_TEXTS.call_or_whatsapp : LINKS_TEXTS.which_country;
      const offers = [
        ...addressOffers(whatsappOf(phone), title, locales, whatsapp),
        ...addressOffers(tel, title, locales, call),
      ];
      return { ...none, offers, question };
    }
    case "handle": {
      const { handle, label, address } = found;
      const offers = [...siteOffers(address, label, locales), ...accountOffers(handle, locales)];
      return { ...none, offers, question: LINKS_TEXTS.which_service };
    }
    case "heading": {
      const offers = wordOffers(found.text, locales);
      return { ...none, offers, usual: offers[0] ?? null };
    }
    case "words": {
      const offers = wordOffers(found.text, locales);
      if (!is_alone) return { ...none, offers };
      if (!NAME.test(found.text)) return { ...none, offers, question: LINKS_TEXTS.add_as };
      const accounts = accountOffers(found.text, locales);
      return { ...none, offers: [...accounts, ...offers], question: LINKS_TEXTS.add_as };
    }
    case "refused":
      return { ...none, offers: [], reason: LINKS_TEXTS.refused };
  }
}

/** The kind of words that are taken in. */
export function usualWords(found: Found, offers: readonly Offer[]): Offer | undefined {
  const is_long = found.is === "words" && [...found.text].length > HEADING_CHARACTERS_MAX;
  return offers.at(is_long ? -1 : 0);
}

function accountOffers(handle: string, locales: readonly Locale[]): Offer[] {
  return SERVICES.slice(0, SERVICES_OFFERED).flatMap((service) => {
    const name = destinationOf(service.profile).name[locale];
    return addressOffers(profileOf(service, handle), `@${handle}`, locales, name);
  });
}

function siteOffers(address: string | null, label: string, locales: readonly Locale[]): Offer[] {
  return addressOffers(address, label, locales, LINKS_TEXTS.website);
}

function wordOffers(text: string, locales: readonly Locale[]): Offer[] {
  return (["heading", "text"] as const).map((kind) => ({
    name: kind === "heading" ? LINKS_TEXTS.as_heading : LINKS_TEXTS.as_text,
    icon: null,
    place: "",
    row: null,
    link: { kind, label: inLanguage(text, locales, WORDS_MAX[kind]) },
  }));
}

/** One, or none for no address. Without a `choice` it is called what it is. */
function addressOffers(
  address: string | null,
  label: string,
  locales: readonly Locale[],
  choice?: string,
): Offer[] {
  if (address === null) return [];
  const { icon, name, place } = destinationOf(address);
  const site = icon === "web" ? place : name[locale];
  const is_number = icon === "whatsapp" || icon === "phone";
  const row = !isProfile(address) ? null : is_number ? "possible" : "usual";
  const own = label || site;
  const link = { kind: "link", url: address, label: labelled(label, address, locales) } as const;
  return [{ name: choice ?? own, icon, row, link, place: own === site ? "" : site }];
}

/** Falls back to the service's name; a site that nobody knows is shown by its host. */
function labelled(label: string, url: string, locales: readonly Locale[]): Link["label"] {
  const { icon, name, place } = destinationOf(url);
  const inAll = (text: (each: Locale) => string) =>
    Object.fromEntries(locales.map((each) => [each, text(each)]));
  // Handles, numbers and mailboxes are of no language.
  if (/^[@+]/.test(label) || (label === place && icon !== "web")) return inAll(() => label);
  if (label !== "") return inLanguage(label, locales, LINK_LABEL_CHARS_MAX);
  return icon === "web" ? {} : inAll((each) => name[each]);
}

/** A text belongs to the language of its letters, if the page has that one. */
function inLanguage(
  text: string,
  locales: readonly Locale[],
  max_characters: number,
): Link["label"] {
  const script = /\p{Script=Arabic}/u.test(text) ? "ar" : "en";
  const language = locales.includes(script) ? script : (locales[0] ?? LOCALES[0]);
  return { [language]: [...text].slice(0, max_characters).join("") };
}

export function linkOf({ link: { kind, ...members }, row }: Offer, is_icon: boolean): Link {
  return newLink(row !== null && is_icon ? "social" : kind, members);
}
