/** A measured number: the median of its runs with the lowest and the highest. */

export interface Figure {
  median: number;
  low: number;
  high: number;
}

export function figure(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const isOdd = sorted.length % 2 === 1;
  return {
    median: isOdd ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2,
    low: sorted[0] ?? Number.NaN,
    high: sorted.at(-1) ?? Number.NaN,
  };
}

export function shown({ median, low, high }: Figure, digits: number): string {
  const text = (n: number) =>
    n.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return text(low) === text(high) ? text(median) : `${text(median)} (${text(low)}–${text(high)})`;
}
