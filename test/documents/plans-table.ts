/** The table of what each plan has, in docs/contract.md section 6, made from the limits of the rooms. */
import { DAY_LIMITS } from "../../src/accounts/limits.ts";
import { AI_REQUESTS_PER_PLAN } from "../../src/blocks/ai/limits.ts";
import { FILE_BYTES_PER_PLAN } from "../../src/blocks/files/limits.ts";
import { PAGES_PER_PLAN } from "../../src/pages/document/limits.ts";
import { markdownTable } from "../markdown.ts";

const A_DAY: Record<keyof typeof DAY_LIMITS, string> = {
  pictures_day: "pictures new to the page",
  import_reads_day: "files read for imports or previews",
  imports_day: "imports",
  page_reads_day: "fetches of pages elsewhere",
  import_kilorows_day: "thousands of their rows of history, each rounded up",
  ends_day: "deletions, and undone ones",
};

/** By what is counted in any 24 hours last. */
export function plansTable(): string {
  const days = (Object.keys(A_DAY) as (keyof typeof A_DAY)[]).map(
    (scope) => [`in any 24 h: ${A_DAY[scope]}`, `\`${scope}\``, DAY_LIMITS[scope]] as const,
  );
  const rows = [
    ["pages (section 10)", "", PAGES_PER_PLAN] as const,
    ["bytes of files (section 11)", "", FILE_BYTES_PER_PLAN] as const,
    ["in any 24 h: suggestions (section 11)", "", AI_REQUESTS_PER_PLAN] as const,
    ...days,
  ];
  return markdownTable([
    ["of a user", "scope", "`free`:", "`pro`:", "`business`:"],
    ...rows.map(([what, scope, { free, pro, business }]) => [
      ...[what, scope],
      ...[free, pro, business].map((n) => n.toLocaleString("en")),
    ]),
  ]);
}
