/** Times on the clock of a zone, in the editor's schedule. */
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import {
  clockAt,
  daysBetween,
  secondOf,
  secondsOf,
} from "../../../src/client/editor/links/zone-time.ts";
import { cases } from "../kit/cases.ts";

/** With and without changes of the clock, by an hour, by half of one, and at odd dates. */
const ZONES = [
  ..."Asia/Riyadh Africa/Cairo Africa/Casablanca Asia/Beirut Asia/Gaza Asia/Tehran UTC".split(" "),
  ..."Europe/London America/New_York America/Sao_Paulo Australia/Lord_Howe".split(" "),
  ..."Pacific/Apia Asia/Kathmandu America/St_Johns Pacific/Chatham Africa/Khartoum".split(" "),
];
const zone = fc.constantFrom(...ZONES);
/** From 1971 to 2099, in seconds. */
const second = fc.integer({ min: 31_536_000, max: 4_102_444_800 }).map((s) => s - (s % 60));
const clock = second.map((s) => new Date(s * 1_000).toISOString().slice(0, 16));

function secondsByTemporal(
  text: string,
  time_zone: string,
  disambiguation: "earlier" | "later" | "compatible",
) {
  const plain = Temporal.PlainDateTime.from(text);
  return plain.toZonedDateTime(time_zone, { disambiguation }).epochMilliseconds / 1_000;
}

describe("a time on a zone's clock", () => {
  it("is the second that Temporal has for it, in gaps and overlaps too", () => {
    fc.assert(
      fc.property(clock, zone, (text, time_zone) => {
        expect(secondOf(text, time_zone)).toBe(secondsByTemporal(text, time_zone, "compatible"));
      }),
      { numRuns: cases(2_000) },
    );
  });

  it("is so around every change of the clock", () => {
    for (const time_zone of ZONES) {
      let at = Temporal.ZonedDateTime.from(`2009-06-01T00:00[${time_zone}]`);
      for (let changes = 0; changes < 12; changes += 1) {
        const next = at.getTimeZoneTransition("next");
        if (next === null) break;
        at = next;
        for (let minutes = -150; minutes <= 150; minutes += 30) {
          const text = next.toPlainDateTime().add({ minutes }).toString().slice(0, 16);
          const seconds = new Set(
            (["earlier", "later"] as const).map((way) => secondsByTemporal(text, time_zone, way)),
          );
          const exists = [...seconds].filter((s) => clockAt(s, time_zone) === text);
          expect([time_zone, text, secondsOf(text, time_zone)]).toEqual([
            time_zone,
            text,
            exists.sort((a, b) => a - b),
          ]);
          expect(secondOf(text, time_zone)).toBe(secondsByTemporal(text, time_zone, "compatible"));
        }
      }
    }
  });

  it("is read back from the second", () => {
    fc.assert(
      fc.property(second, zone, (unix_s, time_zone) => {
        const shown = clockAt(unix_s, time_zone);
        const zoned = Temporal.Instant.fromEpochMilliseconds(unix_s * 1_000).toZonedDateTimeISO(
          time_zone,
        );
        expect(shown).toBe(zoned.toPlainDateTime().toString().slice(0, 16));
        expect(secondsOf(shown, time_zone)).toContain(unix_s - zoned.second);
      }),
    );
  });

  it("is written as its field writes it, with years of any number of digits", () => {
    for (const text of ["0002-03-04T05:06", "12026-03-04T05:06"]) {
      expect(clockAt(secondOf(text, "UTC") ?? 0, "UTC")).toBe(text);
    }
  });

  it.each(["", "2026-11-22", "2026-13-40T00:00", "noon", "2026-11-22T12"])(
    "%j is no time",
    (text) => {
      expect([secondsOf(text, "UTC"), secondOf(text, "UTC")]).toEqual([null, null]);
    },
  );
});

describe("days", () => {
  it("are of the calendar in the zone, not of 24 hours", () => {
    fc.assert(
      fc.property(second, second, zone, (from, to, time_zone) => {
        const day = (unix_s: number) =>
          Temporal.Instant.fromEpochMilliseconds(unix_s * 1_000)
            .toZonedDateTimeISO(time_zone)
            .toPlainDate();
        expect(daysBetween(from, to, time_zone)).toBe(
          day(from).until(day(to), { largestUnit: "day" }).days,
        );
      }),
    );
  });
});
