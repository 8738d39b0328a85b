/** The exact clicks of all links since the page was created, read while somebody looks at them. */
import { useEffect, useState } from "hono/jsx/dom";
import type { Editing } from "../editing.ts";

/** Two requests a minute of the 60 that a sender has. */
const EVERY_MS = 30_000;
/** A panel that is opened again shows what it knows. */
const FRESH_MS = 10_000;

type Clicks = Readonly<Record<string, number>>;
type Totals = { totals: { links: Clicks } };
type Stats = { links: readonly { link_id: string; imported: number }[] };

let known: { page_id: string; links: Clicks; at: number } | null = null;
let known_imported: { page_id: string; links: Clicks } | null = null;

/** Keys are link ids; null until the first answer. Without an answer the last numbers stay. */
export function useClicks(editing: Editing): Clicks | null {
  const { page_id } = editing.state.saved;
  const [clicks, setClicks] = useState(known?.page_id === page_id ? known.links : null);
  useEffect(() => {
    let not_before = known?.page_id === page_id ? known.at + FRESH_MS : 0;
    let is_over = false;
    let imported: Promise<Clicks> | null = null;
    const load = async () => {
      if (document.visibilityState !== "visible" || Date.now() < not_before) return;
      not_before = Date.now() + FRESH_MS;
      imported ??= loadImported(editing);
      const answer = await editing.api.call<Totals>(`/api/me/pages/${page_id}/totals`);
      if (answer.ok) {
        const links = sum(answer.body.totals.links, await imported);
        known = { page_id, links, at: Date.now() };
        if (!is_over) setClicks(links);
      } else {
        not_before = Date.now() + Math.max(EVERY_MS, (answer.retry_after_s ?? 0) * 1_000);
      }
    };
    void load();
    const timer = setInterval(() => void load(), EVERY_MS);
    const look = () => void load();
    document.addEventListener("visibilitychange", look);
    return () => {
      is_over = true;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [page_id]);
  return clicks;
}

/**
 * The clicks of imported history and sample data, which the totals lack and the dashboard shows.
 * They do not grow, so one answer lasts; without one the links have what the service counted
 * itself.
 */
async function loadImported({ api, state }: Editing): Promise<Clicks> {
  const { page_id } = state.saved;
  if (known_imported?.page_id === page_id) return known_imported.links;
  const answer = await api.call<Stats>(`/api/me/pages/${page_id}/stats?range=all`);
  if (!answer.ok) return {};
  const links = Object.fromEntries(
    answer.body.links.map(({ link_id, imported }) => [link_id, imported]),
  );
  known_imported = { page_id, links };
  return links;
}

function sum(some: Clicks, others: Clicks): Clicks {
  const all: Record<string, number> = { ...some };
  for (const [link_id, clicks] of Object.entries(others)) {
    all[link_id] = (all[link_id] ?? 0) + clicks;
  }
  return all;
}
