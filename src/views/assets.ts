/** URLs of the files that `src/client/build.ts` makes, by their logical names. */
import manifest from "../client/dist/manifest.json";

/** A file browsers load, as the build's manifest calls it. */
export type AssetName = keyof typeof manifest;

/** Where that file is served; the URL names its content, so it may be cached for ever. */
export function assetUrl(name: AssetName): string {
  return manifest[name];
}
