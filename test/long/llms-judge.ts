/**
 * The layout of llms.txt by llmstxt.org, checked line by line: a title; a summary as a quotation;
 * anything but headings; then sections of the second level with lists of links.
 */

export interface LlmsLink {
  section: string;
  name: string;
  url: string;
}

/** `- [name](url)`, and notes after a colon. */
const LINK = /^- \[([^\]]+)\]\((\S+)\)(?:: \S.*)?$/;

/** The links in the sections, and one line for each breach of the layout. */
export function judgeLlmsTxt(text: string): { links: LlmsLink[]; faults: string[] } {
  const faults: string[] = [];
  const links: LlmsLink[] = [];
  const [title = "", ...lines] = text.split("\n").filter((line) => line.trim() !== "");
  if (!/^# \S/.test(title)) faults.push("the first line is no title");
  if (!/^> \S/.test(lines[0] ?? "")) faults.push("no summary follows the title");

  let section: string | null = null;
  const lengths = new Map<string, number>();
  for (const line of lines) {
    const [, level, name = ""] = /^(#{1,6}) +(.*)$/.exec(line) ?? [];
    if (level !== undefined) {
      if (level !== "##") faults.push(`a heading of another level: ${line}`);
      if (lengths.has(name)) faults.push(`two sections are called ${name}`);
      section = name;
      lengths.set(name, 0);
    } else if (section !== null) {
      const [, called = "", url = ""] = LINK.exec(line) ?? [];
      if (!URL.canParse(url)) faults.push(`no link to an address in ${section}: ${line}`);
      else links.push({ section, name: called, url });
      lengths.set(section, (lengths.get(section) ?? 0) + 1);
    }
  }
  for (const [name, length] of lengths) if (length === 0) faults.push(`${name} is empty`);
  if (lengths.size === 0) faults.push("there is no section of links");
  // The optional section is last, so that a reader with little space can stop there.
  if (lengths.has("Optional") && section !== "Optional") faults.push("Optional is not the last");
  return { links, faults };
}
