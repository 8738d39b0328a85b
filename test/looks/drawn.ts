/** How `npm run looks` and `npm run pictures` keep what they draw. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page as Tab } from "playwright-core";
import { ROOT } from "../../src/commands/root.ts";

interface Shot {
  width: number;
  height: number;
  scale: number;
  quality: number;
  captureBeyondViewport: boolean;
}

/** The top of a page in WebP; Playwright itself writes PNG and JPEG only. */
export async function webpOf(
  tab: Tab,
  { quality, captureBeyondViewport, ...size }: Shot,
): Promise<Buffer> {
  const devtools = await tab.context().newCDPSession(tab);
  const clip = { x: 0, y: 0, ...size };
  const shot = { format: "webp", quality, captureBeyondViewport, clip } as const;
  const { data } = await devtools.send("Page.captureScreenshot", shot);
  return Buffer.from(data, "base64");
}

export async function write(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(join(ROOT, path), content);
  console.log(`${path} ${Math.ceil(content.length / 1_000)} KB`);
}
