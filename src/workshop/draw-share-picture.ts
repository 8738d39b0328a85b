/**
 * Draws a page's share picture with Takumi: a layout engine in WebAssembly, which joins Arabic letters,
 * places harakat, and mixes both directions as browsers do.
 *
 * It takes 25 to 80 ms of CPU, and 200 ms more for the first picture of an isolate, which also makes the
 * module's memory.
 */
import { initSync, Renderer } from "@takumi-rs/wasm";
import module from "@takumi-rs/wasm/auto";
import type { ShareFont } from "../pages/cards/share-fonts.ts";
import type { Shared } from "../pages/cards/share-picture.ts";
import { PREVIEW_PICTURE_PX } from "../views/preview-picture.ts";
import { AVATAR, drawing } from "./share-drawing.ts";

/** Families in the order of search: the page's own comes first, for signs that both scripts have. */
const FAMILIES = {
  ar: ["arabic", "latin", "more arabic", "more latin"],
  en: ["latin", "arabic", "more latin", "more arabic"],
} as const;

/**
 * PNG, or RGBA pixels. Rejects where a font or the avatar cannot be decoded.
 *
 * @param avatar a small JPEG; null where the picture has none
 */
export async function drawSharePicture(
  shared: Shared,
  fonts: readonly ShareFont[],
  avatar: Uint8Array<ArrayBuffer> | null,
  format: "png" | "raw" = "png",
): Promise<Uint8Array<ArrayBuffer>> {
  // The same instance each time.
  initSync({ module });
  // Its memory is freed with it: an isolate may not draw again for hours.
  const renderer = new Renderer();
  try {
    for (const { family, weight, data } of fonts) {
      await renderer.registerFont({ name: family, weight, data });
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
