/** Where an address leads, for people: an icon, a name, and the host, mailbox or number. */
import type { IconName } from "../views/icons.tsx";
import type { Locale } from "../views/locale.ts";
import { plainText } from "../views/plain-text.ts";
import { readableHost } from "./readable-host.ts";

export interface Destination {
  /** As `parseLinkAddress` returns it. */
  address: string;
  icon: IconName;
  /** The name of a well-known site or of the way of contact, for an icon that stands alone. */
  name: Readonly<Record<Locale, string>>;
  /** The part of the address that tells a visitor where it leads. Runs from left to right. */
  place: string;
  /** Whether the redirect can lead there; a click on other addresses is counted by a beacon. */
  is_web: boolean;
}

/** Well-known sites with their hosts; a host stands for its subdomains too. */
const SITES: readonly {
  icon: IconName;
  name: Readonly<Record<Locale, string>>;
  hosts: readonly string[];
}[] = [
  { icon: "instagram", name: { ar: "إنستغرام", en: "Instagram" }, hosts: ["instagram.com"] },
  { icon: "whatsapp", name: { ar: "واتساب", en: "WhatsApp" }, hosts: ["whatsapp.com", "wa.me"] },
  { icon: "tiktok", name: { ar: "تيك توك", en: "TikTok" }, hosts: ["tiktok.com"] },
  { icon: "x", name: { ar: "إكس", en: "X" }, hosts: ["x.com", "twitter.com"] },
  { icon: "youtube", name: { ar: "يوتيوب", en: "YouTube" }, hosts: ["youtube.com", "youtu.be"] },
  { icon: "snapchat", name: { ar: "سناب شات", en: "Snapchat" }, hosts: ["snapchat.com"] },
  {
    icon: "telegram",
    name: { ar: "تيليغرام", en: "Telegram" },
    hosts: ["t.me", "telegram.me", "telegram.org"],
  },
  {
    icon: "facebook",
    name: { ar: "فيسبوك", en: "Facebook" },
    hosts: ["facebook.com", "fb.com", "fb.me"],
  },
  { icon: "linkedin", name: { ar: "لينكدإن", en: "LinkedIn" }, hosts: ["linkedin.com", "lnkd.in"] },
  {
    icon: "spotify",
    name: { ar: "سبوتيفاي", en: "Spotify" },
    hosts: ["spotify.com", "spotify.link"],
  },
  { icon: "soundcloud", name: { ar: "ساوند كلاود", en: "SoundCloud" }, hosts: ["soundcloud.com"] },
  { icon: "github", name: { ar: "غيت هب", en: "GitHub" }, hosts: ["github.com"] },
  { icon: "threads", name: { ar: "ثريدز", en: "Threads" }, hosts: ["threads.net", "threads.com"] },
  {
    icon: "pinterest",
    name: { ar: "بينترست", en: "Pinterest" },
    hosts: ["pinterest.com", "pinterest.co.uk", "pin.it"],
  },
];

export function destinationOf(address: string): Destination {
  return { address, ...describe(new URL(address)) };
}

function describe(url: URL): Omit<Destination, "address"> {
  switch (url.protocol) {
    case "mailto:": {
      const name = { ar: "البريد الإلكتروني", en: "E-mail" };
      return { icon: "mail", name, place: readable(url.pathname), is_web: false };
    }
    case "tel:": {
      const name = { ar: "الهاتف", en: "Phone" };
      return { icon: "phone", name, place: numberOf(url), is_web: false };
    }
    case "sms:": {
      const name = { ar: "رسالة نصية", en: "Text message" };
      return { icon: "message", name, place: numberOf(url), is_web: false };
    }
    default: {
      const place = readableHost(url.hostname);
      const site = SITES.find(({ hosts }) => hosts.some((host) => isWithin(url.hostname, host)));
      const { icon, name } = site ?? { icon: "web", name: { ar: place, en: place } };
      return { icon, name, place, is_web: true };
    }
  }
}

function isWithin(hostname: string, host: string): boolean {
  return hostname === host || hostname.endsWith(`.${host}`);
}

/** Percent-decoded where the escapes are valid, and cleaned like any other text. */
function readable(text: string): string {
  try {
    return plainText(decodeURIComponent(text));
  } catch {
    return text;
  }
}

/** Without parameters such as `;ext=5` (RFC 3966). */
function numberOf({ pathname }: URL): string {
  const [number = ""] = pathname.split(";");
  return spacedNumber(readable(number));
}

/** The country code of an international number: of one, two or three digits (ITU-T E.164). */
const COUNTRY_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** A number in groups, as people read it. One that its owner has grouped stays as it is. */
function spacedNumber(number: string): string {
  if (!/^\+?\d{6,}$/.test(number)) return number;
  const [country = ""] = COUNTRY_CODE.exec(number) ?? [];
  let rest = number.slice(country.length);
  const groups: string[] = [];
  // Fours at the end and threes before them, so that no digit stands alone: 50 123 4567, 3312 3456.
  while (rest !== "") {
    const size = groups.length === 0 || (groups.length === 1 && rest.length % 3 === 1) ? 4 : 3;
    groups.unshift(rest.slice(-size));
    rest = rest.slice(0, -size);
  }
  return [country, ...groups].join(" ").trim();
}
