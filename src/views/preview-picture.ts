/** All networks show link previews of this size whole. */
export const PREVIEW_PICTURE_PX = { width: 1200, height: 630 } as const;
