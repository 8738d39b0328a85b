import type { LOOK_VALUES } from "../../../views/look-values.ts";
import { reader } from "../locale.ts";

const number = new Intl.NumberFormat(reader, { maximumFractionDigits: 1 });

/** `4.6 : 1`. Rounded down: 4.49 must not look like enough. */
export function ratioText(ratio: number): string {
  return ltr(`${number.format(Math.floor(ratio * 10) / 10)}\u00a0:\u00a0${number.format(1)}`);
}

/** Codes and ratios run from left to right inside of Arabic sentences, too. */
export function ltr(text: string): string {
  return `\u2066${text}\u2069`;
}

type Words = {
  [Axis in keyof typeof LOOK_VALUES]: Record<(typeof LOOK_VALUES)[Axis][number], string>;
};

interface Texts {
  presets: string;
  preset_of: (name: string) => string;
  accent_lost: (preset: string) => string;
  keep_accent: string;
  axes: Readonly<Record<keyof Words, string>>;
  values: Words;
  sample_of: (name: string) => string;
  accent: string;
  accent_hint: string;
  pick: string;
  hex: string;
  not_a_colour: string;
  back: string;
  schemes: Readonly<Record<"light" | "dark", string>>;
  readable: (ratio: string) => string;
  solved: (colour: string, ratio: string, asked: string) => string;
  button: (ratio: string) => string;
  button_solved: (colour: string, ratio: string) => string;
}

export const LOOK_TEXTS: Texts =
  LOCALE === "ar"
    ? {
        presets: "أنماط جاهزة",
        preset_of: (name) => `صفحتك بنمط ${name}`,
        accent_lost: (preset) => `للنمط «${preset}» لونه، فحلّ محلّ لونك الخاص.`,
        keep_accent: "إبقاء لوني",
        axes: {
          palette: "الألوان",
          background: "الخلفية",
          button: "الروابط",
          corner: "الزوايا",
          type: "الخط",
          density: "المسافات",
          avatar_shape: "إطار الصورة",
          scheme: "الفاتح والداكن",
          motion: "الحركة",
        },
        values: {
          palette: {
            sand: "رمل",
            sea: "بحر",
            rose: "ورد",
            ink: "حبر",
            olive: "زيتون",
            mint: "نعناع",
            sky: "سماء",
            plum: "برقوق",
            dusk: "غسق",
            coffee: "قهوة",
            saffron: "زعفران",
            pomegranate: "رمّان",
            lapis: "لازورد",
          },
          background: {
            plain: "سادة",
            glow: "ضوء",
            veil: "تدرّج",
            dots: "نقاط",
            waves: "أمواج",
            girih: "نجوم",
          },
          button: {
            raised: "بارزة",
            filled: "مملوءة",
            outlined: "بإطار",
            tinted: "بلون خفيف",
            plain: "أسطر",
          },
          corner: { square: "حادّة", soft: "مدوّرة قليلًا", round: "مستديرة" },
          type: {
            plex: "بلكس",
            readex: "ريدكس",
            alexandria: "إسكندرية",
            kufi: "كوفي",
            naskh: "نسخ",
            messiri: "مسيري",
          },
          density: { compact: "متقاربة", cosy: "متوسطة", roomy: "واسعة" },
          avatar_shape: { star: "نجمة", circle: "دائرة", square: "مربّع" },
          scheme: { auto: "حسب جهاز الزائر", light: "فاتح دائمًا", dark: "داكن دائمًا" },
          motion: { still: "ساكنة", gentle: "هادئة" },
        },
        sample_of: (name) => `مثال على خط ${name}`,
        accent: "لونك الخاص",
        accent_hint:
          "لون علامتك بدل لون النمط، في الأزرار والأيقونات. نعدّل لونك قليلًا إن لزم ليبقى النص واضحًا.",
        pick: "اختيار اللون",
        hex: "رمز اللون",
        not_a_colour: "رمز اللون ستة أرقام أو حروف من a إلى f، مثل ‎#0b6670",
        back: "العودة إلى لون النمط",
        schemes: { light: "في الفاتح", dark: "في الداكن" },
        readable: (ratio) => `النصوص والأيقونات بلونك (${ratio}).`,
        solved: (colour, ratio, asked) =>
          `النصوص والأيقونات باللون ${colour} (${ratio})، لأن لونك (${asked}) لا يُقرأ.`,
        button: (ratio) => `الأزرار بلونك، وتباين نصّها ${ratio}.`,
        button_solved: (colour, ratio) =>
          `الأزرار باللون ${colour} لأن لونك كالخلفية، وتباين نصّها ${ratio}.`,
      }
    : {
        presets: "Ready-made looks",
        preset_of: (name) => `Your page in the look ${name}`,
        accent_lost: (preset) => `“${preset}” has its own colour, which replaced yours.`,
        keep_accent: "Keep my colour",
        axes: {
          palette: "Colours",
          background: "Background",
          button: "Links",
          corner: "Corners",
          type: "Typeface",
          density: "Spacing",
          avatar_shape: "Picture frame",
          scheme: "Light and dark",
          motion: "Motion",
        },
        values: {
          palette: {
            sand: "Sand",
            sea: "Sea",
            rose: "Rose",
            ink: "Ink",
            olive: "Olive",
            mint: "Mint",
            sky: "Sky",
            plum: "Plum",
            dusk: "Dusk",
            coffee: "Coffee",
            saffron: "Saffron",
            pomegranate: "Pomegranate",
            lapis: "Lapis",
          },
          background: {
            plain: "Plain",
            glow: "Glow",
            veil: "Gradient",
            dots: "Dots",
            waves: "Waves",
            girih: "Stars",
          },
          button: {
            raised: "Raised",
            filled: "Filled",
            outlined: "Outlined",
            tinted: "Tinted",
            plain: "Lines",
          },
          corner: { square: "Square", soft: "Soft", round: "Round" },
          type: {
            plex: "Plex",
            readex: "Readex",
            alexandria: "Alexandria",
            kufi: "Kufi",
            naskh: "Naskh",
            messiri: "Messiri",
          },
          density: { compact: "Compact", cosy: "Medium", roomy: "Roomy" },
          avatar_shape: { star: "Star", circle: "Circle", square: "Square" },
          scheme: { auto: "As the visitor’s device", light: "Always light", dark: "Always dark" },
          motion: { still: "Still", gentle: "Gentle" },
        },
        sample_of: (name) => `A sample of ${name}`,
        accent: "Your own colour",
        accent_hint:
          "The colour of your brand, for buttons and icons. Where needed, we adjust it slightly to keep text readable.",
        pick: "Choose the colour",
        hex: "Colour code",
        not_a_colour: "Write six digits or letters from a to f, like #0b6670",
        back: "Back to the palette’s colour",
        schemes: { light: "In light", dark: "In dark" },
        readable: (ratio) => `Texts and icons in your colour (${ratio}).`,
        solved: (colour, ratio, asked) =>
          `Texts and icons in ${colour} (${ratio}), because yours (${asked}) cannot be read.`,
        button: (ratio) => `Buttons in your colour; the contrast of their text is ${ratio}.`,
        button_solved: (colour, ratio) =>
          `Buttons in ${colour}, because yours is like the background; the contrast of their text is ${ratio}.`,
      };
