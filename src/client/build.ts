/**
 * Makes what browsers load: `node src/client/build.ts` (wrangler's build command, `npm run build`).
 *
 * Writes `dist/public/assets/<name>-<hash>.<ext>`, `dist/public/favicon.ico`, the headers with which
 * the platform serves them (`dist/public/_headers`), and `dist/manifest.json`, which has the URL of each
 * logical name that a Worker may ask for and which `src/views/assets.ts` imports. A name contains the hash
 * of the content, so an asset may be cached for ever. The same sources give the same files, and an
 * unchanged file is not written again, because wrangler watches the folder. `dist/build.json` names the
 * sources.
 *
 * `--keep` leaves the assets of earlier builds in place: `npm run dev` may still serve a Worker
 * that refers to them.
 */
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, relative } from "node:path";
import {
  type BuildOptions,
  buildSync,
  type Metafile,
  type Plugin,
  build as runEsbuild,
  transformSync,
} from "esbuild";
import subsetFont from "subset-font";
import { BUILT_FILE, IMMUTABLE } from "../http/fixed-headers.ts";
import { LOCALES, type Locale } from "../views/locale.ts";
import { faintPairs } from "../views/look-colours.ts";
import { LOOK_VALUES, type Look, USUAL_LOOK } from "../views/look-values.ts";
import { PALETTES } from "../views/palette.ts";
import { ECMASCRIPT, EDITOR_BROWSERS, OLDEST_BROWSERS } from "./browsers.ts";
import { dashboardPalette } from "./dashboard-palette.ts";
import {
  DIGIT_FACES,
  DIGITS_PACKAGE,
  type Face,
  facesOf,
  fontFaceRule,
  MORE_FACES,
  TYPES,
  typeRules,
} from "./fonts.ts";
import { licensesOf, packageOf } from "./licenses.ts";
import { linkRules, paletteRules } from "./look-rules.ts";
import { swatchRules } from "./swatches.ts";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
const DIST = join(HERE, "dist");
const PUBLIC = join(DIST, "public");
/** Subsets made by earlier runs: cutting and packing all fonts takes some seconds. */
const FONT_CACHE = join(DIST, "fonts");
const TARGET = [ECMASCRIPT, ...Object.entries(OLDEST_BROWSERS).map((browser) => browser.join(""))];
const EDITOR_TARGET = Object.entries(EDITOR_BROWSERS).map((browser) => browser.join(""));
/** Styles use them as masks, so they have one colour. */
const BACKGROUNDS = ["girih.svg", "waves.svg"];
const EXAMPLE = ["potter.svg", "shelf.svg"];
/** Link previews of the landing page; made by `npm run looks`. */
const CARDS = ["card-ar.jpg", "card-en.jpg"];
const CACHED = {
  "/assets/*": IMMUTABLE,
  // Browsers request it by themselves for answers that name no icon; its name has no hash.
  "/favicon.ico": "public, max-age=86400",
};
const ICONS = ["icon.svg", "icon-180.png", "icon-192.png", "icon-512.png", "icon-maskable-512.png"];

/**
 * Replaces `navigator` in the dashboard's script. uPlot creates a number format of the browser's
 * language when it is loaded, and with a language like `en-US@posix` it would throw, and the rest
 * of the script would not run.
 */
const UPLOT_NAVIGATOR = JSON.stringify({ language: "en" });

/** A table for choosing among installed styles, which the font of a page is not. */
const DROPPED = ["STAT"];

const packages = new Set(
  Object.values(TYPES)
    .flatMap(({ arabic, latin }) => [arabic, latin])
    .concat(DIGITS_PACKAGE),
);
const files = new Map<string, Uint8Array>();
const manifest: Record<string, string> = {};

/** Stands for the manifest: the needed ones of the files that are made so far. */
function madeAssets(needed: RegExp): Plugin {
  return {
    name: "made-assets",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/manifest\.json$/ }, () => ({ path: "manifest", namespace: "made" }));
      onLoad({ filter: /.*/, namespace: "made" }, () => {
        const entries = Object.entries(manifest).filter(([name]) => needed.test(name));
        return { contents: JSON.stringify(Object.fromEntries(entries)), loader: "json" };
      });
    },
  };
}

/** Sheets alone link to these, so no script of a Worker needs their URLs. */
const OF_SHEETS = /^(girih|waves)\.svg$|-partner-/;

/** Pages in the editor need all files of looks. */
const LOOK_ASSETS = /^(bio|type|palette)\b.*css$/;

try {
  await build();
} catch (error) {
  // esbuild's message has file and line; the stack would be this script's.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function build(): Promise<void> {
  const faint = faintPairs(PALETTES);
  if (faint.length > 0) throw new Error(`too little contrast:\n${faint.join("\n")}`);
  for (const name of BACKGROUNDS) addAsset(name, readFileSync(join(HERE, "backgrounds", name)));
  for (const type of LOOK_VALUES.type) {
    for (const face of facesOf(type)) addAsset(face.name, await subset(face));
    addAsset(`type-${type}.css`, typeSheet(type));
  }
  for (const face of MORE_FACES) addAsset(face.name, await subset(face));
  for (const palette of LOOK_VALUES.palette) {
    for (const scheme of LOOK_VALUES.scheme) {
      addAsset(`palette-${palette}-${scheme}.css`, minify(paletteRules(palette, scheme)));
    }
  }
  addAsset("bio.css", bioSheet());
  addAsset("site.css", style("site.css"));
  addAsset("home.css", minify(swatchRules()) + style("home.css"));
  addAsset("docs.css", style("docs.css"));
  addAsset("frame.css", (await digitsSheet()) + minify(dashboardPalette()) + style("frame.css"));
  addAsset("dashboard.css", minify(packaged("uplot/dist/uPlot.min.css")) + style("dashboard.css"));
  addAsset("beacon.js", bundle("beacon.ts"));
  addAsset("forms.js", bundle("forms.ts"));
  addAsset("frame.js", bundle("frame.ts"));
  addAsset("sign-in.css", style("sign-in.css"));
  addAsset("sign-in.js", bundle("sign-in.ts"));
  addAsset("account.css", style("account.css"));
  addAsset("account.js", bundle("account.ts"));
  addAsset("start.js", bundle("start.ts"));
  addAsset("pages.js", bundle("pages.ts"));
  addAsset("notifications.js", bundle("notifications.ts"));
  addAsset("subscribers.css", style("subscribers.css"));
  addAsset("webhooks.css", style("webhooks.css"));
  addAsset("subscribers.js", bundle("subscribers.ts"));
  addAsset("tips.js", bundle("tips.ts"));
  addAsset("admin.css", style("admin.css"));
  addAsset("admin.js", bundle("admin.ts"));
  addAsset("dashboard.js", bundle("dashboard.ts", { define: { navigator: UPLOT_NAVIGATOR } }));
  addAsset("editor.css", editorSheet());
  for (const locale of LOCALES) await addEditor(locale);
  addAsset("licenses.txt", licensesOf(packages));
  for (const icon of ICONS) addAsset(icon, readFileSync(join(HERE, "icons", icon)));
  for (const name of CARDS) addAsset(name, readFileSync(join(HERE, "cards", name)));
  for (const name of EXAMPLE) addAsset(name, readFileSync(join(HERE, "example", name)));
  await addPrerendered();
  files.set("public/favicon.ico", iconFile(readFileSync(join(HERE, "icons", "icon-32.png")), 32));
  files.set("public/_headers", Buffer.from(headerRules()));
  files.set("build.json", Buffer.from(JSON.stringify(sourcesHash())));
  const linked = Object.entries(manifest).filter(([name]) => !OF_SHEETS.test(name));
  files.set("manifest.json", Buffer.from(JSON.stringify(Object.fromEntries(linked), null, 2)));
  writeChanged();
}

function bioSheet(): string {
  const { palette, scheme, type } = USUAL_LOOK;
  const usual = typeSheet(type) + minify(paletteRules(palette, scheme) + linkRules());
  return BACKGROUNDS.reduce(
    (css, name) => css.replaceAll(`url(${name})`, `url(${url(name)})`),
    usual + style("bio.css"),
  );
}

async function digitsSheet(): Promise<string> {
  for (const face of DIGIT_FACES) addAsset(face.name, await subset(face));
  return minify(DIGIT_FACES.map((face) => fontFaceRule(face, url(face.name))).join(""));
}

function typeSheet(type: Look["type"]): string {
  const faces = facesOf(type).map((face) => fontFaceRule(face, url(face.name)));
  return minify(faces.join("") + typeRules(type));
}

function style(name: string): string {
  return minify(readFileSync(join(HERE, name), "utf8"), `src/client/${name}`);
}

function packaged(path: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(path), "utf8");
}

/** Throws on a warning too: esbuild only warns of rules that browsers would skip. */
function minify(css: string, sourcefile = "generated.css"): string {
  const { code, warnings } = transformSync(css, {
    loader: "css",
    minify: true,
    target: TARGET,
    sourcefile,
    logLevel: "silent",
  });
  if (warnings.length > 0) {
    const places = warnings.map(
      ({ text, location }) => `${sourcefile}:${location?.line}:${location?.column}: ${text}`,
    );
    throw new Error(places.join("\n"));
  }
  return code.trimEnd();
}

/** One file, which leaves nothing in the page's global scope. */
function bundle(name: string, options: Pick<BuildOptions, "define" | "format"> = {}): Uint8Array {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [join(HERE, name)],
    bundle: true,
    minify: true,
    format: "iife",
    target: TARGET,
    ...options,
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  notePackages(metafile);
  const [script] = outputFiles;
  if (script === undefined) throw new Error(`${name} made no script`);
  return script.contents;
}

function notePackages({ inputs }: Metafile): void {
  for (const input of Object.keys(inputs)) {
    const name = packageOf(input);
    if (name !== null) packages.add(name);
  }
}

function editorSheet(): string {
  const names = readdirSync(join(HERE, "editor")).filter((name) => name.endsWith(".css"));
  const parts = names.filter((name) => name !== "editor.css").sort();
  return ["editor.css", ...parts].map((name) => style(`editor/${name}`)).join("");
}

/**
 * Renders pages as the server does (`src/pages/render/bio-body.tsx`): with the same JSX, but into
 * the document. Panels that are not open at first are files of their own, which it imports; all
 * have the hash of their content in their names.
 */
async function addEditor(locale: Locale): Promise<void> {
  const { outputFiles, metafile } = await runEsbuild({
    entryPoints: [{ in: join(HERE, "editor/editor.tsx"), out: `editor-${locale}` }],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    // An Arabic letter has two bytes, its escape six.
    charset: "utf8",
    target: EDITOR_TARGET,
    jsx: "automatic",
    jsxImportSource: "hono/jsx/dom",
    define: { LOCALE: JSON.stringify(locale) },
    plugins: [madeAssets(LOOK_ASSETS)],
    outdir: join(PUBLIC, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: `editor-${locale}-[hash]`,
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  notePackages(metafile);
  for (const { path, contents } of outputFiles) files.set(relative(DIST, path), contents);
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint?.endsWith("/editor.tsx"))
      manifest[`editor-${locale}.js`] = `/assets/${basename(path)}`;
  }
}

/** Pages that no request changes are rendered with the URLs of all other files. */
async function addPrerendered(): Promise<void> {
  const { outputFiles } = await runEsbuild({
    entryPoints: [join(HERE, "../site/prerender.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    plugins: [madeAssets(/^/)],
    write: false,
    logLevel: "silent",
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error("prerender.ts made no script");
  const source = Buffer.from(script.contents).toString("base64");
  const { prerender }: { prerender: () => Record<string, string> } = await import(
    `data:text/javascript;base64,${source}`
  );
  for (const [name, text] of Object.entries(prerender())) addAsset(name, text);
}

function addAsset(name: string, data: Uint8Array | string): void {
  const content = Buffer.from(data);
  const [, stem, extension] = /^(.+)\.(.+)$/.exec(name) ?? [];
  const path = `assets/${stem}-${hash(content)}.${extension}`;
  files.set(`public/${path}`, content);
  manifest[name] = `/${path}`;
}

function url(name: string): string {
  const found = manifest[name];
  if (found === undefined) throw new Error(`no asset is called ${name}`);
  return found;
}

/** Workers of one build have one hash: of all that their answers follow from, but packages. */
function sourcesHash(): string {
  const sources = globSync("{src,objects}/**/*.{ts,tsx}", { cwd: ROOT }).sort();
  const hashes = sources.map((name) => hash(readFileSync(join(ROOT, name))));
  return hash([JSON.stringify(manifest), ...hashes].join());
}

function hash(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 10);
}

async function subset(face: Face): Promise<Uint8Array> {
  const require = createRequire(import.meta.url);
  const original = readFileSync(require.resolve(face.source));
  const tool = readFileSync(require.resolve("subset-font/package.json"));
  const key = hash(`${hash(original)} ${hash(tool)} ${face.text} ${face.features} ${DROPPED}`);
  const cached = join(FONT_CACHE, `${key}.woff2`);
  const known = readIfThere(cached);
  if (known !== null) return known;
  const made = await subsetFont(original, face.text, {
    targetFormat: "woff2",
    noHinting: true,
    dropTables: DROPPED,
    keepFeatures: face.features,
  });
  mkdirSync(FONT_CACHE, { recursive: true });
  writeFileSync(cached, made);
  return made;
}

function headerRules(): string {
  const rule = (pattern: string, headers: Readonly<Record<string, string>>) =>
    [pattern, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)].join("\n");
  const cached = Object.entries(CACHED).map(([pattern, value]) =>
    rule(pattern, { "Cache-Control": value }),
  );
  return `${[rule("/*", BUILT_FILE), ...cached].join("\n\n")}\n`;
}

/** An .ico that contains one PNG, for clients that request /favicon.ico without a link to it. */
function iconFile(png: Uint8Array, side_px: number): Uint8Array {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // of one picture
  header.writeUInt8(side_px, 6);
  header.writeUInt8(side_px, 7);
  header.writeUInt16LE(1, 10); // colour planes
  header.writeUInt16LE(32, 12); // bits per pixel
  header.writeUInt32LE(png.byteLength, 14);
  header.writeUInt32LE(header.byteLength, 18);
  return Buffer.concat([header, png]);
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Deletes assets that are no longer made, unless there is `--keep`. */
function writeChanged(): void {
  mkdirSync(join(PUBLIC, "assets"), { recursive: true });
  for (const [path, content] of files) {
    const target = join(DIST, path);
    if (!readIfThere(target)?.equals(content)) writeFileSync(target, content);
  }
  if (process.argv.includes("--keep")) return;
  for (const name of readdirSync(join(PUBLIC, "assets"))) {
    if (!files.has(`public/assets/${name}`)) rmSync(join(PUBLIC, "assets", name));
  }
}
