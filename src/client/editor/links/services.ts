import { destinationOf } from "../../../pages/document/destination.ts";
import { parseLinkAddress } from "../../../pages/document/link-address.ts";
import { spacedNumber } from "../../../pages/document/spaced-number.ts";
import { plainText } from "../../../views/plain-text.ts";

export interface Service {
  /** Its icon has this name, by which `destinationOf` knows it, too. */
  id: string;
  /** A profile's address without the handle at its end. */
  profile: string;
  names: RegExp;
  path: RegExp;
}

export const SERVICES: readonly Service[] = [
  {
    id: "instagram",
    profile: "https://www.instagram.com/",
    names: /^(?:insta ?gram|insta|ig|انستا|انست[غقجك]رام)$/,
    path: /^\/(?!(?:p|reels?|stories|explore|tv|accounts|direct)(?:\/|$))[\w.]+\/?$/,
  },
  {
    id: "tiktok",
    profile: "https://www.tiktok.com/@",
    names: /^(?:tik ?tok|تيك ?توك)$/,
    path: /^\/@[^/]+\/?$/,
  },
  {
    id: "snapchat",
    profile: "https://www.snapchat.com/add/",
    names: /^(?:snap|snap ?chat|سناب|سناب ?شات)$/,
    path: /^\/(?:add\/|@)[^/]+\/?$/,
  },
  {
    id: "x",
    profile: "https://x.com/",
    names: /^(?:x|twitter|اكس|تويتر)$/,
    path: /^\/(?!(?:i|home|search|hashtag|intent|share)(?:\/|$))\w+\/?$/,
  },
  {
    id: "youtube",
    profile: "https://www.youtube.com/@",
    names: /^(?:youtube|yt|يوتيوب)$/,
    path: /^\/(?:@[^/]+|(?:c|channel|user)\/[^/]+)\/?$/,
  },
  {
    id: "telegram",
    profile: "https://t.me/",
    names: /^(?:telegram|tg|ت(?:ي?لي?)[غقجك]رام)$/,
    path: /^\/(?!(?:share|joinchat|addstickers|proxy|s)(?:\/|$))\w+\/?$/,
  },
  {
    id: "facebook",
    profile: "https://www.facebook.com/",
    names: /^(?:facebook|fb|فيس|فيس ?بوك)$/,
    path: /^\/(?!(?:groups|events|watch|share|sharer|photo|reel|login|pages|people|marketplace|profile\.php|story\.php|permalink\.php)(?:\/|$))[\w.]+\/?$/,
  },
  {
    id: "threads",
    profile: "https://www.threads.com/@",
    names: /^(?:threads|ثريدز)$/,
    path: /^\/@[^/]+\/?$/,
  },
  {
    id: "linkedin",
    profile: "https://www.linkedin.com/in/",
    names: /^(?:linked ?in|لينكد ?ان)$/,
    path: /^\/(?:in|company|school)\/[^/]+\/?$/,
  },
  {
    id: "github",
    profile: "https://github.com/",
    names: /^(?:github|[غج]يت ?هب)$/,
    path: /^\/[\w-]+\/?$/,
  },
  {
    id: "soundcloud",
    profile: "https://soundcloud.com/",
    names: /^(?:soundcloud|ساوند ?كلاود)$/,
    path: /^\/[\w-]+\/?$/,
  },
  {
    id: "pinterest",
    profile: "https://www.pinterest.com/",
    names: /^(?:pinterest|بينتر?ست)$/,
    path: /^\/(?!(?:pin|search|ideas)(?:\/|$))\w+\/?$/,
  },
  {
    id: "spotify",
    profile: "https://open.spotify.com/user/",
    names: /^(?:spotify|سبوتيفاي)$/,
    path: /^\/(?:user|artist|show)\/\w+\/?$/,
  },
];

const WHATSAPP_PATH = /^\/(?:\+?\d+|message\/\w+)\/?$/;

/** Removes what spellings differ in: case, hamza, harakat, tatweel. */
export function folded(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[\p{M}\u0640]/gu, "")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim();
}

export function profileOf({ profile }: Service, handle: string): string | null {
  return parseLinkAddress(profile + encodeURIComponent(handle));
}

/** An account's address may stand in the row of icons. */
export function isProfile(address: string): boolean {
  const { icon } = destinationOf(address);
  const { pathname } = new URL(address);
  if (icon === "whatsapp") return WHATSAPP_PATH.test(pathname);
  return SERVICES.some(({ id, path }) => id === icon && path.test(pathname));
}

/** These stand in front of the account's name in the path of a profile. */
const PROFILE_FOLDERS = new Set(["add", "in", "user", "c"]);

/** The account as people write it: `@layan`, a number. Null if the address is none. */
export function accountOf(address: string): string | null {
  if (!isProfile(address)) return null;
  const { pathname } = new URL(address);
  const names = pathname.split("/").filter((name) => name !== "");
  const [first = "", second] = names.map(readable);
  if (destinationOf(address).icon === "whatsapp") {
    return second === undefined ? spacedNumber(`+${first.replace("+", "")}`) : null;
  }
  if (second !== undefined && !PROFILE_FOLDERS.has(first)) return `${first}/${second}`;
  const name = second ?? first;
  return name.startsWith("@") ? name : `@${name}`;
}

function readable(text: string): string {
  try {
    return plainText(decodeURIComponent(text));
  } catch {
    return text;
  }
}
