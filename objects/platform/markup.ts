const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Escapes markup as JSX does. */
export function escapeHtml(text: string): string {
  return escaped(text, "&#39;");
}

/** XML has a name for the apostrophe. */
export function escapeXml(text: string): string {
  return escaped(text, "&apos;");
}

function escaped(text: string, apostrophe: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? apostrophe);
}
