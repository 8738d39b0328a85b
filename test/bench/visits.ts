/**
 * The price of a million visits: the page, its files, one view and half a click of a visitor who was never
 * seen before. A real browser says which files a page loads, and wrangler.toml which of them the platform
 * serves without a request of the Worker, for nothing.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import { EVENTS_PER_VISIT } from "../scale/figures.ts";
import { LINES, type Line, PRICES, type Units } from "./cost.ts";

const { unstable_readConfig } = await import("wrangler");

const PAGE = "demo";
/** The page is loaded when nothing was requested for this long. */
const QUIET_MS = 1_000;

export interface Files {
  worker: string[];
  platform: string[];
}

export type VisitLine = Line | "files";

/** Dollars per million visits, by line. */
export type Visit = Record<VisitLine, number>;

/** The files of a page for a visitor with an empty cache; null without a browser. */
export async function filesOfPage(): Promise<Files | null> {
  // Loaded here, because only this part needs a browser.
  const { HAS_CHROMIUM, PHONE, startWorld, visitor } = await import("../browser/browser-kit.ts");
  if (!HAS_CHROMIUM) return null;
  const world = await startWorld();
  try {
    await using someone = await visitor(world, PHONE);
    const paths = new Set<string>();
    someone.context.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (["stylesheet", "script", "font", "image"].includes(request.resourceType())) {
        paths.add(pathname);
      }
    });
    await someone.tab.goto(`/${PAGE}`);
    // A browser with a window loads the icon too.
    const icon = await someone.tab.getAttribute("link[rel~=icon]", "href");
    if (icon !== null) paths.add(new URL(icon, world.origin).pathname);
    await someone.tab.evaluate(() => document.fonts.ready);
    await someone.tab.waitForTimeout(QUIET_MS);
    const files: Files = { worker: [], platform: [] };
    for (const path of paths) (isServedByPlatform(path) ? files.platform : files.worker).push(path);
    return files;
  } finally {
    await world.close();
  }
}

/** Whether the path is a file that the platform serves before the Worker (`run_worker_first`). */
function isServedByPlatform(path: string): boolean {
  const { assets } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  if (assets?.directory === undefined || !existsSync(join(ROOT, assets.directory, path))) {
    return false;
  }
  const rules = assets.run_worker_first;
  if (!Array.isArray(rules)) return rules !== true;
  const matches = (rule: string) =>
    new RegExp(`^${rule.split("*").map(literal).join(".*")}$`).test(path);
  const isExcepted = rules.some((rule) => rule.startsWith("!") && matches(rule.slice(1)));
  return isExcepted || !rules.some(matches);
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&");
}

export function priceOfVisit(event: Units, files: number): Visit {
  const lines = LINES.map((line) => [line, event[line] * EVENTS_PER_VISIT * PRICES[line]] as const);
  const visit = { ...Object.fromEntries(lines), files: files * PRICES.worker } as Visit;
  // The page is a request too.
  visit.worker += PRICES.worker;
  return visit;
}

export function sum(visit: Visit): number {
  return Object.values(visit).reduce((total, dollars) => total + dollars, 0);
}
