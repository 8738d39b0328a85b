import type { Page as Tab } from "playwright-core";

/** Not by the clipboard: all contexts of a Chromium share one, and another journey may write to it. */
export async function pasteLinks(tab: Tab, text: string, html = ""): Promise<void> {
  const field = tab.locator(".add-links textarea");
  await field.focus();
  const clipboard = { "text/plain": text, "text/html": html };
  await field.evaluate((target, data) => {
    const clipboardData = new DataTransfer();
    for (const [type, value] of Object.entries(data)) clipboardData.setData(type, value);
    const init = { clipboardData, bubbles: true, cancelable: true };
    target.dispatchEvent(new ClipboardEvent("paste", init));
  }, clipboard);
}
