import { readFile } from "node:fs/promises";
import type { Locator, Page as Tab } from "playwright-core";
import type { Locale } from "../../../src/views/locale.ts";
import { freshAddress, type World } from "../browser-kit.ts";
import { EDITOR } from "../editor-texts.ts";
import { row } from "../links-kit.ts";
import { eventually } from "./eventually.ts";

export const BOTH_LANGUAGES: { locales: Locale[] } = { locales: ["ar", "en"] };

type Panel = keyof (typeof EDITOR.ar)["EDITOR_TEXTS"]["panels"];

export const button = (place: Tab | Locator, name: string): Locator =>
  place.getByRole("button", { name, exact: true });

export const undoStep = (tab: Tab, lang: Locale = "ar") =>
  button(tab.locator(".editor-tools"), EDITOR[lang].EDITOR_TEXTS.undo).click();

export const pressNotice = (notice: Tab | Locator) => notice.locator(".notice-action").click();

export const hasFocus = (what: Locator) =>
  eventually(() => what.evaluate((element) => element === document.activeElement), true);

export async function openPanel(tab: Tab, panel: Panel, lang: Locale = "ar"): Promise<void> {
  const { panels } = EDITOR[lang].EDITOR_TEXTS;
  await tab.locator(".panels").getByRole("link", { name: panels[panel], exact: true }).click();
  await tab.locator(".panel").getByRole("heading", { name: panels[panel], level: 2 }).waitFor();
}

export async function openRow(tab: Tab, name: string): Promise<void> {
  await row(tab, name).locator(".row-open").click();
  await row(tab, name).locator(".row-form").waitFor();
}

export async function downloadBy(tab: Tab, start: () => Promise<unknown>) {
  const [file] = await Promise.all([tab.waitForEvent("download"), start()]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

export async function statusAt({ origin }: World, path: string): Promise<number> {
  const headers = { "CF-Connecting-IP": freshAddress() };
  return (await fetch(new URL(path, origin), { headers })).status;
}
