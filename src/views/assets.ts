/** URLs of the files that `src/client/build.ts` makes, by their logical names. */
import manifest from "../client/dist/manifest.json";

export type AssetName = keyof typeof manifest;

/** The URL of a file. It has the hash of the content in it, so the file may be cached for ever. */
export function assetUrl(name: AssetName): string {
  return manifest[name];
}
