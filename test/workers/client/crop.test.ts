/** The geometry of the editor's picture dialog, for pictures of every size and any row of gestures. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Aspect,
  type Crop,
  cropOf,
  matrixOf,
  moved,
  OUTPUT_MAX,
  outputSize,
  type Point,
  rectOf,
  turned,
  turnedSize,
  zoomed,
  zoomMax,
} from "../../../src/client/editor/pictures/crop.ts";

const side = fc.integer({ min: 1, max: 20_000 });
const share = fc.double({ min: -3, max: 3, noNaN: true });
const point = fc.record({ x: share, y: share });
const inside = fc.record({
  x: fc.double({ min: 0, max: 1, noNaN: true }),
  y: fc.double({ min: 0, max: 1, noNaN: true }),
});

const gesture: fc.Arbitrary<(crop: Crop) => Crop> = fc.oneof(
  point.map((by) => (crop: Crop) => moved(crop, by)),
  fc.tuple(fc.double({ min: 0.01, max: 100, noNaN: true }), inside).map(
    ([factor, at]) =>
      (crop: Crop) =>
        zoomed(crop, factor, at),
  ),
  fc.constant(turned),
);

const aspect = fc.constantFrom<Aspect>("square", "wide");
const crop = fc
  .tuple(fc.record({ width: side, height: side }), aspect, fc.array(gesture, { maxLength: 12 }))
  .map(([picture, aspect, gestures]) =>
    gestures.reduce((crop, gesture) => gesture(crop), cropOf(picture, aspect)),
  );

/** Pixels by which sums of doubles may differ on a side of 20,000. */
const CLOSE_PX = 1e-6;

function through(crop: Crop, canvas: { width: number; height: number }, { x, y }: Point): Point {
  const [a, b, c, d, e, f] = matrixOf(crop, canvas);
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

test("what is kept lies inside of the picture and has its proportions, whatever the gestures", () => {
  fc.assert(
    fc.property(crop, (crop) => {
      const picture = turnedSize(crop);
      const kept = rectOf(crop);
      expect(kept.x).toBeGreaterThanOrEqual(-CLOSE_PX);
      expect(kept.y).toBeGreaterThanOrEqual(-CLOSE_PX);
      expect(kept.x + kept.width).toBeLessThanOrEqual(picture.width + CLOSE_PX);
      expect(kept.y + kept.height).toBeLessThanOrEqual(picture.height + CLOSE_PX);
      expect(kept.width / kept.height).toBeCloseTo(crop.aspect, 9);
      expect(crop.zoom).toBeGreaterThanOrEqual(1);
      expect(crop.zoom).toBeLessThanOrEqual(zoomMax(crop));
    }),
  );
});

test("the canvas shows what is kept: every corner of it is a corner of the picture's part", () => {
  fc.assert(
    fc.property(crop, inside, (crop, at) => {
      const canvas = { width: 320, height: 180 };
      const { picture, turns } = crop;
      // The pixel of the file that a clockwise turn brings to this place of the turned picture.
      const kept = rectOf(crop);
      const x = kept.x + at.x * kept.width;
      const y = kept.y + at.y * kept.height;
      const before = [
        { x, y },
        { x: y, y: picture.height - x },
        { x: picture.width - x, y: picture.height - y },
        { x: picture.width - y, y: x },
      ][turns] as Point;
      const shown = through(crop, canvas, before);
      expect(shown.x).toBeCloseTo(at.x * canvas.width, 3);
      expect(shown.y).toBeCloseTo(at.y * canvas.height, 3);
    }),
  );
});

test("zooming keeps what is under the pointer, unless an edge of the picture is in the way", () => {
  const picture = { width: 4_000, height: 4_000 };
  const middle = zoomed(cropOf(picture, "square"), 2);
  const at = { x: 0.25, y: 0.75 };
  const before = rectOf(middle);
  const after = rectOf(zoomed(middle, 1.5, at));
  expect(after.width).toBeCloseTo(before.width / 1.5, 9);
  expect(after.x + at.x * after.width).toBeCloseTo(before.x + at.x * before.width, 6);
  expect(after.y + at.y * after.height).toBeCloseTo(before.y + at.y * before.height, 6);
});

test("what is uploaded is never enlarged, and never larger than a page shows", () => {
  fc.assert(
    fc.property(crop, aspect, (crop, aspect) => {
      const max = OUTPUT_MAX[aspect];
      const { width, height } = outputSize(crop, max);
      expect(width).toBeLessThanOrEqual(Math.min(max.width, Math.max(1, rectOf(crop).width + 0.5)));
      expect(width).toBeGreaterThanOrEqual(1);
      expect(height).toBe(Math.max(1, Math.round(width / crop.aspect)));
    }),
  );
  const large = cropOf({ width: 20_000, height: 20_000 }, "square");
  expect(outputSize(large, OUTPUT_MAX.square)).toEqual(OUTPUT_MAX.square);
  const card = cropOf({ width: 5_000, height: 3_000 }, "wide");
  expect(outputSize(card, OUTPUT_MAX.wide)).toEqual(OUTPUT_MAX.wide);
});
