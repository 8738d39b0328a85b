/** Which files the browser's scripts and styles are made from. */
import { build } from "esbuild";
import { ROOT } from "../../src/commands/root.ts";

/** The build script itself counts: it imports the palette, which becomes CSS. */
const ENTRIES = [
  ...["build", "beacon", "frame", "start", "pages", "notifications", "dashboard"].map(
    (name) => `src/client/${name}.ts`,
  ),
  "src/client/editor/editor.tsx",
  "src/site/prerender.ts",
];

/**
 * The modules that the client build loads, relative to the repository, as esbuild resolves them. Files that the build
 * reads otherwise, style sheets and icons, are all in `src/client`.
 */
export async function clientSources(): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    entryPoints: ENTRIES,
    absWorkingDir: ROOT,
    outdir: "never-written",
    write: false,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    metafile: true,
    logLevel: "silent",
  });
  return new Set(Object.keys(metafile.inputs));
}
