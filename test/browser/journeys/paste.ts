import type { Page as Tab } from "playwright-core";

/** Not by the clipboard: all contexts of a Chromium share one, and another journey may write to it. */
export async function pasteLinks(tab: Tab, text: string): Promise<void> {
  const field = tab.locator(".add-links textarea");
  await field.focus();
  await field.evaluate((target, words) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", words);
    const init = { clipboardData, bubbles: true, cancelable: true };
    target.dispatchEvent(new ClipboardEvent("paste", init));
  }, text);
}
