/** The blocks of the demo pages: what a newcomer does with them. */
import { readFile } from "node:fs/promises";
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { PHONE, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { DEMO_BLOCKS, type DemoBlocks } from "../demo/blocks.ts";

/** From a form to its mail. */
const MAIL_DEADLINE_MS = 20_000;
/** Of the account with the plan free. */
const SENDER = "سلمى العطار";

inBrowser("a newcomer", (world) => {
  test("downloads, subscribes and tips on the demo pages, without a script", async () => {
    await using someone = await visitor(world, { ...PHONE, javaScriptEnabled: false });
    const { tab } = someone;
    await tab.goto("/demo");
    await expectFile(tab, "قائمة أسعار المجموعة الجديدة", blocksOf("demo"));

    await tab.getByLabel("عنوان بريدك").fill("newcomer@example.com");
    await tab.getByRole("button", { name: "اشترك" }).click();
    await tab.getByRole("heading", { name: "انظر في بريدك" }).waitFor();
    await openMail(tab, new URL("/mailbox", world.hub.url));
    await tab.locator('.mail a[href*="/newsletter/confirm?"]').first().click();
    await tab.getByRole("button", { name: "أكّد الاشتراك" }).click();
    await tab.getByRole("heading", { name: "أنت الآن مشترك في نشرة ليان الحوراني" }).waitFor();

    await tab.goto("/demo-en");
    const notes = "Notes from the saltmarsh, to keep";
    await tab.getByRole("link", { name: notes }).click();
    await tab.getByRole("button", { name: SENDER }).click();
    await tab.getByText("403").first().waitFor();
    await tab.goto("/demo-en");
    await tab.getByText("20 points", { exact: true }).click();
    await tab.getByRole("button", { name: "Continue" }).click();
    await tab.getByRole("button", { name: "Send now" }).click();
    await tab.getByRole("heading", { name: "Your tip has arrived. Thank you!" }).waitFor();
    await tab.goto("/demo-en");
    await expectFile(tab, notes, blocksOf("demo-en"));
  });
});

function blocksOf(page_id: string): DemoBlocks {
  const blocks = DEMO_BLOCKS[page_id];
  if (blocks === undefined) throw new Error(`${page_id} has no blocks`);
  return blocks;
}

/** Clicks the link, and expects the file as it was stored. */
async function expectFile(tab: Tab, name: string, { file }: DemoBlocks): Promise<void> {
  const begun = tab.waitForEvent("download");
  await tab.getByRole("link", { name }).click();
  const download = await begun;
  expect(download.suggestedFilename()).toBe(file.name);
  expect(await readFile(await download.path())).toEqual(Buffer.from(await file.content()));
}

/** Opens the newest mail of the mailbox, once there is one. */
async function openMail(tab: Tab, mailbox: URL): Promise<void> {
  const mails = tab.locator(".mails a");
  const count = async () => {
    await tab.goto(mailbox.href);
    return mails.count();
  };
  await expect.poll(count, { timeout: MAIL_DEADLINE_MS, interval: 300 }).toBe(1);
  await mails.first().click();
}
