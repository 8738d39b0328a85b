/** Limits of exports and imports (docs/contract.md sections 6 and 10). A name ends in its unit. */

export const IMPORT_BYTES_MAX = 8_388_608;
/** Longest time to receive a file: 8 MiB at 1.1 Mbit/s. */
export const IMPORT_BODY_TIMEOUT_MS = 60_000;
/** Longest wait for the workshop: the worst file takes 5 s of CPU. */
export const IMPORT_READ_TIMEOUT_MS = 30_000;
export const IMPORT_REMARKS_MAX = 500;
export const IMPORT_EXCERPT_CHARS = 80;
export const IMPORT_LINE_CHARS_MAX = 4_096;
/** Lines that are read; a page has at most 200 links. */
export const IMPORT_LINES_MAX = 10_000;
export const IMPORT_JSON_VALUES_MAX = 200_000;
export const ZIP_ENTRIES_MAX = 1_500;
export const UNZIPPED_BYTES_MAX = 67_108_864;
/** Size of all pictures in a zip, unzipped: they hardly shrink, so real ones are the zip's size. */
export const IMPORTED_PICTURES_BYTES_MAX = 16_777_216;
/** Events in one row and in all rows of an imported file: sums of many pages stay exact. */
export const IMPORTED_ROW_EVENTS_MAX = 100_000_000_000;
export const IMPORTED_EVENTS_MAX = 10_000_000_000_000;
export const IMPORTED_TALLIES_MAX = 50_000;
export const IMPORTED_DAYS_MAX = 4_000;
export const EXPORTED_PAGE_BYTES_MAX = 16_777_216;
export const EXPORTED_DAYS_BYTES_MAX = 16_777_216;
/** Length of a day of an export: its breakdowns have 250 KB at most. */
export const IMPORT_DAY_CHARS_MAX = 524_288;
/** Links, scripts with data, and titles that are read of a page in HTML; a page here has at most 200 links. */
export const PAGE_ANCHORS_MAX = 2_000;
export const PAGE_SCRIPTS_MAX = 50;
export const PAGE_TEXTS_MAX = 100;
/** Characters of one text or attribute: an address has at most 2,048. */
export const PAGE_TEXT_CHARS_MAX = 4_096;
/** Nested lists and objects in a page's JSON that are looked at. */
export const PAGE_DATA_DEPTH_MAX = 12;
/** A page that the service fetches, and its picture: bytes of each after decompression. */
export const FETCHED_BYTES_MAX = 1_048_576;
export const READ_PAGE_BODY_BYTES_MAX = 8_192;
export const FETCH_HOPS_MAX = 5;
/** For all requests of one reading together: the page, its redirects and its picture. */
export const FETCH_TIMEOUT_MS = 5_000;
/** Longest wait for the workshop beyond that: it reads what has arrived. */
export const FETCH_READ_TIMEOUT_MS = 10_000;
