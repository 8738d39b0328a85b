/** The command line of `npm run restore`. */
import { expect, test } from "vitest";
import { readOptions } from "../../src/backup/restore/options.ts";

test("no option at all is a question for help", () => {
  expect([readOptions([]), readOptions(["--help", "--date", "never"])]).toEqual([null, null]);
});

test("a backup is named by a date of the calendar", () => {
  expect(readOptions(["--date", "2028-02-29"])).toMatchObject({
    date: "2028-02-29",
    dry_run: false,
  });
  for (const date of [
    "2026-02-29",
    "2026-13-01",
    "26-01-01",
    "2026-1-1",
    "2026-01-01T00",
    "today",
    "",
  ]) {
    expect(readOptions(["--date", date])).toContain("no date");
  }
});

test("it lists or restores, never both or neither", () => {
  expect(readOptions(["--list"])).toMatchObject({ date: null });
  for (const args of [["--list", "--date", "2026-01-01"], ["--dry-run"], ["--json"]]) {
    expect(readOptions(args)).toContain("either --list or --date");
  }
});

test("an address is an origin, and an unknown option or a value that is missing is told", () => {
  const of = (...args: string[]) => readOptions(["--list", ...args]);
  expect(of("--url", "https://sila.example/")).toMatchObject({ url: "https://sila.example" });
  for (const url of [
    "sila.example",
    "ftp://sila.example",
    "https://sila.example/admin",
    "https://",
  ]) {
    expect(of("--url", url)).toContain("--url takes");
  }
  for (const name of ["../production", "Production", ""]) {
    expect(of("--env", name)).toContain("--env takes");
  }
  expect(of("--key", "k")).toContain("--key");
  expect(of("--url")).toContain("--url");
});
