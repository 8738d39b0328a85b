/**
 * The colours of looks: the contrast that the build demands of every combination, and the colours that are
 * solved for a creator's own accent.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import postcss from "postcss";
import { describe, expect, test } from "vitest";
import { linkRules } from "../../../src/client/look-rules.ts";
import { ROOT } from "../../../src/commands/root.ts";
import { lookColours, withAccent } from "../../../src/views/accent.ts";
import { accentSheet, isAccentSheetName } from "../../../src/views/accent-sheet.ts";
import { contrast, difference, fromOklch, toOklch } from "../../../src/views/colour.ts";
import {
  ALL_PAIRS,
  BACKGROUNDS,
  type Colours,
  faintPairs,
} from "../../../src/views/look-colours.ts";
import { LOOK_VALUES, type Look, USUAL_LOOK } from "../../../src/views/look-values.ts";
import { PALETTES, type Palettes, SCHEMES } from "../../../src/views/palette.ts";

/** How far a colour of eight bits a channel may be from the one that was computed. */
const ROUNDING = 0.006;

const colours = fc
  .integer({ min: 0, max: 0xffffff })
  .map((bits) => `#${bits.toString(16).padStart(6, "0")}`);
const palettes = fc.constantFrom(...LOOK_VALUES.palette);
const schemes = fc.constantFrom(...SCHEMES);

describe("colours", () => {
  test("contrast is WCAG's: 21 of black on white, 4.48 of #777777", () => {
    expect(contrast("#000000", "#ffffff")).toBe(21);
    expect(contrast("#ffffff", "#777777")).toBeCloseTo(4.48, 2);
  });

  test("OKLCH is Ottosson's: the values of his table for red and blue", () => {
    expect(toOklch("#ff0000").l).toBeCloseTo(0.628, 3);
    expect(toOklch("#ff0000").c).toBeCloseTo(0.2577, 3);
    expect((toOklch("#0000ff").h * 180) / Math.PI + 360).toBeCloseTo(264.05, 1);
  });

  test("a colour of sRGB is the same after OKLCH", () => {
    fc.assert(
      fc.property(colours, (colour) => {
        expect(difference(fromOklch(toOklch(colour)), colour)).toBeLessThan(ROUNDING);
      }),
    );
  });
});

describe("the looks that can be chosen", () => {
  test("raised links are the usual ones: each other style has rules that need its attribute", () => {
    const roots = [...linkRules().matchAll(/(:root[^ {]*)\{/g)].map(([, root]) => root);
    const others = LOOK_VALUES.button.filter((button) => button !== "raised");
    expect(roots).toEqual([":root", ...others.map((name) => `:root[data-button=${name}]`)]);
  });

  test("have enough contrast in every combination of palette, scheme, background and links", () => {
    expect(faintPairs(PALETTES)).toEqual([]);
  });

  test("a palette with one faint pair fails the build, which names the pair", () => {
    const { mint } = PALETTES;
    const dark = { ...mint.dark, muted: "#3f5a4e" };
    const faint = faintPairs({ ...PALETTES, mint: { ...mint, dark } });
    expect(faint).toContainEqual(
      expect.stringMatching(
        /^mint dark plain outlined: bio, muted #3f5a4e on ground #0a1712: 2\.\d\d < 4\.5$/,
      ),
    );
    for (const line of faint) expect(line).toMatch(/^mint dark .* muted /);
  });

  test("any colour that is like what is behind it fails the build", () => {
    fc.assert(
      fc.property(palettes, schemes, fc.constantFrom(...ALL_PAIRS), (name, scheme, pair) => {
        // Two colours follow from the others and are in no palette.
        fc.pre(pair.behind !== "pattern" && pair.behind !== "fill");
        const palette = {
          ...PALETTES[name][scheme],
          [pair.colour]: PALETTES[name][scheme][pair.behind],
        };
        const injected: Palettes = {
          ...PALETTES,
          [name]: { ...PALETTES[name], [scheme]: palette },
        };
        expect(faintPairs(injected).join("\n")).toContain(`${name} ${scheme} `);
      }),
      { numRuns: 20 },
    );
  });

  test("a background has no colour that is not in the table", () => {
    const css = readFileSync(join(ROOT, "src/client/bio.css"), "utf8");
    const used = Object.fromEntries(
      LOOK_VALUES.background.map((name) => [name, new Set<string>()]),
    );
    postcss.parse(css).walkRules(({ selector, nodes }) => {
      if (!/body(?:::before)?$/.test(selector)) return;
      const named = [...selector.matchAll(/data-background="(\w+)"/g)].map(([, name]) => name);
      // Without an attribute it is the usual one.
      for (const name of selector === "body" ? ["glow"] : named) {
        for (const node of nodes) {
          if (node.type !== "decl" || !node.prop.startsWith("background")) continue;
          for (const [, colour = ""] of node.value.matchAll(/var\(--([\w-]+)\)/g)) {
            used[name ?? ""]?.add(colour);
          }
        }
      }
    });
    for (const name of LOOK_VALUES.background) {
      // What the page itself is painted with.
      const painted = new Set([...(used[name] ?? []), "ground"]);
      expect([...painted].sort(), name).toEqual([...new Set(BACKGROUNDS[name])].sort());
    }
  });
});

describe("a creator's own accent", () => {
  const accents = fc.record({ palette: palettes, accent: colours });

  function faintOf(solved: Colours): string[] {
    return ALL_PAIRS.filter(
      ({ colour, behind, min }) => contrast(solved[colour], solved[behind]) < min,
    ).map(({ what, colour, behind }) => `${what}: ${colour} on ${behind}`);
  }

  test("is readable in every palette, scheme, background and style of links", () => {
    fc.assert(
      fc.property(accents, (look) => {
        for (const scheme of SCHEMES) expect(faintOf(lookColours(look, scheme))).toEqual([]);
      }),
      {
        numRuns: 1_000,
        examples: LOOK_VALUES.palette.flatMap((palette) =>
          ["#000000", "#ffffff", "#808080", "#ffff00", "#0000ff"].map(
            (accent): [{ palette: Look["palette"]; accent: string }] => [{ palette, accent }],
          ),
        ),
      },
    );
  });

  test("that is readable already stays as it is", () => {
    fc.assert(
      fc.property(palettes, schemes, (name, scheme) => {
        const palette = PALETTES[name][scheme];
        const { accent, fill } = withAccent(palette, palette.accent);
        expect(difference(accent, palette.accent)).toBeLessThan(0.06);
        expect(fill).toBe(palette.accent);
      }),
    );
  });

  test("keeps its hue, and buttons keep the very colour unless they would lose their shape", () => {
    fc.assert(
      fc.property(accents, schemes, ({ palette, accent }, scheme) => {
        const solved = lookColours({ palette, accent }, scheme);
        const asked = toOklch(accent);
        const { c, h } = toOklch(solved.accent);
        // Grey has no hue.
        if (c > 0.03) expect(Math.cos(h - asked.h)).toBeGreaterThan(0.97);
        expect([accent, solved.accent]).toContain(solved.fill);
        const { ground, glow, surface } = solved;
        if ([ground, glow, surface].every((behind) => difference(accent, behind) > 0.1)) {
          expect(solved.fill).toBe(accent);
        }
      }),
    );
  });

  test("comes as a sheet of custom properties and nothing else, named by its content", () => {
    const rule = String.raw`:root\{(?:--[a-z-]+:#[0-9a-f]{6};?)+\}`;
    const shapes = {
      auto: new RegExp(`^${rule}@media \\(prefers-color-scheme:dark\\)\\{${rule}\\}$`),
      light: new RegExp(`^${rule}$`),
      dark: new RegExp(`^${rule}$`),
    };
    const names = new Map<string, string>();
    fc.assert(
      fc.property(accents, fc.constantFrom(...LOOK_VALUES.scheme), (look, scheme) => {
        const { name, css } = accentSheet({ ...look, scheme }) ?? { name: "", css: "" };
        expect(css).toMatch(shapes[scheme]);
        expect(isAccentSheetName(name)).toBe(true);
        expect(names.get(name) ?? css).toBe(css);
        names.set(name, css);
      }),
    );
  });

  test("is not there where nobody chose one", () => {
    expect(accentSheet(USUAL_LOOK)).toBeNull();
  });
});
