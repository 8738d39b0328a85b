/** Where an address leads, for people: an icon, a name, and the host, mailbox or number. */
import type { IconName } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { plainText } from "../../views/plain-text.ts";
import { readableHost } from "./readable-host.ts";
import { spacedNumber } from "./spaced-number.ts";

export interface Destination {
  /** The spelling that `parseLinkAddress` returns. */
  address: string;
  icon: IconName;
  /** The name of a well-known site or of the way of contact, for an icon that stands alone. */
  name: Readonly<Record<Locale, string>>;
  /** Tells a visitor where the address leads. Runs from left to right. */
  place: string;
  /** The redirect leads to web addresses only; a click on others is counted by a beacon. */
  is_web: boolean;
}

/** A host stands for its subdomains too. One with a path is only what is below this path. */
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
  { icon: "anghami", name: { ar: "أنغامي", en: "Anghami" }, hosts: ["anghami.com"] },
  { icon: "applemusic", name: { ar: "آبل ميوزك", en: "Apple Music" }, hosts: ["music.apple.com"] },
  {
    icon: "podcasts",
    name: { ar: "آبل بودكاست", en: "Apple Podcasts" },
    hosts: ["podcasts.apple.com"],
  },
  { icon: "twitch", name: { ar: "تويتش", en: "Twitch" }, hosts: ["twitch.tv"] },
  {
    icon: "discord",
    name: { ar: "ديسكورد", en: "Discord" },
    hosts: ["discord.com", "discord.gg"],
  },
  { icon: "patreon", name: { ar: "باتريون", en: "Patreon" }, hosts: ["patreon.com"] },
  { icon: "kofi", name: { ar: "كوفاي", en: "Ko-fi" }, hosts: ["ko-fi.com"] },
  { icon: "paypal", name: { ar: "باي بال", en: "PayPal" }, hosts: ["paypal.com", "paypal.me"] },
  { icon: "behance", name: { ar: "بيهانس", en: "Behance" }, hosts: ["behance.net"] },
  {
    icon: "amazon",
    name: { ar: "أمازون", en: "Amazon" },
    hosts: [
      ...["amazon.com", "amazon.sa", "amazon.ae", "amazon.eg", "amazon.co.uk", "amazon.de"],
      ...["amazon.fr", "amzn.to", "amzn.eu", "a.co"],
    ],
  },
  { icon: "salla", name: { ar: "سلة", en: "Salla" }, hosts: ["salla.sa", "salla.com"] },
  { icon: "zid", name: { ar: "زد", en: "Zid" }, hosts: ["zid.store", "zid.sa"] },
  { icon: "noon", name: { ar: "نون", en: "Noon" }, hosts: ["noon.com"] },
  {
    icon: "maps",
    name: { ar: "خرائط غوغل", en: "Google Maps" },
    hosts: ["maps.google.com", "maps.app.goo.gl", "google.com/maps", "goo.gl/maps"],
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
      const site = SITES.find(({ hosts }) => hosts.some((host) => isWithin(url, host)));
      const { icon, name } = site ?? { icon: "web", name: { ar: place, en: place } };
      return { icon, name, place, is_web: true };
    }
  }
}

function isWithin({ hostname, pathname }: URL, site: string): boolean {
  const [host = "", folder] = site.split("/");
  if (hostname !== host && !hostname.endsWith(`.${host}`)) return false;
  return folder === undefined || pathname === `/${folder}` || pathname.startsWith(`/${folder}/`);
}

function readable(text: string): string {
  try {
    return plainText(decodeURIComponent(text));
  } catch {
    return text;
  }
}

/** Parameters such as `;ext=5` are left out (RFC 3966). */
function numberOf({ pathname }: URL): string {
  const [number = ""] = pathname.split(";");
  return spacedNumber(readable(number));
}
