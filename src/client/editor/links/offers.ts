/** A pasted line becomes one thing, or several to choose from. */

import { destinationOf } from "../../../pages/document/destination.ts";
import { LINK_LABEL_CHARS_MAX, LINK_TEXT_CHARS_MAX } from "../../../pages/document/limits.ts";
import type { IconName } from "../../../views/icons.tsx";
import { LOCALES, type Locale } from "../../../views/locale.ts";
import { type Link, newLink } from "../draft.ts";
import { locale } from "../locale.ts";
import { LINKS_TEXTS } from "./links-texts.ts";
import { type Found, telOf, whatsappOf } from "./paste.ts";
import { profileOf, SERVICES } from "./services.ts";

export interface Offer {
  name: string;
  link: Omit<Partial<Link>, "link_id"> & { kind: Link["kind"] };
  icon: IconName | null;
  /** A number, which shows whose it is. */
  place?: string;
}

export interface Offers {
  offers: readonly Offer[];
  /** The line becomes this unless the creator chooses; null where nobody could guess. */
  usual: Offer | null;
  question: string | null;
}

/** The most likely services; a handle on another one is added by its address. */
const SERVICES_OFFERED = 8;
/** A longer line of words is a text, not a heading. */
const HEADING_CHARACTERS_MAX = 60;
const WORDS_MAX = { heading: LINK_LABEL_CHARS_MAX, text: LINK_TEXT_CHARS_MAX } as const;

export function offersFor(found: Found, locales: readonly Locale[]): Offers {
  const all = offersOf(found, locales);
  switch (found.is) {
    case "handle":
      return { offers: all, usual: null, question: LINKS_TEXTS.which_service };
    case "refused":
      return { offers: [], usual: null, question: LINKS_TEXTS.refused };
    case "phone": {
      const usual = all.length === 1 || found.phone.international === null ? all[0] : undefined;
      const question = found.phone.international === null ? LINKS_TEXTS.no_country : null;
      return { offers: all, usual: usual ?? null, question };
    }
    case "words": {
      const is_long = [...found.text].length > HEADING_CHARACTERS_MAX;
      return { offers: all, usual: all[is_long ? 1 : 0] ?? null, question: null };
    }
    default:
      return { offers: all, usual: all[0] ?? null, question: null };
  }
}

function offersOf(found: Found, locales: readonly Locale[]): Offer[] {
  const offer = (kind: "link" | "social", name: string, url: string | null, label: string) =>
    url === null ? [] : [addressOffer(kind, name, url, labelled(label, url, locales))];
  switch (found.is) {
    case "address": {
      const { address, label, is_profile } = found;
      return [
        ...(is_profile ? offer("social", LINKS_TEXTS.as_icon, address, label) : []),
        ...offer("link", LINKS_TEXTS.as_link, address, label),
      ];
    }
    case "phone": {
      const { phone, label, asked } = found;
      return [
        ...(asked === "whatsapp" && phone.international !== null
          ? []
          : offer("link", LINKS_TEXTS.call, telOf(phone), label)),
        ...(asked === "call" ? [] : offer("link", LINKS_TEXTS.whatsapp, whatsappOf(phone), label)),
      ];
    }
    case "handle":
      return SERVICES.slice(0, SERVICES_OFFERED).flatMap((service) => {
        const url = profileOf(service, found.handle);
        return offer("social", destinationOf(service.profile).name[locale], url, found.label);
      });
    case "words":
      return (["heading", "text"] as const).map((kind) => ({
        name: kind === "heading" ? LINKS_TEXTS.as_heading : LINKS_TEXTS.as_text,
        icon: null,
        link: { kind, label: inLanguage(found.text, locales, WORDS_MAX[kind]) },
      }));
    case "refused":
      return [];
  }
}

function addressOffer(
  kind: "link" | "social",
  name: string,
  url: string,
  label: Link["label"],
): Offer {
  const { icon, place } = destinationOf(url);
  const offer = { name, icon, link: { kind, url, label } };
  return url.startsWith("tel:") ? { ...offer, place } : offer;
}

/** Falls back to the service's name; a site that nobody knows is shown by its host. */
function labelled(label: string, url: string, locales: readonly Locale[]): Link["label"] {
  if (label !== "") return inLanguage(label, locales, LINK_LABEL_CHARS_MAX);
  const { icon, name } = destinationOf(url);
  if (icon === "web") return {};
  return Object.fromEntries(locales.map((each) => [each, name[each]]));
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

export function linkOf({ link: { kind, ...members } }: Offer): Link {
  return newLink(kind, members);
}
