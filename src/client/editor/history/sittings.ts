/** People remember the saves of one sitting together, with the click rate before and after it. */

/** Later saves belong to another sitting. */
const SITTING_MS = 600_000;
const PER_ANSWER = 100;
/** Rates are not compared with fewer views on either side. */
const VIEWS_MIN = 100;
/** Two rates differ by more than this many standard errors in one case of twenty by chance. */
const ERRORS_MIN = 1.96;

export interface Totals {
  views: number;
  clicks: number;
}

export interface Version {
  version: number;
  /** ISO 8601. */
  at: string;
  what: readonly string[];
  /** The totals when the version began to count; null where they are not known. */
  totals: Totals | null;
}

export interface Sitting {
  /** The newest first; at least one. */
  versions: readonly Version[];
  newest: Version;
  what: readonly string[];
  /** Views and clicks since the sitting before; null if they are not known. */
  before: Totals | null;
  /** Views and clicks until the next sitting, or until now. */
  after: Totals | null;
}

export interface Listed {
  versions: readonly Version[];
  now: Totals | null;
  has_more: boolean;
}

/** Adds an answer. One with the newest versions leaves older ones listed. */
export function joined(
  known: Listed | null,
  answer: { before: number | null; revisions: readonly Version[]; now: Totals | null },
): Listed {
  const { before, revisions, now } = answer;
  const has_more = revisions.length === PER_ANSWER;
  const versions = known?.versions ?? [];
  if (before !== null) return { versions: [...versions, ...revisions], now, has_more };
  const oldest = revisions.at(-1)?.version ?? 0;
  const older = versions.filter(({ version }) => version < oldest);
  if (older.length === 0) return { versions: revisions, now, has_more };
  return { versions: [...revisions, ...older], now, has_more: known?.has_more ?? has_more };
}

/**
 * @param versions the newest first
 * @param now the totals at this moment; null where they are not known
 */
export function sittingsOf(versions: readonly Version[], now: Totals | null): Sitting[] {
  const groups: Version[][] = [];
  for (const version of versions) {
    const group = groups.at(-1);
    const later = group?.at(-1);
    if (
      group !== undefined &&
      later !== undefined &&
      Date.parse(later.at) - Date.parse(version.at) <= SITTING_MS
    ) {
      group.push(version);
    } else {
      groups.push([version]);
    }
  }
  return groups.flatMap((versions, i): Sitting[] => {
    const [newest] = versions;
    if (newest === undefined) return [];
    const next = groups[i - 1]?.at(-1);
    const previous = groups[i + 1]?.[0];
    return [
      {
        versions,
        newest,
        what: [...new Set(versions.flatMap(({ what }) => what))],
        before: between(previous?.totals, versions.at(-1)?.totals),
        after: between(newest.totals, i === 0 ? now : next?.totals),
      },
    ];
  });
}

function between(from: Totals | null | undefined, to: Totals | null | undefined): Totals | null {
  if (!from || !to) return null;
  const [views, clicks] = [to.views - from.views, to.clicks - from.clicks];
  return views < 0 || clicks < 0 ? null : { views, clicks };
}

export type Judgement = "up" | "down" | "same" | "few";

/** Counts vary by chance as in a Poisson process. */
export function judge(before: Totals, after: Totals): Judgement {
  if (before.views < VIEWS_MIN || after.views < VIEWS_MIN) return "few";
  const difference = after.clicks / after.views - before.clicks / before.views;
  const error = Math.sqrt(before.clicks / before.views ** 2 + after.clicks / after.views ** 2);
  if (Math.abs(difference) <= ERRORS_MIN * error) return "same";
  return difference > 0 ? "up" : "down";
}
