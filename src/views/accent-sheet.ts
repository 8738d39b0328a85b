import { createHash } from "node:crypto";
import { accentRules } from "./accent.ts";
import type { Look } from "./look-values.ts";

/**
 * Null for a look without an accent of its own. The sheet is served as `/assets/<name>`. The name
 * has the hash of the content in it, so pages with the same colours share one sheet.
 */
export function accentSheet(
  look: Pick<Look, "palette" | "accent" | "scheme">,
): { name: string; css: string } | null {
  const css = accentRules(look);
  if (css === null) return null;
  const hash = createHash("sha256").update(css).digest("hex").slice(0, 16);
  return { name: `look-${hash}.css`, css };
}

export function isAccentSheetName(name: string): boolean {
  return /^look-[0-9a-f]{16}\.css$/.test(name);
}
