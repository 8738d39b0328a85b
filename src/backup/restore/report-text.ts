/** What a restore says at its end: what is not as it was before the loss, one line for each. */
import type { RestoreReport } from "./restore-backup.ts";

/** Lines of one kind that are printed; `--json` has all. */
const LINES_MAX = 50;

export function reportText(report: RestoreReport, dry_run: boolean): string {
  const sections: [heading: string, lines: string[]][] = [
    [
      "Pages that were saved after the backup, and are as they were then",
      report.pages_older.map((one) => `${one.page_id}: version ${one.backup} of ${one.now}`),
    ],
    ["Pages that were made after the backup: only their pictures are left", report.pages_unknown],
    ["Pages that have ended since, and stay away", report.pages_ended],
    [
      "Pages whose slug was taken since",
      report.pages_renamed.map(({ page_id, was, slug }) => `${page_id}: ${was} is now ${slug}`),
    ],
    [
      "Tips after the backup: the pages' objects have them, and send them",
      report.tips_newer.map((one) => `${one.page_id}: ${one.now - one.backup}`),
    ],
    [
      "Lists of subscribers that changed after the backup: their objects have them",
      report.subscribers_newer.map(({ page_id }) => page_id),
    ],
    [
      "Lost lists of subscribers that somebody has left since: nothing was taken back",
      report.subscribers_left,
    ],
    ["Pictures without a row, uploaded after the backup or deleted", report.pictures_without_row],
    ["Pictures whose content is lost", report.pictures_lost],
    ["Files without a row, uploaded after the backup or deleted", report.files_without_row],
    ["Files whose content is lost: their rows end", report.files_lost],
  ];
  const done = dry_run
    ? `${report.rows} rows of ${report.date} can be restored. Nothing was written.`
    : `${report.rows} rows of ${report.date}: ${report.written} were missing and are back.`;
  const found = sections.filter(([, lines]) => lines.length > 0);
  const told = found.map(([heading, lines]) =>
    [`${heading} (${lines.length}):`, ...lines.slice(0, LINES_MAX).map((line) => `  ${line}`)].join(
      "\n",
    ),
  );
  return [
    done,
    ...told,
    ...(found.length === 0 ? ["Nothing else is missing or newer, as far as is known."] : []),
  ].join("\n\n");
}
