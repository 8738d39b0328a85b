/** Links between the documents, and the headings that they lead to. Pure. */
import { posix } from "node:path";
import { exists, type Tree } from "./tree.ts";

export function brokenLinks(tree: Tree): string[] {
  const documents = [...tree].filter(([path]) => path.endsWith(".md"));
  return documents.flatMap(([path, text]) =>
    targetsIn(text).flatMap((target) => {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
      const [file = "", anchor] = target.split("#");
      const wanted = file === "" ? path : posix.join(posix.dirname(path), decodeURIComponent(file));
      if (!exists(tree, wanted)) return [`${path}: no file ${target}`];
      const isThere = anchor === undefined || slugsOf(tree.get(wanted) ?? "").includes(anchor);
      return isThere ? [] : [`${path}: no heading ${target}`];
    }),
  );
}

/** Targets of `[text](target)`, `![text](target)`, `[name]: target` and `<img src="target">`. */
function targetsIn(markdown: string): string[] {
  const text = withoutFences(markdown).replace(/`[^`\n]*`/g, "");
  const patterns = [
    /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g,
    /^\[[^\]]+\]:\s+(\S+)/gm,
    /<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"/g,
  ];
  return patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, to = ""]) => to));
}

/** The anchors that GitHub gives the headings of a Markdown file; a repeated heading gets a number. */
function slugsOf(markdown: string): string[] {
  const seen = new Map<string, number>();
  return headingsOf(markdown).map((heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** Headings as they are read: without the marks of code, emphasis and links. */
export function headingsOf(markdown: string): string[] {
  const headings = withoutFences(markdown).matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm);
  return Array.from(headings, ([, heading = ""]) =>
    heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, ""),
  );
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^(`{3,}|~{3,}).*\n[\s\S]*?^\1$/gm, "");
}
