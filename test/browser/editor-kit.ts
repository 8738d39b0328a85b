/** Creators with their editor in a real browser. */
import type { BrowserContextOptions, Page as Tab } from "playwright-core";
import { expect } from "vitest";
import type { Page } from "../../src/pages/pages-store.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { type PlainPage, plainPage, storePage } from "../plain-page.ts";
import { DESKTOP, freshAddress, type Visitor, visitor, type World } from "./browser-kit.ts";

/** A page of the creator who {@link creator} signs in, with three links in Arabic. */
export async function ownPage({ server }: World, members: Partial<PlainPage> = {}): Promise<Page> {
  const page = plainPage({
    page_id: `page-${crypto.randomUUID().slice(0, 8)}`,
    owner_id: DEMO_OWNER,
    name: { ar: "ليان الحوراني" },
    bio: { ar: "خزّافة من صور" },
    time_zone: "Asia/Riyadh",
    links: [
      { link_id: "shop", label: { ar: "المتجر" }, url: "https://shop.example.com/" },
      { link_id: "video", label: { ar: "فيديو" }, url: "https://video.example.com/" },
      { link_id: "mail", label: { ar: "راسلني" }, url: "mailto:layan@example.com" },
    ],
    ...members,
  });
  await storePage(await server.db(), page);
  return page;
}

/** A signed-in creator: the owner of the demo pages and of {@link ownPage}. */
export async function creator(
  world: World,
  device: BrowserContextOptions = DESKTOP,
): Promise<Visitor> {
  const someone = await visitor(world, device);
  await signIn(world, someone);
  return someone;
}

/** The hub's part of signing in, without its page. */
export async function signIn(
  { hub, origin }: World,
  { context }: Visitor,
  user_id: string = DEMO_OWNER,
): Promise<void> {
  const answer = await hub.control("POST", "/sign-in", { user_id });
  const { cookie } = answer as { cookie: string };
  await context.addCookies([{ name: "hub_session", value: cookie, url: origin }]);
}

/** Opens the editor, in Arabic unless `lang` says otherwise, and waits for its script and the panel's. */
export async function openEditor(
  tab: Tab,
  page_id: string,
  { panel = "links", lang = "ar" }: { panel?: string; lang?: "ar" | "en" } = {},
): Promise<void> {
  await tab.goto(`/dashboard/pages/${page_id}/edit?lang=${lang}#${panel}`);
  await tab.locator(".panel:not(:has(.editor-loading))").waitFor();
}

/** The page's document as it is saved. From an address of its own: tests read more often than a sender may. */
export async function savedPage(tab: Tab, page_id: string): Promise<Page> {
  const response = await tab.request.get(`/api/me/pages/${page_id}`, {
    headers: { "CF-Connecting-IP": freshAddress() },
  });
  return ((await response.json()) as { page: Page }).page;
}

/** Waits until the editor says that everything is saved. */
export async function isSaved(tab: Tab): Promise<void> {
  await tab.locator('[data-saving="saved"]').waitFor();
}

/** The document in the preview's frame. */
export function previewOf(tab: Tab) {
  return tab.frameLocator(".preview iframe");
}

/** Complaints, except the cookies of a signed-in creator. */
export async function complaintsOf(someone: Visitor): Promise<string[]> {
  return (await someone.complaints()).filter((text) => !text.startsWith("cookie "));
}

export async function expectNoComplaints(someone: Visitor): Promise<void> {
  expect(await complaintsOf(someone)).toEqual([]);
}
