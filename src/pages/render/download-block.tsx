import { DOWNLOAD_PATH } from "../../http/endpoints.ts";
import { drawn, inLanguage } from "../../views/drawn-text.ts";
import { Icon } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { readerLocale } from "../../views/numbering.ts";
import { type Forms, inForm } from "../../views/numbers.ts";
import { plainText } from "../../views/plain-text.ts";
import { blockOf } from "../document/block-of.ts";
import type { BlockByKind } from "../document/page-document.ts";
import { languageIn, textIn } from "../document/page-words.ts";
import type { BlockProps } from "./shown.ts";

interface Texts {
  file: string;
  access: Readonly<Record<BlockByKind["download"]["access"], string>>;
  uses: Forms;
}

const TEXTS: Readonly<Record<Locale, Texts>> = {
  ar: {
    file: "تنزيل الملف",
    access: {
      free: "تنزيل مجاني",
      tip: "لمن أرسل إكرامية في هذه الصفحة",
      subscriber: "لمشتركي النشرة: يصلهم رابطه بالبريد",
      link: "لمن وصله رابط تنزيل خاص",
    },
    uses: {
      one: "تنزيل واحد فقط",
      two: "تنزيلان فقط",
      few: "# تنزيلات فقط",
      many: "# تنزيلًا فقط",
      other: "# تنزيل فقط",
    },
  },
  en: {
    file: "Download the file",
    access: {
      free: "Free download",
      tip: "For those who have sent a tip on this page",
      subscriber: "For newsletter subscribers: the link comes by mail",
      link: "For those who were sent a download link",
    },
    uses: { one: "one download only", other: "# downloads only" },
  },
};

/** Subscribers and people with a link of their own have a token, which the page lacks. */
export function DownloadBlock({ shown, entry }: BlockProps) {
  const { page, locale, is_preview } = shown;
  const block = blockOf(entry, "download");
  if (block === null) return null;
  const { file, access, uses } = TEXTS[locale];
  const label = plainText(textIn(entry.label, locale));
  const language = label === "" ? locale : languageIn(entry.label, locale);
  const is_open = block.access === "free" || block.access === "tip";
  const query = new URLSearchParams({ page_id: page.page_id, link_id: entry.link_id });
  const notes = [access[block.access]];
  if (block.uses_max !== null) {
    notes.push(inForm(readerLocale(locale, "arab"), uses, block.uses_max));
  }
  return (
    <a
      class={entry.highlight ? "link download highlight" : "link download"}
      href={is_open && !is_preview ? `${DOWNLOAD_PATH}/${block.file_id}?${query}` : undefined}
      rel="nofollow"
    >
      <span class="chip">
        <Icon name="save" />
      </span>
      <span class="words">
        <span class="label">
          <bdi {...inLanguage(language)}>{drawn(label, language) || file}</bdi>
        </span>
        <span class="note">{notes.join(" · ")}</span>
      </span>
    </a>
  );
}
