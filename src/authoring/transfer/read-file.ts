import { parseForeign } from "./foreign-json.ts";
import { fromCsv } from "./from-csv.ts";
import { fromExport, fromZip, type ImportTime, isExport } from "./from-export.ts";
import { fromLines } from "./from-lines.ts";
import { fromLinkStack } from "./from-linkstack.ts";
import { fromPage } from "./from-page.ts";
import { decodeHtml } from "./html-text.ts";
import type { ImportType } from "./import-query.ts";
import { ImportRefused, REASONS } from "./import-reasons.ts";
import { decodeText } from "./import-text.ts";
import type { ImportedPage } from "./imported-page.ts";

/**
 * Reads a file by its type, never by its name; fetches nothing (docs/security.md S27). Rejects with
 * `ImportRefused`, also for a file of another service without a single link.
 */
export async function readFile(
  type: ImportType,
  file: Uint8Array<ArrayBuffer>,
  time: ImportTime,
): Promise<ImportedPage> {
  const page = await parse(type, file, time);
  if (!page.is_export && page.document.links.length === 0) {
    throw new ImportRefused(REASONS.no_links, null, page.refused.list);
  }
  return page;
}

async function parse(
  type: ImportType,
  file: Uint8Array<ArrayBuffer>,
  time: ImportTime,
): Promise<ImportedPage> {
  if (type === "application/zip") return fromZip(file, time);
  if (type === "text/html") return (await fromPage(decodeHtml(file), null)).imported;
  const text = decodeText(file);
  if (type === "application/json") {
    const value = parseForeign(text);
    return isExport(value) ? fromExport(value, null, time) : fromLinkStack(value);
  }
  return type === "text/csv" ? fromCsv(text) : fromLines(text);
}
