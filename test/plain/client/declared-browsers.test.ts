/**
 * Our styles and scripts work in the oldest browsers that we declare, judged by MDN's compatibility data.
 * A newer property or value needs an older declaration in front of it, or a reason in one of the lists
 * below.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import bcd, { type CompatStatement, type Identifier } from "@mdn/browser-compat-data";
import { buildSync } from "esbuild";
import postcss, { type ChildNode, type Declaration } from "postcss";
import { expect, test } from "vitest";
import { EDITOR_PAGE_TEXTS } from "../../../src/authoring/editor/texts.ts";
import { ECMASCRIPT, EDITOR_BROWSERS, OLDEST_BROWSERS } from "../../../src/client/browsers.ts";
import { ROOT } from "../../../src/commands/root.ts";

const CLIENT = join(ROOT, "src/client");
const DIST = join(CLIENT, "dist");

/** MDN's name for `dvh`, `svh`, `lvh` and their like. */
const DYNAMIC_UNITS = "viewport_percentage_units_dynamic";

/** Newer CSS without a fallback, and what a browser without it does. */
const ENHANCEMENTS = {
  "color-scheme": "scroll bars and form controls stay light",
  "-webkit-tap-highlight-color": "a tapped link flashes",
  "text-wrap": "lines are less even",
  ":focus-visible": "the browser draws its own focus ring",
  ":has": "the step of a new name still offers a new code",
  ":backdrop": "the page behind a question is as bright as before",
  "(forced-colors)": "the browser has no forced colours",
  "forced-color-adjust": "the same",
  "(scripting)": "without scripts, an empty box stands in the chart's place",
  "system-ui": "the next font of the list is used",
  "@container": "a table of the reference scrolls sideways where text is enlarged",
  "container-type": "the same",
  anywhere: "very long words break where the box ends, or reach over it in a narrow one",
  "accent-color": "check boxes have the browser's own colour",
  "match-parent": "a text in the other language is aligned by its own direction",
} as const;

/** Newer members and selectors in the scripts, and why they are safe. */
const GUARDED = {
  randomUUID: "called only where it exists",
  prerendering: "undefined where pages are not prerendered",
  share: "called only where it exists",
  ":focus-visible": "used only where CSS.supports() has it",
  // Of @simplewebauthn/browser.
  getAuthenticatorData: "called only where it exists",
  getPublicKey: "called only where it exists",
  getPublicKeyAlgorithm: "called only where it exists",
  getTransports: "called only where it exists",
  isConditionalMediationAvailable: "called only where it exists",
} as const;
const EDITOR_SHEET = "editor.css";

/** The same for the editor, which declares newer browsers. */
const EDITOR_ENHANCEMENTS = {
  "content-visibility": "rows outside the window are laid out, too",
  "contain-intrinsic-size": "the same",
  "(scripting)": "without scripts, a page offers to try again, too",
  "forced-color-adjust": "the browser has no forced colours",
} as const;
const EDITOR_GUARDED = {
  getTimeZones: "called only where it exists",
  share: "called only where it exists",
} as const;
/** Members of the editor's own code and of its libraries, with names that newer interfaces have too. */
const EDITOR_OURS = new Set(
  "added adopt country forget in isValid removed retry run skipped toArray uploaded use".split(" "),
);

/** Members of our own code and of uPlot whose names a newer interface of the browser has too. */
const OURS = new Set(["changed", "destroy", "forget", "lost", "move", "redraw"]);

/** The oldest versions of browsers by MDN's names for them. */
type Browsers = Readonly<Record<keyof typeof OLDEST_BROWSERS, number>>;

/** The browsers by which features are judged now. */
let judged: Browsers = OLDEST_BROWSERS;

/** Judges by other browsers while `work` runs. */
function by<T>(browsers: Browsers, work: () => T): T {
  judged = browsers;
  try {
    return work();
  } finally {
    judged = OLDEST_BROWSERS;
  }
}

/** Whether MDN has data for this feature and a declared browser lacks it. */
function isNew(root: Identifier | undefined, ...path: string[]): boolean {
  const { __compat } = path.reduce((at, key) => at?.[key], root) ?? {};
  return __compat !== undefined && !isSupported(__compat);
}

function isSupported({ support }: CompatStatement): boolean {
  return Object.entries(judged).every(([browser, oldest]) =>
    [support[browser as keyof typeof OLDEST_BROWSERS] ?? []].flat().some((statement) => {
      if (statement.flags || statement.prefix || statement.alternative_name) return false;
      const [from, until] = [statement.version_added, statement.version_removed];
      return version(from) <= oldest && (until === undefined || version(until) > oldest);
    }),
  );
}

/** Parses "15.4" and "≤37". What is not supported, or only in a preview, is not a number. */
function version(text: unknown): number {
  const number = typeof text === "string" ? Number(text.replace("≤", "")) : Number.NaN;
  return Number.isNaN(number) ? Number.POSITIVE_INFINITY : number;
}

function words(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([word]) => word);
}

/** The keywords, functions and units of a value that are too new. */
function newInValue({ prop, value }: Declaration, display: string): string[] {
  const plain = value.replace(/"[^"]*"|url\([^)]*\)/g, "");
  const keywords = words(plain, /(?<![\w-])-?[a-z][a-z0-9-]*/gi).filter((word) => {
    // `start` and `end` are newer in a flex box than in a grid; the data does not tell them apart.
    const has_flex = bcd.css.properties?.[prop]?.context_flex !== undefined;
    if (has_flex && (word === "start" || word === "end")) return display.includes("flex");
    return isNew(bcd.css.properties, prop, word);
  });
  const functions = words(plain, /[a-z-]+(?=\()/g).filter((name) =>
    [[], ["color"], ["gradient"], ["image"], ["transform-function"]].some((group) =>
      isNew(bcd.css.types, ...group, name),
    ),
  );
  const units = words(plain, /(?<=\d)[a-z]+/g).filter((unit) =>
    isNew(bcd.css.types, "length", /^[dls]v/.test(unit) ? DYNAMIC_UNITS : unit),
  );
  return [...keywords, ...functions, ...units];
}

/** The too new parts of a declaration, unless an older declaration stands in front of it. */
function newInDeclaration(declaration: Declaration): string[] {
  const { prop, parent } = declaration;
  const siblings = (parent?.nodes ?? []).filter((node) => node.type === "decl");
  const before = siblings.slice(0, siblings.indexOf(declaration));
  const has_prefixed = before.some((node) =>
    ["-webkit-", "-moz-"].some((p) => node.prop === p + prop),
  );
  if (isNew(bcd.css.properties, prop) && !has_prefixed) return [prop];
  const display = siblings.findLast((node) => node.prop === "display")?.value ?? "";
  const has_fallback = before.some(
    (node) => node.prop === prop && newInValue(node, display).length === 0,
  );
  return has_fallback ? [] : newInValue(declaration, display);
}

function newIn(node: ChildNode): string[] {
  if (node.type === "decl") return newInDeclaration(node);
  if (node.type === "rule") {
    return words(node.selector, /(?<=:)[a-z-]+/g)
      .filter((name) => isNew(bcd.css.selectors, name))
      .map((name) => `:${name}`);
  }
  if (node.type !== "atrule") return [];
  const rules = bcd.css["at-rules"];
  const features = words(node.params, /(?<=\()[a-z-]+/g)
    .filter((name) => isNew(rules, "media", name))
    .map((name) => `(${name})`);
  return isNew(rules, node.name) ? [`@${node.name}`, ...features] : features;
}

const MANIFEST: Record<string, string> = JSON.parse(
  readFileSync(join(DIST, "manifest.json"), "utf8"),
);

/** What is too new in the sheets of these names. */
function newInSheets(names: readonly string[]): string[] {
  const found = new Set<string>();
  for (const name of names) {
    const sheet = postcss.parse(readFileSync(join(DIST, "public", MANIFEST[name] ?? ""), "utf8"));
    sheet.walk((node) => {
      for (const feature of newIn(node)) found.add(feature);
    });
  }
  return [...found].sort();
}

test("CSS that a declared browser lacks has a fallback, or a reason to do without", () => {
  const sheets = Object.keys(MANIFEST).filter((name) => name.endsWith(".css"));
  const others = sheets.filter((name) => name !== EDITOR_SHEET);
  expect(others.length).toBeGreaterThanOrEqual(3);
  expect(newInSheets(others)).toEqual(Object.keys(ENHANCEMENTS).sort());
});

test("the editor's CSS and script need nothing newer than the browsers declared for it", () => {
  by(EDITOR_BROWSERS, () => {
    expect(newInSheets([EDITOR_SHEET])).toEqual(Object.keys(EDITOR_ENHANCEMENTS).sort());
    const files = readdirSync(join(DIST, "public/assets")).filter((name) =>
      /^editor-ar.*\.js$/.test(name),
    );
    expect(files.length).toBeGreaterThan(1);
    const texts = files.map((name) => readFileSync(join(DIST, "public/assets", name), "utf8"));
    const found = newInScript(texts.join("\n"), newMembersOf());
    expect(found.filter((name) => !EDITOR_OURS.has(name))).toEqual(
      Object.keys(EDITOR_GUARDED).sort(),
    );
  });
});

/** Whether all interfaces with a member of this name have it too late for a declared browser. */
function newMembersOf(): ReadonlyMap<string, boolean> {
  const members = new Map<string, boolean>();
  for (const group of [bcd.api, bcd.javascript.builtins, bcd.javascript.builtins?.Intl]) {
    for (const owner of Object.values(group ?? {})) {
      for (const [key, member] of Object.entries(owner)) {
        if (key === "__compat" || member.__compat === undefined) continue;
        const name = key.replace(/_(?:static|event)$/, "");
        members.set(name, (members.get(name) ?? true) && !isSupported(member.__compat));
      }
    }
  }
  return members;
}

const NEW_MEMBERS = newMembersOf();

/** Our own scripts, bundled without uPlot, which declares its browsers itself. */
function script(name: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(CLIENT, name)],
    bundle: true,
    external: ["uplot"],
    format: "esm",
    minify: true,
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

function newInScript(text: string, newMembers = NEW_MEMBERS): string[] {
  const members = words(text, /(?<=(?<!\.)\.)[a-zA-Z]\w*(?=\(|\?\.\()|(?<=document\.)\w+/g).filter(
    (name) => newMembers.get(name) === true && !OURS.has(name),
  );
  const selectors = words(text, /(?<=["'`(,\s\w\]]):[a-z-]+(?=[^"]*")/g).filter((pseudo) =>
    isNew(bcd.css.selectors, pseudo.slice(1)),
  );
  return [...new Set([...members, ...selectors])].sort();
}

test("members and selectors in our scripts that a declared browser lacks are guarded", () => {
  const found = ["beacon.ts", "dashboard.ts", "sign-in.ts", "account.ts"].flatMap((name) =>
    newInScript(script(name)),
  );
  expect([...new Set(found)].sort()).toEqual(Object.keys(GUARDED).sort());
});

test("the README and the editor's page name the declared browsers", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8").replace(/\s+/g, " ");
  const named = ({ chrome, firefox, safari }: Browsers) =>
    `Chrome ${chrome}, Firefox ${firefox}, Safari ${safari}`;
  expect(readme).toContain(named(OLDEST_BROWSERS));
  expect(readme).toContain(named(EDITOR_BROWSERS));
  const { ar, en } = EDITOR_PAGE_TEXTS;
  expect(en.too_old).toContain(named(EDITOR_BROWSERS));
  expect(ar.too_old).toContain(named(EDITOR_BROWSERS).replaceAll(", ", " و"));
});

test("the type checker knows no built-in of the scripts that is newer than their ECMAScript", () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(CLIENT, "tsconfig.json"), "utf8"));
  const [first] = compilerOptions.lib;
  expect(first.toLowerCase()).toBe(ECMASCRIPT);
});
