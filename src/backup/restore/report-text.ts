/** What a restore says at its end: what is not as it was before the loss, one line for each. */
import type { Listed, RestoreReport } from "./restore-backup.ts";

/** Lines of one kind that are printed; `--json` has all. */
const LINES_MAX = 50;

export function reportText(report: RestoreReport, dry_run: boolean): string {
  const sections: [heading: string, lines: string[]][] = [
    [
      "Pages that were changed after the backup (saved, deleted, suspended or reinstated), and are as they were then",
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
    [
      "Pages whose objects did not answer: the cron's sweep brings their counts",
      report.pages_unhealed,
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
    ...(found.length === 0 ? ["Nothing else is missing or newer, as far as objects know."] : []),
    UNKNOWN,
  ].join("\n\n");
}

/** What left no trace outside of D1. */
const UNKNOWN = `Nobody can list what was written after the backup and left no trace outside of D1: changes of pages
on which nothing was ever counted, new ones that have no picture, and notifications of the hub.`;

export function listText(backups: readonly Listed[]): string {
  if (backups.length === 0) {
    return "There are no complete backups. Each night's begins at 02:00 UTC, or with the first minute after it.";
  }
  return backups
    .map(({ date, rows, bytes, finished_at }) => {
      const done = new Date(finished_at).toISOString().slice(0, 16).replace("T", " ");
      return `${date}  ${rows} rows, ${(bytes / 1e6).toFixed(1)} MB, complete at ${done} UTC`;
    })
    .join("\n");
}
