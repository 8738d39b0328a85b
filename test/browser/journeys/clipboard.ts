import type { BrowserContext } from "playwright-core";

/**
 * Lets this browser write to the clipboard, and keeps what it wrote. All contexts of a Chromium share one
 * clipboard, so a journey that reads it would find what another one has copied.
 */
export async function clipboardOf(context: BrowserContext): Promise<{ last: () => string | null }> {
  let last: string | null = null;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await context.exposeFunction("keepCopied", (text: string) => {
    last = text;
  });
  await context.addInitScript(() => {
    const { clipboard } = navigator;
    // Addresses without https have none, and neither has `about:blank`.
    if (clipboard === undefined) return;
    const write = clipboard.writeText.bind(clipboard);
    const { keepCopied } = globalThis as unknown as { keepCopied: (text: string) => Promise<void> };
    clipboard.writeText = async (text) => {
      await write(text);
      await keepCopied(text);
    };
  });
  return { last: () => last };
}
