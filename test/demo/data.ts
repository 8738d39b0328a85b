/**
 * The two pages of `npm start` and of the tests. Their people are invented: the hosts are reserved by
 * RFC 2606, the phone numbers by Ofcom for drama. Importable from Node and from workerd.
 */
import type { Page } from "../../src/pages/document/pages-store.ts";
import { plainPage } from "../plain-page.ts";

/** The pictures of the pages below and their JPEGs for contact cards, as stored in the media bucket. */
export const DEMO_AVATARS = [
  { key: "avatars/demo-3d60ad76.webp", file: "avatars/demo.webp", type: "image/webp" },
  { key: "avatars/demo-en-6ab8c269.webp", file: "avatars/demo-en.webp", type: "image/webp" },
  { key: "avatars/demo-3d60ad76.card.jpg", file: "avatars/demo.card.jpg", type: "image/jpeg" },
  {
    key: "avatars/demo-en-6ab8c269.card.jpg",
    file: "avatars/demo-en.card.jpg",
    type: "image/jpeg",
  },
] as const satisfies readonly {
  /** Key in the bucket, with the first 8 hex digits of the avatar's SHA-256. */
  key: string;
  /** Path relative to `test/demo`; rendered from the .svg with the same name. */
  file: string;
  type: string;
}[];

/** Owner of the pages: of the demo's people the one with the plan pro, who is the operator too. */
export const DEMO_OWNER = "demo-pro";

/** One page in each language; their slugs are their ids. */
export const DEMO_PAGES: Page[] = [
  plainPage({
    page_id: "demo",
    owner_id: DEMO_OWNER,
    slug: "demo",
    locale: "ar",
    name: "ليان الحوراني",
    bio: "خزّافة من صور، وورشتي اليوم في لندن. أصنع أكوابًا وأطباقًا لكل يوم، وأوثّق حكاية كل قطعة من الطين إلى المائدة.",
    avatar: DEMO_AVATARS[0].key,
    look: { palette: "sand" },
    contact: {
      name: "ليان الحوراني",
      organisation: "ورشة طين وملح",
      title: "خزّافة",
      phones: ["+44 7700 900142", "+44 20 7946 0142"],
      emails: ["layan@example.com"],
      address: "الورشة رقم 7، زقاق الخزّافين\nلندن",
      note: "الطلبات الخاصة تُنجز خلال ستة أسابيع.",
    },
    status: "published",
    updated_at: Date.UTC(2026, 9, 4, 9),
    links: [
      {
        link_id: "demo-shop",
        label: "تسوّق المجموعة الجديدة",
        url: "https://shop.example.com/layan",
      },
      {
        link_id: "demo-video",
        label: "شاهد: من الطين إلى الفنجان",
        url: "https://video.example.org/layan/cup",
      },
      { link_id: "demo-mail", label: "اطلب قطعة تُصنع لك", url: "mailto:layan@example.com" },
      { link_id: "demo-phone", label: "اتصل بالورشة", url: "tel:+447700900142" },
    ],
  }),
  plainPage({
    page_id: "demo-en",
    owner_id: DEMO_OWNER,
    slug: "demo-en",
    locale: "en",
    name: "Mara Quill",
    bio: "I record birds before anyone is up, then turn them into slow tape loops. Northumberland coast, mostly in wellies.",
    avatar: DEMO_AVATARS[1].key,
    look: { palette: "sea" },
    contact: {
      name: "Mara Quill",
      organisation: "Low Tide Tapes",
      title: "Field recordist",
      phones: ["+44 7700 900618"],
      emails: ["mara@example.org"],
      address: "The Old Net Loft, 3 Shingle Row\nNorthumberland",
      note: null,
    },
    status: "published",
    updated_at: Date.UTC(2026, 9, 11, 6),
    links: [
      { link_id: "demo-en-shop", label: "The tape shop", url: "https://shop.example.org/low-tide" },
      {
        link_id: "demo-en-video",
        label: "Watch: dawn on the saltmarsh",
        url: "https://video.example.com/mara/dawn",
      },
      { link_id: "demo-en-mail", label: "Write to me", url: "mailto:mara@example.org" },
      { link_id: "demo-en-phone", label: "Call the studio", url: "tel:+447700900618" },
    ],
  }),
];
