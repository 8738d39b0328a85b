import type { Bilingual } from "../../views/bilingual.ts";
import { truncated } from "../../views/plain-text.ts";
import { IMPORT_EXCERPT_CHARS, IMPORT_REMARKS_MAX } from "./limits.ts";

export interface Remark {
  /** The line, or the number of an entry, from 1 on; null for the whole file. */
  line: number | null;
  text: string;
  reason: Bilingual;
}

export class Remarks {
  readonly list: Remark[] = [];
  n = 0;

  add(line: number | null, text: string, reason: Bilingual): void {
    this.n += 1;
    if (this.list.length >= IMPORT_REMARKS_MAX) return;
    // Cut first: a text may have megabytes.
    const excerpt = truncated(text.slice(0, 4 * IMPORT_EXCERPT_CHARS), IMPORT_EXCERPT_CHARS);
    this.list.push({ line, text: excerpt.toWellFormed(), reason });
  }
}
