/** Pages in chosen looks, for tests in a browser: every kind of entry, words in both scripts, long words. */

import type { Page } from "../../src/pages/document/pages-store.ts";
import { accentSheet } from "../../src/views/accent-sheet.ts";
import type { Locale } from "../../src/views/locale.ts";
import type { Look } from "../../src/views/look-values.ts";
import { DEMO_AVATARS } from "../demo/data.ts";
import { plainPage, storePage } from "../plain-page.ts";
import type { World } from "./browser-kit.ts";

export async function pageInLook(
  { server }: World,
  look: Partial<Look>,
  locale: Locale,
): Promise<Page> {
  const page = plainPage({
    page_id: `look-${crypto.randomUUID().slice(0, 8)}`,
    locales: [locale, locale === "ar" ? "en" : "ar"],
    look,
    name: { ar: "ليان الحوراني", en: "Mara Quill" },
    bio: {
      ar: "خزّافة من صور، وورشتي اليوم في لندن (London E2).",
      en: "I record birds before anyone is up. ليان’s studio, Northumberland.",
    },
    avatar: DEMO_AVATARS[0].key,
    contact: { name: "Mara Quill", emails: ["mara@example.org"] },
    links: [
      ...["https://video.example.com/mara", "mailto:mara@example.org", "tel:+447700900618"].map(
        (url, i) => ({ link_id: `social-${i}`, kind: "social" as const, url }),
      ),
      {
        link_id: "shop",
        label: { ar: "تسوّق المجموعة الجديدة", en: "The tape shop" },
        url: "https://shop.example.com/",
        highlight: true,
      },
      { link_id: "heading", kind: "heading", label: { ar: "جديد الورشة", en: "On tour" } },
      {
        link_id: "text",
        kind: "text",
        label: { ar: "كل سبت، 12 مقعدًا فقط.", en: "Listening walks every Sunday." },
      },
      {
        link_id: "card",
        kind: "card",
        label: { ar: "دفتر الألوان: 24 خلطة", en: "Field notes, volume 3" },
        url: "https://notes.example.com/",
        image: DEMO_AVATARS[1].key,
      },
      {
        link_id: "long-text",
        kind: "text",
        label: {
          ar: "نصٌّ طويل يُقطع بعد أسطر، ويُفتح لمن يريد. ".repeat(16),
          en: "A long text that is cut after some lines, and opened for those who want it. ".repeat(
            9,
          ),
        },
      },
      {
        link_id: "long",
        label: { ar: "كلمة".repeat(18), en: "Pneumonoultramicroscopicsilicovolcano".repeat(2) },
        url: `https://${"a-very-long-name-".repeat(3)}of-a-host.example.com/`,
      },
    ],
  });
  const sheet = accentSheet(page.look);
  if (sheet !== null) await (await server.media()).put(`looks/${sheet.name}`, sheet.css);
  await storePage(await server.db(), page);
  return page;
}
