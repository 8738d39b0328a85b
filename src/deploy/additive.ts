/**
 * Whether a migration only adds (docs/faults.md F16). Between a migration and the new code, and after a rollback,
 * the older code runs on the newer tables: it must find everything that it reads, and its INSERTs must still be
 * complete. Views and triggers hold no data, so they may be replaced. Pure.
 */

/** Statements that take something away, with the reason. A view or trigger is not in it. */
const REFUSED: readonly [pattern: RegExp, reason: string][] = [
  [/^DROP TABLE\b/i, "drops a table"],
  [/^ALTER TABLE\b.*\bDROP\b/i, "drops a column"],
  [/^ALTER TABLE\b.*\bRENAME\b/i, "renames"],
  [
    /^ALTER TABLE\b(?=.*\bNOT NULL\b)(?!.*\bDEFAULT\b)/i,
    "adds a NOT NULL column without a default",
  ],
  [/^ALTER TABLE\b(?=.*\b(?:UNIQUE|PRIMARY KEY)\b)/i, "adds a column that must be unique"],
  [
    /^ALTER TABLE\b(?=.*\bDEFAULT NULL\b)(?=.*\bNOT NULL\b)/i,
    "adds a NOT NULL column without a default",
  ],
  [/^CREATE UNIQUE INDEX\b/i, "makes rows unique that the older code may repeat"],
  [/^DELETE\b/i, "deletes rows"],
  [/^REPLACE\b/i, "replaces rows"],
  [/^PRAGMA\b/i, "has a PRAGMA"],
];

/** The statements of a migration that do not only add, each with its reason. Empty: it is additive. */
export function notAdditive(sql: string): string[] {
  const statements = statementsOf(sql);
  const created = new Set(
    statements.flatMap(
      (statement) => /^CREATE TABLE (?:IF NOT EXISTS )?(\S+)/i.exec(statement)?.[1] ?? [],
    ),
  );
  return statements.flatMap((statement) => {
    // A table that the same file makes is not known to any older code.
    const table = /^CREATE UNIQUE INDEX .*?\bON (\w+)/i.exec(statement)?.[1];
    if (table !== undefined && created.has(table)) return [];
    const reason = REFUSED.find(([pattern]) => pattern.test(statement))?.[1];
    return reason === undefined ? [] : [`${reason}: ${statement.slice(0, 80)}`];
  });
}

/** Statements in one line each, without comments, texts and the bodies of triggers. */
function statementsOf(sql: string): string[] {
  return sql
    .replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, (part) => {
      if (part.startsWith("'")) return "''";
      return part.startsWith('"') ? part.slice(1, -1) : " ";
    })
    .replace(/\bCREATE\s+TRIGGER\b[\s\S]*?\bEND\s*;/gi, "CREATE TRIGGER;")
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim())
    .filter((statement) => statement !== "");
}
