/** The earliest row comes first. */

export function seriesOf(page: HTMLElement): HTMLTableRowElement[] {
  const rows = [...page.querySelectorAll<HTMLTableRowElement>("[data-series] tbody tr")];
  return rows.sort((one, other) => startOf(one) - startOf(other));
}

/** Unix milliseconds at which the row's hour, day or month starts. */
export function startOf(row: HTMLElement): number {
  return Date.parse(row.querySelector("time")?.dateTime ?? "");
}
