/** What the editor says of a creator's own accent, and of the kinds of files. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseColour, verdictsOn } from "../../../src/client/editor/look/own-accent.ts";
import { kindOf } from "../../../src/client/editor/pictures/file-kind.ts";
import { TEXT_CONTRAST_MIN } from "../../../src/views/colour.ts";
import { LOOK_VALUES, USUAL_LOOK } from "../../../src/views/look-values.ts";
import { bytesOf, SAMPLE_NAMES, sample } from "../authoring/pictures/picture-samples.ts";

const colour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("a shown contrast is always enough, and a colour is moved only where its own is too low", () => {
  const palettes = fc.constantFrom(...LOOK_VALUES.palette);
  const schemes = fc.constantFrom(...LOOK_VALUES.scheme);
  fc.assert(
    fc.property(colour, palettes, schemes, (asked, palette, scheme) => {
      const verdicts = verdictsOn({ ...USUAL_LOOK, palette, scheme }, asked);
      expect(verdicts).toHaveLength(scheme === "auto" ? 2 : 1);
      for (const { colours, asked_ratio, text_ratio, button_ratio } of verdicts) {
        expect(text_ratio).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
        expect(button_ratio).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
        if (colours.accent === asked) expect(asked_ratio).toBe(text_ratio);
        else expect(asked_ratio).toBeLessThan(TEXT_CONTRAST_MIN);
      }
    }),
  );
});

test("a colour is read in every spelling that creators paste, and nothing else is", () => {
  for (const text of ["#0B6670", "0b6670", " #0b6670 "]) expect(parseColour(text)).toBe("#0b6670");
  for (const text of ["#0af", "0AF"]) expect(parseColour(text)).toBe("#00aaff");
  const others = ["", "#12", "#1234567", "red", "#gggggg"];
  for (const text of others) expect(parseColour(text)).toBeNull();
});

test("a file is known by its content", () => {
  for (const name of SAMPLE_NAMES) expect(kindOf(sample(name)), name).toBe("picture");
  const box = [0, 0, 0, 24];
  for (const brand of ["heic", "heix", "hevc", "mif1", "msf1"]) {
    expect(kindOf(bytesOf(box, `ftyp${brand}`, [0, 0, 0, 0], "mif1heic")), brand).toBe("heic");
  }
  expect(kindOf(bytesOf(box, "ftypmif1", [0, 0, 0, 0], "mif1avif"))).toBe("picture");
  expect(kindOf(bytesOf(box, "ftypisom", [0, 0, 0, 0], "mp41"))).toBe("other");
  expect(kindOf(bytesOf("GIF89a"))).toBe("gif");
  expect(kindOf(bytesOf("BM", [0, 0]))).toBe("picture");
  for (const svg of [
    "<svg>",
    "\n<SVG/>",
    '<?xml version="1.0"?>\n<svg/>',
    "<!-- a -->\n<!DOCTYPE svg><svg/>",
    "\u00ef\u00bb\u00bf<svg/>",
  ]) {
    expect(kindOf(bytesOf(svg)), svg).toBe("svg");
  }
  for (const other of ["", "words", "<!DOCTYPE html><html>", "%PDF-1.7", "RIFF1234WAVE"]) {
    expect(kindOf(bytesOf(other)), other).toBe("other");
  }
});
