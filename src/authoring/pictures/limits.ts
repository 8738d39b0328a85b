/** Limits of pictures (docs/contract.md section 6). A name ends in its unit. */

export const PICTURE_BYTES_MAX = 5_000_000;
export const PICTURE_SIDE_PIXELS_MAX = 4_096;
/** Longest time to read a picture: 5 MB at 0.7 Mbit/s, a weak mobile connection. */
export const PICTURE_BODY_TIMEOUT_MS = 60_000;
export const PICTURES_MAX = 1_000;
export const UNUSED_PICTURE_HOURS = 24;
/** Longest wait for a picture's JPEG; then the picture is stored without one. */
export const CARD_PHOTO_TIMEOUT_MS = 10_000;
