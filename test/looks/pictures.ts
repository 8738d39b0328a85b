/**
 * `npm run pictures`: takes the pictures of the README, docs/pictures, in the Chromium and from the Worker
 * of the tests: the landing page on a phone, the editor and the statistics on a desktop, in Arabic.
 * Their numbers are invented; the demo's differ from day to day.
 */
import type { BrowserContextOptions } from "playwright-core";
import { BEACON_PATH } from "../../src/http/endpoints.ts";
import {
  DESKTOP,
  freshAddress,
  PHONE,
  startWorld,
  type Visitor,
  visitor,
  type World,
} from "../browser/browser-kit.ts";
import { demoOwner, isSaved, openEditor, pageOf, previewOf } from "../browser/creators.ts";
import { DEMO_AVATARS } from "../demo/data.ts";
import { seedHistory } from "../demo/seed-history.ts";
import { webpOf, write } from "./drawn.ts";

const FOLDER = "docs/pictures";
/** Keeps each picture below 150 KB. */
const WEBP_QUALITY = 82;
/** Pixels of a picture for one of the page's: sharp on most screens. */
const SCALE = 1.5;
/** In place of the local address. */
const HOST = "sila.example";

const CALM = { colorScheme: "light", reducedMotion: "reduce", locale: "ar-EG" } as const;
const ON_PHONE: BrowserContextOptions = {
  ...PHONE,
  ...CALM,
  viewport: { width: 390, height: 844 },
};
const ON_DESKTOP: BrowserContextOptions = {
  ...DESKTOP,
  ...CALM,
  viewport: { width: 1280, height: 850 },
};

const PAGE = {
  page_id: "layan",
  slug: "layan",
  look: { palette: "sand", background: "glow", button: "raised", avatar_shape: "star" },
  bio: { ar: "خزّافة من صور، وورشتي اليوم في لندن. أصنع أكوابًا وأطباقًا لكل يوم." },
  avatar: DEMO_AVATARS[0].key,
  links: [
    { link_id: "instagram", kind: "social", url: "https://www.instagram.com/layan" },
    { link_id: "youtube", kind: "social", url: "https://www.youtube.com/@layan" },
    { link_id: "whatsapp", kind: "social", url: "https://wa.me/447700900142" },
    {
      link_id: "shop",
      label: { ar: "تسوّق المجموعة الجديدة" },
      url: "https://shop.example.com/layan",
      highlight: true,
    },
    {
      link_id: "video",
      label: { ar: "شاهد: من الطين إلى الفنجان" },
      url: "https://video.example.org/layan/cup",
    },
    { link_id: "heading", kind: "heading", label: { ar: "جديد الورشة" } },
    {
      link_id: "course",
      label: { ar: "احجز مكانك في ورشة السبت" },
      url: "https://tickets.example.com/layan",
    },
    { link_id: "mail", label: { ar: "اطلب قطعة تُصنع لك" }, url: "mailto:layan@example.com" },
  ],
} as const satisfies Parameters<typeof pageOf>[2];

/** Clicks by link, each by somebody else. */
const CLICKS = { shop: 48, video: 31, course: 11, instagram: 26, youtube: 9, whatsapp: 2 };

const world = await startWorld();
try {
  await seedHistory(await world.server.db(), Date.now());
  await takeLanding(world);
  await takeEditor(world);
  await takeStatistics(world);
} finally {
  await world.close();
}

async function takeLanding(world: World): Promise<void> {
  await using someone = await visitor(world, ON_PHONE);
  await someone.tab.goto("/ar", { waitUntil: "networkidle" });
  await take(someone, "landing");
}

async function takeEditor(world: World): Promise<void> {
  await using owner = await demoOwner(world, ON_DESKTOP);
  const { page_id } = await pageOf(owner, world, PAGE);
  for (const [link_id, n] of Object.entries(CLICKS)) {
    for (let i = 0; i < n; i += 1) await click(world, page_id, link_id);
  }
  await openEditor(owner.tab, page_id);
  await owner.tab.locator(".row-clicks").first().waitFor();
  await previewOf(owner.tab).locator("h1").waitFor();
  await isSaved(owner.tab);
  await owner.tab.waitForLoadState("networkidle");
  await take(owner, "editor");
}

async function takeStatistics(world: World): Promise<void> {
  await using owner = await demoOwner(world, ON_DESKTOP);
  await owner.tab.goto("/dashboard/demo?range=30d", { waitUntil: "networkidle" });
  await take(owner, "statistics");
}

async function click({ origin }: World, page_id: string, link_id: string): Promise<void> {
  const { status } = await fetch(new URL(BEACON_PATH, origin), {
    method: "POST",
    headers: { "CF-Connecting-IP": freshAddress(), "User-Agent": PHONE.userAgent },
    body: JSON.stringify({ page_id, link_id }),
  });
  if (status !== 202) throw new Error(`a click was not counted: ${status}`);
}

async function take({ tab }: Visitor, name: string): Promise<void> {
  await tab.evaluate(async (host) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      text.nodeValue = text.nodeValue?.replace(location.host, host) ?? null;
    }
    await document.fonts.ready;
  }, HOST);
  const size = { ...(tab.viewportSize() ?? { width: 0, height: 0 }), scale: SCALE };
  const shot = { ...size, quality: WEBP_QUALITY, captureBeyondViewport: false };
  await write(`${FOLDER}/${name}.webp`, await webpOf(tab, shot));
}
