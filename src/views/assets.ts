/** URLs of the files that `src/client/build.ts` makes, by their logical names. */
import manifest from "../client/dist/manifest.json";

/** The URL of a file. It has the hash of the content in it, so the file may be cached for ever. */
export function assetUrl(name: keyof typeof manifest): string {
  return manifest[name];
}
