/** A page in both languages with every kind of link, for the tests that look at whole pages. */
import { DEMO_AVATARS, DEMO_OWNER } from "./demo/data.ts";
import { plainPage } from "./plain-page.ts";

const [ARABIC_PICTURE, ENGLISH_PICTURE] = DEMO_AVATARS;

/** Its pictures are those of the demo. What is not translated is in one language only. */
export const EVERY_KIND = plainPage({
  page_id: "every-kind",
  owner_id: DEMO_OWNER,
  locales: ["ar", "en"],
  name: { ar: "ليان الحوراني", en: "Layan Al-Hourani" },
  bio: {
    ar: "خزّافة من صور، وورشتي اليوم في لندن.\nأصنع أكوابًا وأطباقًا لكل يوم.",
    en: "A potter from Tyre, now in London.\nCups and plates for every day.",
  },
  avatar: ARABIC_PICTURE.key,
  contact: { name: "ليان الحوراني", emails: ["layan@example.com"] },
  links: [
    { link_id: "instagram", kind: "social", url: "https://instagram.com/layan.example" },
    { link_id: "whatsapp", kind: "social", url: "https://wa.me/447700900142" },
    { link_id: "blog", kind: "social", url: "https://blog.example.com/" },
    { link_id: "mail", kind: "social", url: "mailto:layan@example.com" },
    {
      link_id: "new",
      label: { ar: "المجموعة الجديدة وصلت", en: "The new collection is here" },
      url: "https://shop.example.com/new",
      highlight: true,
    },
    { link_id: "shop", kind: "heading", label: { ar: "المتجر", en: "Shop" } },
    {
      link_id: "cups",
      kind: "card",
      label: { ar: "أكواب الصباح", en: "Morning cups" },
      // قهوة.com
      url: "https://xn--ogb3cpe.com/",
      image: ARABIC_PICTURE.key,
    },
    {
      link_id: "plates",
      kind: "card",
      label: { ar: "أطباق العيد" },
      url: "https://shop.example.com/plates",
      image: ENGLISH_PICTURE.key,
      highlight: true,
    },
    {
      link_id: "no-picture",
      kind: "card",
      label: { en: "Seconds" },
      url: "https://s.example.com/",
    },
    {
      link_id: "note",
      kind: "text",
      label: {
        ar: "الطلبات الخاصة تُنجز خلال ستة أسابيع.\nنشحن إلى كل مكان.",
        en: "Commissions take six weeks.\nWe ship everywhere.",
      },
    },
    {
      link_id: "letter",
      kind: "newsletter",
      label: { ar: "رسالة كل خميس", en: "A letter each Thursday" },
      block: {},
    },
    {
      link_id: "jar",
      kind: "tip",
      label: { ar: "كوب شاي على حسابك" },
      block: { amounts: [5, 20, 100] },
    },
    { link_id: "contact-me", kind: "heading", label: { ar: "تواصل معي" } },
    { link_id: "no-label", url: "https://unlabelled.example.com/" },
    { link_id: "call", label: { ar: "اتصل بي", en: "Call me" }, url: "tel:+447700900142" },
    {
      link_id: "long",
      label: { ar: "عنوان طويل جدًا ".repeat(12), en: "A very long label ".repeat(11) },
      url: `https://${"a-long-name.".repeat(12)}example.com/`,
    },
  ],
});
