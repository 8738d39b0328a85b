/** The size of pictures in link previews, which all networks show whole. */
export const PREVIEW_PICTURE_PX = { width: 1200, height: 630 } as const;
