import { escapeHtml } from "../platform/markup.ts";
import type { MailLocale } from "./mail.ts";

export function mailHtml(locale: MailLocale, paragraphs: readonly string[]): string {
  return `<!DOCTYPE html>
<html lang="${locale}" dir="${locale === "ar" ? "rtl" : "ltr"}"><body>
${paragraphs.join("\n")}
</body></html>`;
}

export function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

export function linkParagraph(url: string, text: string): string {
  return `<p><a href="${escapeHtml(url)}">${escapeHtml(text)}</a></p>`;
}
