/** Examples of request bodies. The tests send each of them to a running service. */
import { assetUrl } from "../../views/assets.ts";

export const NEW_PAGE = {
  slug: "layan",
  status: "published",
  locales: ["ar", "en"],
  time_zone: "Asia/Riyadh",
  name: { ar: "ليان", en: "Layan" },
  bio: { ar: "خزّافة من صور", en: "Potter from Tyre" },
  look: { palette: "olive", background: "girih" },
  links: [
    { label: { ar: "المتجر", en: "Shop" }, url: "https://shop.example/" },
    { kind: "heading", label: { ar: "تابعوني", en: "Follow me" } },
    { kind: "social", label: { en: "Instagram" }, url: "https://www.instagram.com/layan" },
  ],
} as const;

export const PAGE_CHANGE = { bio: { en: "Potter from Tyre, in Beirut" }, indexed: false } as const;

/** A picture of this site. */
export const PICTURE_ADDRESS = assetUrl("icon-192.png");

/** The export of a page is a file to import. */
export const EXPORT_ADDRESS = "/api/me/pages/demo/export";

const LINKTREE = {
  props: {
    pageProps: {
      account: { username: "layan", pageTitle: "Layan" },
      links: [{ title: "Shop", url: "https://shop.example/" }],
    },
  },
};

/** A file of each type that an import reads as text. */
export const IMPORTS = {
  "text/plain": "Shop https://shop.example/\nhttps://www.instagram.com/layan\n",
  "text/csv": "label,url\nShop,https://shop.example/\n",
  "text/html": `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify(LINKTREE)}</script>`,
  "application/json": {
    user: { name: "Layan", littlelink_name: "layan" },
    links: [{ title: "Shop", link: "https://shop.example/", type: "link", order: 1 }],
  },
} as const;
