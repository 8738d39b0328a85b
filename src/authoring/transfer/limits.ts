/** Limits of exports and imports (docs/contract.md sections 6 and 10). A name ends in its unit. */

/** A file to import (docs/contract.md section 10). */
export const IMPORT_BYTES_MAX = 8_388_608;
/** Longest time to read it: 8 MiB at 1.1 Mbit/s. */
export const IMPORT_BODY_TIMEOUT_MS = 60_000;
/** Longest time until the workshop has read it: the worst file takes 5 s of CPU. */
export const IMPORT_READ_TIMEOUT_MS = 30_000;
/** Remarks on a file in one answer. */
export const IMPORT_REMARKS_MAX = 500;
export const IMPORT_EXCERPT_CHARS = 80;
/** A line of a text, and a cell of a table. */
export const IMPORT_LINE_CHARS_MAX = 4_096;
/** Lines that are read; a page has at most 200 links. */
export const IMPORT_LINES_MAX = 10_000;
/** Values of a JSON file of another service. */
export const IMPORT_JSON_VALUES_MAX = 200_000;
/** Files in a zip, and what they take together when unzipped. */
export const ZIP_ENTRIES_MAX = 1_500;
export const UNZIPPED_BYTES_MAX = 67_108_864;
/** Pictures in a zip, unzipped together: they hardly shrink, so real ones are the zip's size. */
export const IMPORTED_PICTURES_BYTES_MAX = 16_777_216;
/** Events in one row of an imported file, and in all rows: the sums of many pages are still exact. */
export const IMPORTED_ROW_EVENTS_MAX = 100_000_000_000;
export const IMPORTED_EVENTS_MAX = 10_000_000_000_000;
/** Rows of imported history of one page. */
export const IMPORTED_TALLIES_MAX = 50_000;
export const IMPORTED_DAYS_MAX = 4_000;
/** Files of an export, unzipped. */
export const EXPORTED_PAGE_BYTES_MAX = 16_777_216;
export const EXPORTED_DAYS_BYTES_MAX = 16_777_216;
/** A day of an export: its breakdowns have 250 KB at most. */
export const IMPORT_DAY_CHARS_MAX = 524_288;
