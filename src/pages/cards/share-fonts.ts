import { withTimeout } from "../../../objects/platform/clock.ts";
import { assetUrl } from "../../views/assets.ts";
import type { Look } from "../../views/look-values.ts";
import { STORE_TIMEOUT_MS } from "../cache/freshness.ts";
import { isBeyondSubsets, type Shared } from "./share-picture.ts";

export interface ShareFont {
  family: string;
  weight: number;
  data: Uint8Array<ArrayBuffer>;
}

interface FontFile extends Omit<ShareFont, "data"> {
  url: string;
}

const MORE: readonly FontFile[] = [
  { family: "more arabic", weight: 600, url: assetUrl("more-arabic.woff2") },
  { family: "more latin", weight: 600, url: assetUrl("more-latin.woff2") },
];

/** Rejects where a font cannot be read. */
export function readShareFonts(
  assets: Fetcher,
  type: Look["type"],
  { name, bio, address }: Shared,
): Promise<ShareFont[]> {
  const own = (["arabic", "latin"] as const).flatMap((script) =>
    ([400, 600] as const).map((weight) => ({
      family: script,
      weight,
      url: assetUrl(`${type}-${script}-${weight}.woff2`),
    })),
  );
  const files = isBeyondSubsets(name + bio + address) ? [...own, ...MORE] : own;
  return Promise.all(
    files.map(async ({ url, ...font }) => ({ ...font, data: await readFont(assets, url) })),
  );
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
