/** The looks with a name that creators choose from. */
import { expect, test } from "vitest";
import { Look } from "../../../src/views/look.ts";
import { LOOK_VALUES, USUAL_LOOK } from "../../../src/views/look-values.ts";
import { PRESETS } from "../../../src/views/presets.ts";

test("the first preset is the look of a page whose creator has chosen nothing", () => {
  expect(PRESETS[0]?.look).toEqual(USUAL_LOOK);
});

test("a preset is a look with a name in both languages, and no two share an id, a name or a look", () => {
  const members = PRESETS.map(({ id, name, look }) => [id, name.ar, name.en, JSON.stringify(look)]);
  expect(new Set(members.flat()).size).toBe(4 * PRESETS.length);
  for (const { look, name } of PRESETS) {
    expect(Look.parse(look)).toEqual(look);
    expect(name.ar).toMatch(/^[\p{Script=Arabic}\p{Mn} ]+$/u);
    expect(name.en).toMatch(/^[A-Za-z ]+$/);
  }
});

test("the presets show every value of every axis", () => {
  for (const [axis, values] of Object.entries(LOOK_VALUES)) {
    const shown = new Set(PRESETS.map(({ look }) => look[axis as keyof typeof LOOK_VALUES]));
    expect([axis, [...shown].sort()]).toEqual([axis, [...values].sort()]);
  }
});
