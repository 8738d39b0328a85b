import type { ReaderLocale } from "./numbering.ts";

export const TIME_OPTIONS = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

export function dateFormat(
  locale: ReaderLocale,
  tz: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: tz });
}

/** `14:05`. */
export function timeAt(locale: ReaderLocale, at_ms: number, tz: string): string {
  return dateFormat(locale, tz, TIME_OPTIONS).format(at_ms);
}
