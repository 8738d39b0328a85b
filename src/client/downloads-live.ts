import type { ReaderLocale } from "../views/numbering.ts";
import { formatBytes, formatNumber } from "../views/numbers.ts";
import { set } from "./dashboard-live.ts";
import type { ReceivedUpdate } from "./dashboard-socket.ts";

export function liveDownloads(
  page: HTMLElement,
  locale: ReaderLocale,
): (update: ReceivedUpdate) => void {
  const card = page.querySelector<HTMLElement>("[data-downloads]");
  const exact_bytes = card?.dataset.downloads ?? "";
  const rows = [...(card?.querySelectorAll<HTMLElement>("[data-download]") ?? [])];
  return ({ downloads }) => {
    for (const row of rows) {
      const numbers = downloads?.get(row.dataset.download ?? "");
      const [uses, bytes] = row.querySelectorAll<HTMLElement>("[data-n]");
      if (numbers === undefined || uses === undefined || bytes === undefined) continue;
      // The numbers only grow, and the page may be newer than what was announced of them.
      if (numbers.uses > Number(uses.dataset.n)) {
        uses.dataset.n = String(numbers.uses);
        set(uses, formatNumber(locale, numbers.uses));
      }
      if (numbers.bytes > Number(bytes.dataset.n)) {
        bytes.dataset.n = String(numbers.bytes);
        bytes.title = exact_bytes.replace("#", formatNumber(locale, numbers.bytes));
        set(bytes, formatBytes(locale, numbers.bytes));
      }
    }
    if (downloads !== null) rank(rows);
  };
}

function rank(rows: readonly HTMLElement[]): void {
  const usesOf = (row: HTMLElement) =>
    Number(row.querySelector<HTMLElement>("[data-n]")?.dataset.n);
  const ranked = [...rows].sort((one, other) => usesOf(other) - usesOf(one));
  const most = Math.max(1, ...ranked.map(usesOf));
  for (const [place, row] of ranked.entries()) {
    row.querySelector("rect")?.setAttribute("width", `${(usesOf(row) / most) * 100}%`);
    const there = row.parentElement?.children[place];
    if (there !== row) row.parentElement?.insertBefore(row, there ?? null);
  }
}
