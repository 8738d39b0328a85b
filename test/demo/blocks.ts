/** The blocks of the demo pages, and the files that they offer. The invented history has nothing of them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import type { Link } from "../../src/pages/document/page-document.ts";
import { type PlainPage, plainPage } from "../plain-page.ts";

export interface DemoFile {
  file_id: string;
  name: string;
  type: string;
  content(): Promise<Uint8Array> | Uint8Array;
}

const PRICE_LIST: DemoFile = {
  file_id: "demo-file-prices",
  name: "قائمة الأسعار.pdf",
  type: "application/pdf",
  // Printed by Chromium from the .html with the same name.
  content: () => readFile(join(ROOT, "test/demo/files/prices.pdf")),
};

const NOTES: DemoFile = {
  file_id: "demo-file-notes",
  name: "dawn-on-the-saltmarsh.txt",
  type: "text/plain",
  content: () =>
    new TextEncoder().encode("05:12  First curlew, far out.\n05:40  Redshanks. The tide turns.\n"),
};

export interface DemoBlocks {
  file: DemoFile;
  links: readonly Link[];
}

export const DEMO_BLOCKS: Readonly<Record<string, DemoBlocks>> = {
  demo: {
    file: PRICE_LIST,
    links: linksIn("ar", [
      {
        link_id: "demo-prices",
        kind: "download",
        label: "قائمة أسعار المجموعة الجديدة",
        block: { file_id: PRICE_LIST.file_id, access: "free", uses_max: null },
      },
      {
        link_id: "demo-tips",
        kind: "tip",
        label: "ساهم في كيس الطين القادم",
        block: { amounts: [5, 20, 100] },
      },
      {
        link_id: "demo-letter",
        kind: "newsletter",
        label: "رسالة من الورشة أول كل شهر",
        block: {},
      },
    ]),
  },
  "demo-en": {
    file: NOTES,
    links: linksIn("en", [
      {
        link_id: "demo-en-notes",
        kind: "download",
        label: "Notes from the saltmarsh, to keep",
        block: { file_id: NOTES.file_id, access: "tip", uses_max: null },
      },
      {
        link_id: "demo-en-tips",
        kind: "tip",
        label: "Buy me a blank tape",
        block: { amounts: [5, 20, 100] },
      },
      {
        link_id: "demo-en-letter",
        kind: "newsletter",
        label: "A letter with each new tape",
        block: {},
      },
    ]),
  },
};

function linksIn(locale: "ar" | "en", links: NonNullable<PlainPage["links"]>): readonly Link[] {
  return plainPage({ page_id: "", locale, links }).links;
}
