export const WIDTHS_PX = [360, 768, 1280];
/** Least height of a touch target, in pixels. */
export const TARGET_PX_MIN = 48;
