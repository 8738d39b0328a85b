/** Arithmetic on colours spelt `#rrggbb`: contrast by WCAG 2.2, mixing, and lightness in OKLCH. */

/** Text and its background (WCAG 2.2, 1.4.3). */
export const TEXT_CONTRAST_MIN = 4.5;
/** A border or a focus ring and its background (WCAG 2.2, 1.4.11). */
export const EDGE_CONTRAST_MIN = 3;

type Triple = readonly [number, number, number];

/** `l` from 0 to 1, `c` from 0 to about 0.32 in sRGB, `h` in radians. */
export interface Oklch {
  l: number;
  c: number;
  h: number;
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const a = luminance(one);
  const b = luminance(other);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Relative luminance, 0 to 1 (WCAG 2.2, "relative luminance"). */
function luminance(colour: string): number {
  const [red, green, blue] = linearOf(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Lays `share` of `one`, from 0 to 1, over `other`, as browsers lay a translucent colour. */
export function mix(one: string, other: string, share: number): string {
  const over = channelsOf(one);
  const under = channelsOf(other);
  return spell([0, 1, 2].map((i) => share * (over[i] ?? 0) + (1 - share) * (under[i] ?? 0)));
}

/** Matrices of "A perceptual color space for image processing" (Ottosson, 2020). */
export function toOklch(colour: string): Oklch {
  const [red, green, blue] = linearOf(colour);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    c: Math.hypot(a, b),
    h: Math.atan2(b, a),
  };
}

/** The distance of two colours in OKLab, 0 to 1. */
export function difference(one: string, other: string): number {
  const a = toOklch(one);
  const b = toOklch(other);
  return Math.hypot(
    a.l - b.l,
    a.c * Math.cos(a.h) - b.c * Math.cos(b.h),
    a.c * Math.sin(a.h) - b.c * Math.sin(b.h),
  );
}

/** Takes away chroma that sRGB lacks at this lightness and hue. */
export function fromOklch({ l, c, h }: Oklch): string {
  let low = 0;
  let high = c;
  if (isInGamut(linearFrom({ l, c, h }))) return spell(encoded(linearFrom({ l, c, h })));
  // 12 halvings of at most 0.4: a thousandth of what a channel of eight bits can show.
  for (let i = 0; i < 12; i += 1) {
    const middle = (low + high) / 2;
    if (isInGamut(linearFrom({ l, c: middle, h }))) low = middle;
    else high = middle;
  }
  return spell(encoded(linearFrom({ l, c: low, h })));
}

function linearFrom({ l: lightness, c, h }: Oklch): Triple {
  const a = c * Math.cos(h);
  const b = c * Math.sin(h);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function isInGamut(linear: Triple): boolean {
  return linear.every((value) => value >= 0 && value <= 1);
}

/** Linear light of each channel, 0 to 1. */
function linearOf(colour: string): Triple {
  const [red, green, blue] = channelsOf(colour);
  return [decoded(red), decoded(green), decoded(blue)];
}

function decoded(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function encoded(linear: Triple): number[] {
  return linear.map((raw) => {
    const value = Math.min(1, Math.max(0, raw));
    return 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);
  });
}

function channelsOf(colour: string): Triple {
  const bits = Number.parseInt(colour.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 255, bits & 255];
}

function spell(channels: readonly number[]): string {
  return `#${channels.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}
