import type { BrowserContextOptions, FrameLocator, Page as Tab } from "playwright-core";
import { expect } from "vitest";
import { NOTICE_MS } from "../../src/client/editor/notice-place.ts";
import type { Page } from "../../src/pages/document/pages-store.ts";
import type { Locale } from "../../src/views/locale.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import type { Plan } from "../demo/people.ts";
import { type PlainPage, plainPage, storePage } from "../plain-page.ts";
import {
  DESKTOP,
  freshAddress,
  type Service,
  type Visitor,
  visitor,
  type World,
} from "./browser-kit.ts";

export interface Creator extends Visitor {
  user_id: string;
  name: string;
}

/** Runs in the browser: a notice stays until the test has looked at it, however slow the machine is. */
function keepNotices(notice_ms: number): void {
  const { setTimeout } = window;
  const kept = (work: () => void, ms?: number, ...rest: unknown[]) =>
    ms === notice_ms ? 0 : setTimeout(work, ms, ...rest);
  window.setTimeout = kept as typeof setTimeout;
}

interface Account {
  plan?: Plan;
  points?: number;
  is_signed_in?: boolean;
}

/** A person with a new account at the hub, signed in without its page. */
export async function creator(
  world: World,
  device: BrowserContextOptions = DESKTOP,
  { plan = "pro", points = 1_000, is_signed_in = true }: Account = {},
): Promise<Creator> {
  const user_id = `user-${crypto.randomUUID().slice(0, 8)}`;
  const name = `ليان ${user_id}`;
  const email = `${user_id}@example.com`;
  await world.hub.control("POST", "/users", {
    id: user_id,
    name,
    email,
    plan,
    points,
    locale: "ar",
  });
  const person = { ...(await visitor(world, device)), user_id, name };
  await person.context.addInitScript(keepNotices, NOTICE_MS);
  if (is_signed_in) await signIn(world, person, user_id);
  return person;
}

export async function demoOwner(
  world: World,
  device: BrowserContextOptions = DESKTOP,
): Promise<Visitor & { user_id: string }> {
  const person = { ...(await visitor(world, device)), user_id: DEMO_OWNER };
  await signIn(world, person, DEMO_OWNER);
  return person;
}

export async function signIn(
  { hub, origin }: Service,
  { context }: Pick<Visitor, "context">,
  user_id: string,
): Promise<void> {
  const answer = await hub.control("POST", "/sign-in", { user_id });
  const { cookie } = answer as { cookie: string };
  await context.addCookies([{ name: "hub_session", value: cookie, url: origin }]);
}

export async function pageOf(
  owner: Pick<Creator, "user_id">,
  { server }: Service,
  members: Partial<PlainPage> = {},
): Promise<Page> {
  const page = plainPage({
    page_id: `page-${crypto.randomUUID().slice(0, 8)}`,
    owner_id: owner.user_id,
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

/** Opens the editor, in Arabic unless `lang` says otherwise, and waits for its script and the panel's. */
export async function openEditor(
  tab: Tab,
  page_id: string,
  { panel = "links", lang = "ar" }: { panel?: string; lang?: Locale } = {},
): Promise<void> {
  await tab.goto(`/dashboard/pages/${page_id}/edit?lang=${lang}#${panel}`);
  await tab.locator(".panel:not(:has(.editor-loading))").waitFor();
}

interface Start extends NonNullable<Parameters<typeof openEditor>[2]> {
  device?: BrowserContextOptions;
  page?: Partial<PlainPage>;
}

export async function editing(world: World, { device, page, ...where }: Start = {}) {
  const owner = await creator(world, device);
  const { page_id, slug } = await pageOf(owner, world, page);
  await openEditor(owner.tab, page_id, where);
  return { ...owner, page_id, slug };
}

/** The page's document as it is saved. From an address of its own: tests read more often than a sender may. */
export async function savedPage(tab: Tab, page_id: string): Promise<Page> {
  const response = await tab.request.get(`/api/me/pages/${page_id}`, {
    headers: { "CF-Connecting-IP": freshAddress() },
  });
  return ((await response.json()) as { page: Page }).page;
}

export async function isSaved(tab: Tab): Promise<void> {
  await tab.locator('[data-saving="saved"]').waitFor();
}

export function previewOf(tab: Tab): FrameLocator {
  return tab.frameLocator(".preview iframe");
}

/** That nothing was blocked, failed or said in the console, except this; a creator's browser has cookies. */
export async function expectNoComplaints(someone: Visitor, except = /^$/): Promise<void> {
  const complaints = await someone.complaints();
  expect(complaints.filter((text) => !/^cookie /.test(text) && !except.test(text))).toEqual([]);
}
