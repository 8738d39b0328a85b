/** What a restore says at its end: what is not as it was before the loss, one line for each. */
import type { LackingPage, WentBack } from "../../restored/lacking.ts";
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
    ...(found.length === 0
      ? [
          `Nothing else of the ${report.asked} pages of this backup is missing or newer, as far as their objects know.`,
        ]
      : []),
    `Asked were the objects of the ${report.asked} pages of this backup, and no others. ${lackingText(report.went_back)}`,
    UNKNOWN,
  ].join("\n\n");
}

/** What left no trace outside of D1. */
const UNKNOWN = `Nobody can list what left no trace outside of D1: a change of a page that had not reached its object, slugs,
and notifications of the hub.`;

/** What D1 lacks since it went back to an older point. */
export function lackingText(went_back: WentBack | null): string {
  if (went_back === null) {
    return "The cron, which looks once a minute, has not seen D1 go back to an older point.";
  }
  const { noticed_at, minutes_back, is_complete, asked, unanswered, pages, more } = went_back;
  const at = new Date(noticed_at).toISOString().slice(0, 16).replace("T", " ");
  const lines = pages.slice(0, LINES_MAX).map(lackingLine);
  const left_out = pages.length - lines.length + more;
  return [
    `At ${at} UTC the cron saw that D1 had gone back to a state about ${minutes_back} min older.`,
    is_complete
      ? `It has asked the objects of ${asked} pages: all that D1 has, and those without a row that were made, deleted or undeleted in the 35 days before.`
      : `It is still asking; ${asked} pages so far. Ask again in some minutes.`,
    ...(unanswered === 0 ? [] : [`${unanswered} of them did not answer.`]),
    pages.length === 0
      ? "D1 lacks nothing that they know."
      : [`D1 lacks what they know of ${pages.length} pages:`, ...lines].join("\n"),
    ...(left_out > 0 ? [`${left_out} more are not printed.`] : []),
  ].join("\n");
}

function lackingLine({ page_id, version, kept, tips, subscribers }: LackingPage): string {
  const what = [
    ...(kept === 0 ? [`no row, its object knows version ${version}`] : []),
    ...(kept > 0 && version > kept ? [`version ${kept} of ${version}`] : []),
    ...(tips > 0 ? [`${tips} tips`] : []),
    ...(subscribers > 0 ? [`a list of ${subscribers} subscribers`] : []),
  ];
  return `  ${page_id}: ${what.join(", ")}`;
}

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
