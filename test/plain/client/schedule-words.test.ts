/** What the rows of the editor say of links with times. */
import { expect, test } from "vitest";
import { EDITOR } from "../../browser/editor-texts.ts";

const NOW_S = Date.parse("2026-11-22T12:00Z") / 1_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

test.for([
  [{ from: NOW_S + 3 * HOUR_S, until: null }, "يظهر بعد ٣ ساعات", "Appears in 3 hours"],
  [{ from: NOW_S + 2 * MINUTE_S, until: null }, "يظهر بعد دقيقتين", "Appears in 2 minutes"],
  [{ from: NOW_S + 20 * HOUR_S, until: null }, "يظهر غدًا", "Appears tomorrow"],
  [{ from: null, until: NOW_S - 20 * HOUR_S }, "انتهى أمس", "Ended yesterday"],
  [{ from: NOW_S - 1, until: NOW_S + 4 * DAY_S }, "يختفي بعد ٤ أيام", "Ends in 4 days"],
  [
    { from: null, until: NOW_S + 90 * DAY_S },
    "يختفي في ٢٠ فبراير ٢٠٢٧",
    "Ends on February 20, 2027",
  ],
  [{ from: NOW_S - 1, until: null }, null, null],
] as const)("%j says what it means now, in days of the page's calendar", ([times, ar, en]) => {
  const words = (["ar", "en"] as const).map((locale) =>
    EDITOR[locale].scheduleWords(times, NOW_S, "Asia/Riyadh"),
  );
  expect(words).toEqual([ar, en]);
});
