/**
 * A bio page without a creator, in any preset and language: the live example in the phone of the landing
 * page, and what docs/looks.md shows. The component of every bio page renders it, but from constants,
 * and so in the build: no read of D1, nothing counted.
 */

import type { Link } from "../pages/document/page-document.ts";
import type { Page } from "../pages/document/pages-store.ts";
import { BioPage } from "../pages/render/bio-page.tsx";
import { assetUrl } from "../views/assets.ts";
import type { Bilingual } from "../views/bilingual.ts";
import type { Locale } from "../views/locale.ts";
import type { Preset } from "../views/presets.ts";

/** Files of this site, not of the bucket, under keys that no upload gets. */
const PICTURES = { "example/potter.svg": "potter.svg", "example/shelf.svg": "shelf.svg" } as const;
type Picture = keyof typeof PICTURES;

const avatar: Picture = "example/potter.svg";
const shelf: Picture = "example/shelf.svg";

/** It may stand in a frame, and no search engine lists it. */
export function examplePage({ look }: Preset, locale: Locale, origin: string): string {
  // In one language: the landing page has the link to the other.
  const page: Page = { ...PAGE, look, locales: [locale] };
  const html = `<!DOCTYPE html>${<BioPage page={page} locale={locale} origin={origin} now={0} is_preview />}`;
  return Object.entries(PICTURES).reduce(
    (html, [key, name]) => html.replaceAll(`/media/${key}`, assetUrl(name)),
    html,
  );
}

export function examplePath({ id }: Pick<Preset, "id">, locale: Locale): string {
  return `/example/${locale}/${id}`;
}

/** Invented, on hosts that RFC 2606 reserves. A draft, because a published page would link its card. */
const PAGE: Omit<Page, "look" | "locales"> = {
  page_id: "example",
  owner_id: null,
  slug: "example",
  status: "draft",
  ends_at: null,
  version: 1,
  created_at: 0,
  updated_at: 0,
  time_zone: "UTC",
  indexed: false,
  name: { ar: "ليان الحوراني", en: "Layan Hourani" },
  bio: {
    ar: "خزّافة من صور. أصنع أكوابًا وأطباقًا لكل يوم.",
    en: "A potter from Tyre. Cups and plates for every day.",
  },
  avatar,
  contact: {
    name: "ليان الحوراني",
    organisation: null,
    title: null,
    phones: [],
    emails: [],
    address: null,
    note: null,
  },
  links: [
    link("instagram", { kind: "social", url: "https://instagram.com/" }),
    link("whatsapp", { kind: "social", url: "https://wa.me/" }),
    link("youtube", { kind: "social", url: "https://youtube.com/" }),
    link("mail", { kind: "social", url: "mailto:layan@clay.example" }),
    link("shop", {
      label: { ar: "المجموعة الجديدة وصلت", en: "The new collection is here" },
      url: "https://shop.clay.example/",
      highlight: true,
    }),
    link("card", {
      kind: "card",
      label: { ar: "خزف الغروب، ستّ قطع", en: "Evening ware, six pieces" },
      url: "https://clay.example/evening",
      image: shelf,
    }),
    link("heading", { kind: "heading", label: { ar: "في الورشة", en: "In the workshop" } }),
    link("class", {
      label: { ar: "احجز مقعدًا في ورشة السبت", en: "Book a seat on Saturday" },
      url: "https://book.clay.example/",
    }),
    link("video", {
      label: { ar: "شاهد: من الطين إلى الفنجان", en: "Watch: from clay to cup" },
      url: "https://youtube.com/",
    }),
  ],
};

function link(link_id: string, rest: Partial<Link> & { label?: Partial<Bilingual> }): Link {
  return {
    link_id,
    kind: "link",
    label: {},
    url: null,
    enabled: true,
    from: null,
    until: null,
    highlight: false,
    image: null,
    ...rest,
  };
}
