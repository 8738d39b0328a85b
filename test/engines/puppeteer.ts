/** The engines that are driven by a protocol for tests: its events are trusted as a person's are. */
import puppeteer, { type Browser, type LaunchOptions, type Page } from "puppeteer-core";
import type { Engine, Tab, Way } from "./engine.ts";

/** Tall enough for a whole test page. */
export const VIEWPORT = { width: 1000, height: 1000 };
const LOAD_TIMEOUT_MS = 15_000;
const START_TIMEOUT_MS = 60_000;
const COMMAND_TIMEOUT_MS = 30_000;

interface Driven {
  name: string;
  launch: LaunchOptions;
  /** How a browser, or one of its tabs, runs no scripts. */
  scriptless: { launch: LaunchOptions } | "by tab";
}

export async function startDriven({ name, launch, scriptless }: Driven): Promise<Engine> {
  const start = (more?: LaunchOptions) =>
    puppeteer.launch({
      headless: true,
      // The command ends what it has started.
      ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
      timeout: START_TIMEOUT_MS,
      protocolTimeout: COMMAND_TIMEOUT_MS,
      defaultViewport: VIEWPORT,
      ...launch,
      ...more,
    });
  const browser = await start();
  let silent: Promise<Browser> | undefined;
  return {
    name,
    version: (await browser.version()).replace(/^.*\//, ""),
    lacks: {},
    async open({ scripts } = { scripts: true }) {
      if (scripts) return newTab(browser);
      if (scriptless === "by tab")
        return newTab(browser, (page) => page.setJavaScriptEnabled(false));
      silent ??= start(scriptless.launch);
      return newTab(await silent);
    },
    async close() {
      await browser.close();
      await (await silent)?.close();
    },
  };
}

async function newTab(browser: Browser, prepare?: (page: Page) => Promise<void>): Promise<Tab> {
  const profile = await browser.createBrowserContext();
  const page = await profile.newPage();
  await prepare?.(page);
  return {
    async load(url) {
      // Rejects where the page does not come whole, as some situations want it.
      await page.goto(url, { timeout: LOAD_TIMEOUT_MS }).catch(() => undefined);
    },
    evaluate: <T>(expression: string) => page.evaluate(expression) as Promise<T>,
    press: (way, { x, y }) => WAYS[way](page, x, y),
    type: (text) => page.keyboard.type(text),
    leave: () => page.close(),
    close: () => profile.close(),
  };
}

const WAYS: Record<Way, (page: Page, x: number, y: number) => Promise<void>> = {
  mouse: (page, x, y) => page.mouse.click(x, y),
  middle: (page, x, y) => page.mouse.click(x, y, { button: "middle" }),
  right: (page, x, y) => page.mouse.click(x, y, { button: "right" }),
  touch: (page, x, y) => page.touchscreen.tap(x, y),
  enter: (page) => page.keyboard.press("Enter"),
  async ctrl(page, x, y) {
    await page.keyboard.down("Control");
    await page.mouse.click(x, y);
    await page.keyboard.up("Control");
  },
};
