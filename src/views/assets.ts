import manifest from "../client/dist/manifest.json";

/** The name in the URL has the hash of the content in it, so the file may be cached for ever. */
export function assetUrl(name: keyof typeof manifest): string {
  return manifest[name];
}
