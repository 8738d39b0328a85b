/** The audit: what the page's object accepted, against what D1 has of it (docs/contract.md section 2, promise 4). Pure. */
import type { PageSnapshot } from "../../objects/page/page-snapshot.ts";
import { linkLabels } from "./link-labels.ts";
import type { AuditRows } from "./stats-store.ts";

/** Events of all classes. `accepted + drift` is always `flushed + pending`. */
export interface AuditEntry {
  /** What the page's object has counted since the page exists. */
  accepted: number;
  /** What of it D1 has. */
  flushed: number;
  /** What of it is on its way to D1. */
  pending: number;
  /** How many D1 has beyond what was accepted, or, negative, has lost of what it confirmed. 0 is exact. */
  drift: number;
}

export interface LinkAuditEntry extends AuditEntry {
  link_id: string;
  /** Null where the link is no longer on the page. */
  label: string | null;
}

export interface Audit extends AuditEntry {
  /** Whether views and every link are without drift: one too many here does not make up for one too few there. */
  exact: boolean;
  views: AuditEntry;
  links: LinkAuditEntry[];
}

export function auditOf({ page, links, flushed }: AuditRows, { totals }: PageSnapshot): Audit {
  const in_d1 = new Map(flushed.map(({ link_id, n }) => [link_id, n]));
  const of = (link_id: string): AuditEntry => {
    let [accepted, confirmed] = [0, 0];
    for (const total of totals) {
      if (total.link_id !== link_id) continue;
      accepted += total.accepted;
      confirmed += total.flushed;
    }
    return entryOf(accepted, confirmed, in_d1.get(link_id) ?? 0);
  };
  const labels = linkLabels(page, links);
  const link_ids = new Set([
    ...labels.keys(),
    ...totals.map(({ link_id }) => link_id),
    ...in_d1.keys(),
  ]);
  link_ids.delete("");
  const views = of("");
  const entries = [...link_ids].map((link_id) => ({
    link_id,
    label: labels.get(link_id) ?? null,
    ...of(link_id),
  }));
  const all = [views, ...entries];
  return { ...sum(all), exact: all.every(({ drift }) => drift === 0), views, links: entries };
}

/**
 * D1 may have more than it has confirmed, where its answer got lost; that is no drift. It may have neither
 * more than was accepted nor less than it confirmed.
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
