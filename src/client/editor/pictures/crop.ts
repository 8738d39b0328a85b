/** A rectangle of fixed proportions in a picture, maybe turned by quarters. Arithmetic only. */

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Crop {
  /** Pixels of the picture as the browser decodes it. */
  readonly picture: Size;
  /** The kept width by height. */
  readonly aspect: number;
  /** Quarter turns clockwise, 0 to 3. */
  readonly turns: number;
  /** 1 keeps the largest rectangle for which the picture has room. */
  readonly zoom: number;
  /** The rectangle's centre in the turned picture, 0 to 1 on each side. */
  readonly centre: Point;
}

/** Pixels of an upload: twice what a page shows on the widest screen. */
export const OUTPUT_MAX = {
  square: { width: 640, height: 640 },
  wide: { width: 1_600, height: 900 },
} as const satisfies Record<string, Size>;

export type Aspect = keyof typeof OUTPUT_MAX;

export const ZOOM_MAX = 8;
/** Zooming ends where fewer pixels would be kept: more would be a blur. */
const KEPT_PIXELS_MIN = 64;

export function cropOf(picture: Size, aspect: Aspect): Crop {
  const { width, height } = OUTPUT_MAX[aspect];
  return { picture, aspect: width / height, turns: 0, zoom: 1, centre: { x: 0.5, y: 0.5 } };
}

export function turnedSize({ picture: { width, height }, turns }: Crop): Size {
  return turns % 2 === 0 ? { width, height } : { width: height, height: width };
}

/** Pixels of the turned picture. */
export function rectOf(crop: Crop): Size & Point {
  const turned = turnedSize(crop);
  const width = Math.min(turned.width, turned.height * crop.aspect) / crop.zoom;
  const height = width / crop.aspect;
  return {
    x: crop.centre.x * turned.width - width / 2,
    y: crop.centre.y * turned.height - height / 2,
    width,
    height,
  };
}

export function zoomMax(crop: Crop): number {
  const { width } = rectOf({ ...crop, zoom: 1 });
  return Math.max(1, Math.min(ZOOM_MAX, width / KEPT_PIXELS_MIN));
}

/** Moves the rectangle by shares of its own size. It stops at the picture's edges. */
export function moved(crop: Crop, by: Point): Crop {
  const { x, y, width, height } = rectOf(crop);
  return centredAt(crop, { x: x + (0.5 + by.x) * width, y: y + (0.5 + by.y) * height });
}

/** Enlarges by a factor. The point `at` of the rectangle (0 to 1) stays where it is if it can. */
export function zoomed(crop: Crop, factor: number, at: Point = { x: 0.5, y: 0.5 }): Crop {
  const before = rectOf(crop);
  const zoom = Math.min(zoomMax(crop), Math.max(1, crop.zoom * factor));
  const next = { ...crop, zoom };
  const after = rectOf(next);
  return centredAt(next, {
    x: before.x + at.x * before.width + (0.5 - at.x) * after.width,
    y: before.y + at.y * before.height + (0.5 - at.y) * after.height,
  });
}

/** Turns clockwise by a quarter. The middle stays in the middle if it can. */
export function turned(crop: Crop): Crop {
  const { x, y } = crop.centre;
  const next = { ...crop, turns: (crop.turns + 1) % 4, centre: { x: 1 - y, y: x } };
  return zoomed(next, 1);
}

/** Centres the crop as near to this pixel of the turned picture as the edges allow. */
function centredAt(crop: Crop, at: Point): Crop {
  const turned = turnedSize(crop);
  const { width, height } = rectOf(crop);
  const inside = (value: number, side: number, half: number) =>
    Math.min(side - half, Math.max(half, value)) / side;
  const x = inside(at.x, turned.width, width / 2);
  const y = inside(at.y, turned.height, height / 2);
  return { ...crop, centre: { x, y } };
}

/** An upload is never enlarged. */
export function outputSize(crop: Crop, max: Size): Size {
  const kept = rectOf(crop);
  const width = Math.max(1, Math.round(Math.min(kept.width, max.width)));
  return { width, height: Math.max(1, Math.round(width / crop.aspect)) };
}

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Maps pixels of the picture to pixels of a canvas that shows what is kept, for `setTransform`. */
export function matrixOf(crop: Crop, canvas: Size): Matrix {
  const { picture, turns } = crop;
  const kept = rectOf(crop);
  const [cos, sin] = (
    [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ] as const
  )[turns] ?? [1, 0];
  // Turned about its corner, the picture lies beside the canvas: it is moved back.
  const back = {
    x: (cos < 0 ? picture.width : 0) + (sin > 0 ? picture.height : 0),
    y: (sin < 0 ? picture.width : 0) + (cos < 0 ? picture.height : 0),
  };
  const [w, h] = [canvas.width / kept.width, canvas.height / kept.height];
  return [cos * w, sin * h, -sin * w, cos * h, (back.x - kept.x) * w, (back.y - kept.y) * h];
}
