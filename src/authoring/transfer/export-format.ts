/**
 * The files of an export. `page.json` is one object; the others have a row in each line, because a page
 * may have millions of rows, and neither the writer nor a reader needs all of them at once.
 */
export const FORMAT = "sila-page";
/** An import reads this version and older ones. */
export const FORMAT_VERSION = 1;

export const FILES = {
  /** {@link ExportedPage}. */
  page: "page.json",
  /** Every save that is still stored, the oldest first. An import starts a new history. */
  revisions: "revisions.jsonl",
  /** Rows of the table `tallies`, with the shard. */
  tallies: "tallies.jsonl",
  /** Rows of the table `days`. */
  days: "days.jsonl",
  /** Tips that the page has received, the first one first. An import leaves them out. */
  tips: "tips.jsonl",
} as const;

/** The name of a picture that the page uses. Its key ends in the hash of its content. */
export function pictureFile(key: string): string {
  return `pictures/${key.slice(key.lastIndexOf("/") + 1)}`;
}
