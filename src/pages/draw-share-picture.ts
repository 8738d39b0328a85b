/**
 * Draws the picture that stands for a page, with Takumi: a layout engine in WebAssembly, which joins Arabic
 * letters, places harakat, and mixes both directions as browsers do.
 *
 * It takes 25 to 80 ms of CPU, and 200 ms more for the first picture of an isolate, which also makes the
 * module's memory; nothing else of this service touches the module.
 */
import { initSync, Renderer } from "@takumi-rs/wasm";
import module from "@takumi-rs/wasm/auto";
import { withTimeout } from "../../objects/platform/clock.ts";
import { assetUrl } from "../views/assets.ts";
import type { Look } from "../views/look-values.ts";
import { PREVIEW_PICTURE_PX } from "../views/preview-picture.ts";
import { STORE_TIMEOUT_MS } from "./freshness.ts";
import { AVATAR, drawing, isBeyondSubsets, type Shared } from "./share-picture.ts";

interface FontFile {
  family: string;
  weight: number;
  url: string;
}

const MORE: readonly FontFile[] = [
  { family: "more arabic", weight: 600, url: assetUrl("more-arabic.woff2") },
  { family: "more latin", weight: 600, url: assetUrl("more-latin.woff2") },
];

/** The fonts of a page, and those with further letters where its texts have such. */
function fontsOf(type: Look["type"], { name, bio, address }: Shared): FontFile[] {
  const own = (["arabic", "latin"] as const).flatMap((script) =>
    ([400, 600] as const).map((weight) => ({
      family: script,
      weight,
      url: assetUrl(`${type}-${script}-${weight}.woff2`),
    })),
  );
  return isBeyondSubsets(name + bio + address) ? [...own, ...MORE] : own;
}

/** The families in the order in which a character is searched: signs that both scripts have are the page's own. */
const FAMILIES = {
  ar: ["arabic", "latin", "more arabic", "more latin"],
  en: ["latin", "arabic", "more latin", "more arabic"],
} as const;

/**
 * The picture as PNG, or as RGBA pixels. Rejects where a font cannot be read or the avatar cannot be decoded.
 *
 * @param avatar a small JPEG; null where the picture has none
 */
export async function drawSharePicture(
  assets: Fetcher,
  type: Look["type"],
  shared: Shared,
  avatar: Uint8Array<ArrayBuffer> | null,
  format: "png" | "raw" = "png",
): Promise<Uint8Array<ArrayBuffer>> {
  const files = fontsOf(type, shared);
  const fonts = await Promise.all(files.map(({ url }) => readFont(assets, url)));
  // The same instance each time.
  initSync({ module });
  // Its memory is freed with it: an isolate may not draw again for hours.
  const renderer = new Renderer();
  try {
    for (const [i, { family, weight }] of files.entries()) {
      await renderer.registerFont({ name: family, weight, data: fonts[i] ?? new Uint8Array() });
    }
    return await renderer.render(drawing(shared), {
      ...PREVIEW_PICTURE_PX,
      format,
      lang: shared.locale,
      fontFamilies: [...FAMILIES[shared.locale]],
      images: avatar === null ? [] : [{ src: AVATAR, data: avatar, cache: "none" }],
    });
  } finally {
    renderer.free();
  }
}

async function readFont(assets: Fetcher, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const read = async () => {
    // The binding looks at the path only.
    const response = await assets.fetch(new URL(url, "https://assets.invalid"));
    if (response.status !== 200) throw new Error(`no font at ${url}: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  return withTimeout(read(), STORE_TIMEOUT_MS);
}
