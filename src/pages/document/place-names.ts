/** Names of places for a page's address, in the share sheet and in the statistics. */
import type { Locale } from "../../views/locale.ts";
import type { Place } from "./share-address.ts";

export const PLACE_NAMES: Readonly<Record<Locale, Readonly<Record<Place, string>>>> = {
  ar: {
    instagram: "إنستغرام",
    tiktok: "تيك توك",
    snapchat: "سناب شات",
    youtube: "يوتيوب",
    x: "إكس",
    whatsapp: "واتساب",
    telegram: "تيليغرام",
    facebook: "فيسبوك",
    email: "بريد إلكتروني",
    print: "مطبوعات",
  },
  en: {
    instagram: "Instagram",
    tiktok: "TikTok",
    snapchat: "Snapchat",
    youtube: "YouTube",
    x: "X",
    whatsapp: "WhatsApp",
    telegram: "Telegram",
    facebook: "Facebook",
    email: "E-mail",
    print: "Print",
  },
};
