/** Limits of files and downloads (docs/contract.md sections 6 and 11). A name ends in its unit. */

export const FILE_BYTES_MAX = 100_000_000;
/** Bytes of all files of one user, by plan; an unknown plan counts as `free`. */
export const FILE_BYTES_PER_PLAN = {
  free: 50_000_000,
  pro: 5_000_000_000,
  business: 50_000_000_000,
} as const;
export const FILES_MAX = 1_000;
export const FILE_NAME_CHARS_MAX = 200;
/** A media type, without parameters. */
export const FILE_TYPE_CHARS_MAX = 127;
/** Size of each part but the last. R2 takes parts of one length, of at least 5 MiB. */
export const FILE_PART_BYTES = 8_388_608;
/** Longest time to store a part: 8 MiB at 1.1 Mbit/s. */
export const FILE_PART_TIMEOUT_MS = 60_000;
export const FILE_INPUT_BYTES_MAX = 4_096;
/** An upload without a new part for so long is given up. */
export const STALE_UPLOAD_HOURS = 24;
/** How long one person's download may be resumed. */
export const DOWNLOAD_TOKEN_HOURS = 1;
export const DOWNLOAD_LINK_DAYS_MAX = 30;
export const DOWNLOAD_TOKEN_CHARS_MAX = 1_024;
