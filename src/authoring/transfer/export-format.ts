/** Files of an export. All but `page.json` have a row per line: a page may have millions of rows. */
export const FORMAT = "sila-page";
/** An import reads this version and older ones. */
export const FORMAT_VERSION = 1;

export const FILES = {
  page: "page.json",
  /** An import starts a new history. */
  revisions: "revisions.jsonl",
  tallies: "tallies.jsonl",
  days: "days.jsonl",
  /** An import leaves them out. */
  tips: "tips.jsonl",
} as const;

/** Named by the hash of the content, which ends a picture's key. */
export function pictureFile(key: string): string {
  return `pictures/${key.slice(key.lastIndexOf("/") + 1)}`;
}
