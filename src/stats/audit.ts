/** Compares a page object's events with D1's (docs/contract.md section 2, promise 4). */
import type { PageSnapshot } from "../../objects/page/page-snapshot.ts";
import type { AuditRows } from "./audit-store.ts";
import { lastLabel, linkLabels } from "./link-labels.ts";

/** Events of all classes. `accepted + drift` is always `flushed + pending`. */
export interface AuditEntry {
  /** The page object has counted these since the page was created. */
  accepted: number;
  flushed: number;
  pending: number;
  /** Above 0: events in D1 that were never accepted. Below: events that D1 confirmed and lost. */
  drift: number;
}

interface LinkAuditEntry extends AuditEntry {
  link_id: string;
  /** Null if the label of a removed link is not known. */
  label: string | null;
  removed: boolean;
}

export interface Audit extends AuditEntry {
  /** Views and every link have no drift. In the sum, opposite drifts could cancel out. */
  exact: boolean;
  views: AuditEntry;
  links: LinkAuditEntry[];
}

export function auditOf(
  { page, links, removed, flushed }: AuditRows,
  { totals }: PageSnapshot,
): Audit {
  const of = entriesOf(flushed, totals);
  const labels = linkLabels(page, links);
  const last_labels = new Map(removed.map(({ link_id, label }) => [link_id, label]));
  const link_ids = new Set([
    ...labels.keys(),
    ...totals.map(({ link_id }) => link_id),
    ...flushed.map(({ link_id }) => link_id),
  ]);
  link_ids.delete("");
  const views = of("");
  const entries = [...link_ids].map((link_id) => ({
    link_id,
    label: labels.get(link_id) ?? lastLabel(page, links, link_id, last_labels.get(link_id) ?? null),
    removed: !labels.has(link_id),
    ...of(link_id),
  }));
  const all = [views, ...entries];
  return { ...sum(all), exact: all.every(({ drift }) => drift === 0), views, links: entries };
}

export function isExact(flushed: AuditRows["flushed"], { totals }: PageSnapshot): boolean {
  const of = entriesOf(flushed, totals);
  return [...totals, ...flushed].every(({ link_id }) => of(link_id).drift === 0);
}

/** `''` is the entry of views. */
function entriesOf(
  flushed: AuditRows["flushed"],
  totals: PageSnapshot["totals"],
): (link_id: string) => AuditEntry {
  const in_d1 = new Map(flushed.map(({ link_id, n }) => [link_id, n]));
  return (link_id) => {
    let [accepted, confirmed] = [0, 0];
    for (const total of totals) {
      if (total.link_id !== link_id) continue;
      accepted += total.accepted;
      confirmed += total.flushed;
    }
    return entryOf(accepted, confirmed, in_d1.get(link_id) ?? 0);
  };
}

/**
 * D1 may have more than it confirmed, if a reply was lost: that is no drift. Drift is more than the
 * object accepted, or less than D1 confirmed.
 */
function entryOf(accepted: number, confirmed: number, flushed: number): AuditEntry {
  const drift = Math.max(0, flushed - accepted) + Math.min(0, flushed - confirmed);
  return { accepted, flushed, pending: accepted + drift - flushed, drift };
}

function sum(entries: readonly AuditEntry[]): AuditEntry {
  const sums: AuditEntry = { accepted: 0, flushed: 0, pending: 0, drift: 0 };
  for (const { accepted, flushed, pending, drift } of entries) {
    sums.accepted += accepted;
    sums.flushed += flushed;
    sums.pending += pending;
    sums.drift += drift;
  }
  return sums;
}
