/** Words beside an address, a number or an account that say what it is, in both languages. */
import { accountOf, folded, SERVICES, type Service } from "./services.ts";

/** Words of a line that say what its number is for. Arabic ones have their prefixes. */
const WAYS = {
  whatsapp: /(?<!\p{L})(?:whats(?: ?app)?|wa|(?:و|ع|عال|ال|وال|بال|لل)?وا?تس ?(?:اب)?)(?!\p{L})/gu,
  call: /(?<!\p{L})(?:(?:tele)?phone|tel|mob(?:ile)?|call|cell|^t(?=\W*$)|(?:و|ال|وال|لل)?(?:هاتف|تلفون|جوال|موبايل|محمول)|رقمي|(?:لل|ال)?اتصال|اتصل(?:وا|ي)?(?: بي| بنا)?)(?!\p{L})|📞|☎/gu,
} as const;
/** They stand beside a way and say nothing more. */
const FILLERS =
  /(?<!\p{L})(?:only|number|no|us|me|on|via|or|and|بنا|بي|معنا|معي|فقط|رقم|رقمي|على|عبر|عن طريق|او|و|\/)(?!\p{L})/gu;
/** The title of an address says no more than what it is. */
const GENERIC =
  /^(?:(?:my |our )?(?:e-?mail|mail|web ?site|web|site|link|url|page|[tewmp])|(?:ال)?(?:بريد|ايميل)(?:ي|نا)?(?: الالكتروني)?|(?:ال)?(?:موقع|رابط|لينك)(?:ي|نا)?(?: الالكتروني)?)$/;
/** A number behind one of these is none to call. */
const REGISTERS =
  /(?<!\p{L})(?:iban|vat|cr|tax|swift|acc(?:ount)?|invoice|order|id|س ?\. ?ت|سجل تجاري|السجل التجاري|(?:ال)?رقم (?:الضريبي|ضريبي|الحساب|حساب|القومي|الطلب|طلب)|(?:ال)?(?:ايبان|حساب|ضريبي|فاتوره?))(?!\p{L})/u;
/** Platforms without an address for each name. */
const OTHER_NAMES =
  /^(?:discord|ديسكورد|wechat|line|signal|imo|bbm|pin|skype|سكايب|psn|xbox|steam)$/;

export function serviceNamed(name: string): Service | undefined {
  const plain = folded(name).replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  const bare = plain.replace(/^و?(?:ال|لل|بال|عال|عل[ىي] ?|ع)?/u, "");
  return SERVICES.find(({ names }) => names.test(plain) || names.test(bare));
}

/** Several, if nothing else is named: `Snap & Insta`, `سناب وانستا`. */
export function servicesNamed(text: string): Service[] | null {
  const alone = serviceNamed(text);
  if (alone !== undefined) return [alone];
  const names = text.split(/\s*[,،&+/]\s*|\s+(?:and\s+|و\s*)/).filter((name) => name.trim() !== "");
  const found = names.map(serviceNamed).filter((each) => each !== undefined);
  return names.length > 0 && found.length === names.length ? found : null;
}

export function isOtherPlatform(name: string): boolean {
  return OTHER_NAMES.test(folded(name));
}

export type Way = "whatsapp" | "call";

/** `واتساب فقط` is for WhatsApp. A number for both is too. */
export function wayIn(text: string): Way | null {
  const plain = folded(text);
  return (["whatsapp", "call"] as const).find((way) => plain.search(WAYS[way]) >= 0) ?? null;
}

/** Whether the words say no more than what a number is for. */
export function isWay(text: string): boolean {
  return withoutWays(text) === "" && wayIn(text) !== null;
}

/** What else the words say: `للحجز واتساب` is a title. Spellings stay. */
export function withoutWays(text: string): string {
  const plain = (word: string) =>
    folded(word).replace(WAYS.whatsapp, "").replace(WAYS.call, "").replace(FILLERS, "");
  const spelled = text.replace(/واتس\s+[اأ]ب/gu, "واتساب").replace(/whats\s+app/giu, "WhatsApp");
  return spelled
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(plain(word)))
    .join(" ");
}

export function isGeneric(title: string): boolean {
  return GENERIC.test(folded(title));
}

export function isRegister(text: string): boolean {
  return REGISTERS.test(folded(text));
}

/** The account's name or number alone; null where an id stands in its place, as a channel's. */
export function handleOf(address: string): string | null {
  const account = accountOf(address);
  return account === null || account.includes("/") ? null : account;
}
