import type { MailLocale } from "./mail.ts";

export function mailHtml(locale: MailLocale, paragraphs: readonly string[]): string {
  return `<!DOCTYPE html>
<html lang="${locale}" dir="${locale === "ar" ? "rtl" : "ltr"}"><body>
${paragraphs.join("\n")}
</body></html>`;
}

export function paragraph(text: string): string {
  return `<p>${escaped(text)}</p>`;
}

export function linkParagraph(url: string, text: string): string {
  return `<p><a href="${escaped(url)}">${escaped(text)}</a></p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
