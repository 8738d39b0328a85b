import type { Locale } from "../../../views/locale.ts";
import { formatNumber } from "../../../views/numbers.ts";
import { reader } from "../locale.ts";

type OneLine = "name" | "title" | "organisation";

interface Texts {
  picture: string;
  add_picture: string;
  change_picture: string;
  picture_removed: string;
  name: string;
  bio: string;
  bio_hint: string;
  in: (field: string, locale: Locale) => string;
  no_name: string;
  missing: (other: string) => string;
  counted: (n: number, max: number) => string;
  contact: string;
  contact_hint: string;
  contact_off: string;
  contact_name_hint: string;
  fields: Readonly<Record<OneLine, string>>;
  phones: string;
  phone: (n: number) => string;
  add_phone: string;
  emails: string;
  email: (n: number) => string;
  add_email: string;
  odd_email: string;
  remove: (what: string) => string;
  removed: (what: string) => string;
  address: string;
  note: string;
}

const n = (value: number) => formatNumber(reader, value);

export const PROFILE_TEXTS: Texts =
  LOCALE === "ar"
    ? {
        picture: "صورتك",
        add_picture: "إضافة صورة",
        change_picture: "تغيير الصورة",
        picture_removed: "حُذفت الصورة.",
        name: "الاسم",
        bio: "النبذة",
        bio_hint: "سطرها الأول هو ما يظهر تحت اسمك في نتائج البحث، وحين يُشارَك رابط صفحتك.",
        in: (field, locale) => `${field} ${locale === "ar" ? "بالعربية" : "بالإنجليزية"}`,
        no_name: "اكتب اسمًا: لا صفحة بلا اسم. وإلى أن تكتبه يبقى الاسم المحفوظ.",
        missing: (other) => `ناقص: يظهر مكانه «${other}».`,
        counted: (count, max) => `${n(count)}/${n(max)} حرف`,
        contact: "بطاقة التواصل",
        contact_hint: "زرّ في صفحتك يحفظ اسمك ورقم هاتفك على جهاز الزائر.",
        contact_off: "أُزيلت بطاقة التواصل.",
        contact_name_hint: "إن تركته فارغًا ظهر اسم الصفحة.",
        fields: { name: "الاسم في البطاقة", title: "المسمّى الوظيفي", organisation: "الجهة" },
        phones: "أرقام الهاتف",
        phone: (i) => `رقم الهاتف ${n(i)}`,
        add_phone: "إضافة رقم",
        emails: "البريد الإلكتروني",
        email: (i) => `البريد الإلكتروني ${n(i)}`,
        add_email: "إضافة بريد إلكتروني",
        odd_email: "لا يبدو هذا بريدًا إلكترونيًا، مثل name@example.com",
        remove: (what) => `حذف ${what}`,
        removed: (what) => `حُذف \u2068${what}\u2069.`,
        address: "العنوان البريدي",
        note: "ملاحظة",
      }
    : {
        picture: "Your picture",
        add_picture: "Add a picture",
        change_picture: "Change the picture",
        picture_removed: "The picture is removed.",
        name: "Name",
        bio: "Bio",
        bio_hint:
          "Its first line is what search results show below your name, and what is shown where your page is shared.",
        in: (field, locale) => `${field} in ${locale === "ar" ? "Arabic" : "English"}`,
        no_name: "Write a name: a page has one. Until then the saved name stays.",
        missing: (other) => `Missing: “${other}” is shown in its place.`,
        counted: (count, max) => `${n(count)} of ${n(max)} characters`,
        contact: "Contact card",
        contact_hint:
          "A button on your page that saves your name and phone number on the visitor’s device.",
        contact_off: "The contact card is removed.",
        contact_name_hint: "Leave empty to use the page’s name.",
        fields: { name: "Name on the card", title: "Job title", organisation: "Organisation" },
        phones: "Phone numbers",
        phone: (i) => `Phone number ${n(i)}`,
        add_phone: "Add a number",
        emails: "E-mail",
        email: (i) => `E-mail address ${n(i)}`,
        add_email: "Add an address",
        odd_email: "This does not look like an address such as name@example.com",
        remove: (what) => `Remove ${what}`,
        removed: (what) => `Removed: ${what}.`,
        address: "Address",
        note: "Note",
      };
