/**
 * Whether a migration only adds (docs/faults.md F16). Between a migration and the new code, and after a rollback,
 * the older code runs on the newer tables: it must find everything that it reads, and its INSERTs must still be
 * complete. A statement of an unknown kind is refused. Pure.
 */

/** A name as `statementsOf` leaves it, with the schema that it may have. */
const NAME = "(?:main\\.)?(\\w+)";

/** The kinds that are allowed; the first group is the name. */
const CREATE_TABLE = pattern(`CREATE TABLE ${NAME} ?\\(`);
const CREATE_TABLE_UNLESS = pattern(`CREATE TABLE IF NOT EXISTS ${NAME} ?\\(`);
const CREATE_UNIQUE_INDEX = pattern(
  `CREATE UNIQUE INDEX (?:IF NOT EXISTS )?(?:main\\.)?\\w+ ON ${NAME}`,
);
const CREATE_INDEX = pattern(`CREATE INDEX (?:IF NOT EXISTS )?${NAME} ON `);
const CREATE_VIEW = pattern(`CREATE VIEW (?:IF NOT EXISTS )?${NAME}`);
const CREATE_TRIGGER = pattern(`CREATE TRIGGER (?:IF NOT EXISTS )?${NAME}`);
/** One that refuses writes; the second group is its table. */
const GUARD = pattern(`CREATE TRIGGER (?:IF NOT EXISTS )?${NAME} .*\\bON ${NAME}.* RAISE$`);
const DROP = pattern(`DROP (VIEW|TRIGGER) (?:IF EXISTS )?${NAME}$`);
const DROP_INDEX = pattern(`DROP INDEX (?:IF EXISTS )?${NAME}$`);
const ADD_COLUMN = pattern(`ALTER TABLE ${NAME} ADD (?:COLUMN )?(\\w+)`);
const INSERT = pattern(`INSERT (?:OR IGNORE )?INTO ${NAME}`);
const UPDATE = pattern(`UPDATE ${NAME} SET (.*)$`);

function pattern(source: string): RegExp {
  return new RegExp(`^${source}`, "i");
}

/** A whole trigger. The END of a CASE, which no semicolon precedes, is not that of the trigger. */
const TRIGGER = /\b(CREATE\s+TRIGGER\b[^;]*?)\bBEGIN\b([\s\S]*?;)\s*END\s*(?:;|$)/gi;
const GUARDS = /\bRAISE\s*\(/i;

/** The statements of a migration that do not only add, each with its reason. Empty: it is additive. */
export function notAdditive(sql: string): string[] {
  const statements = statementsOf(sql);
  const names = (kind: RegExp, group = 1) =>
    statements.flatMap((one) => kind.exec(one)?.[group]?.toLowerCase() ?? []);
  // What the same file makes is not known to any older code. `IF NOT EXISTS` may find what is there.
  const tables = new Set(names(CREATE_TABLE));
  const columns = new Set(
    statements.flatMap((one) => {
      const [, table, column] = ADD_COLUMN.exec(one) ?? [];
      return table === undefined ? [] : `${table}.${column}`.toLowerCase();
    }),
  );
  const dropped_names = new Set(names(DROP, 2));
  const made = { VIEW: new Set(names(CREATE_VIEW)), TRIGGER: new Set(names(CREATE_TRIGGER)) };

  const reasonAgainst = (statement: string): string | null => {
    const unique = CREATE_UNIQUE_INDEX.exec(statement)?.[1];
    if (unique !== undefined) {
      const isNew = tables.has(unique.toLowerCase());
      return isNew ? null : "makes rows unique that the older code may repeat";
    }
    const [, guard = "", guarded = ""] = GUARD.exec(statement) ?? [];
    if (guard !== "") {
      const isKnown = tables.has(guarded.toLowerCase()) || dropped_names.has(guard.toLowerCase());
      return isKnown ? null : "refuses what the older code may write";
    }
    if (ADD_COLUMN.test(statement)) return reasonAgainstColumn(statement);
    const [, kind, dropped] = DROP.exec(statement) ?? [];
    if (kind !== undefined && dropped !== undefined) {
      // They hold no data, so they may be replaced.
      const again = made[kind.toUpperCase() as keyof typeof made];
      return again.has(dropped.toLowerCase()) ? null : "drops what the older code may need";
    }
    const [, updated = "", assignments] = UPDATE.exec(statement) ?? [];
    if (assignments !== undefined) {
      const table = updated.toLowerCase();
      const older = assignedIn(assignments).filter((column) => !columns.has(`${table}.${column}`));
      return tables.has(table) || older.length === 0 ? null : `changes ${older.join(", ")}`;
    }
    if (INSERT.test(statement)) {
      return /\bON CONFLICT\b.*\bDO UPDATE\b/i.test(statement) ? "changes rows" : null;
    }
    const only_adds = [
      ...[CREATE_TABLE, CREATE_TABLE_UNLESS, CREATE_INDEX, CREATE_VIEW, CREATE_TRIGGER],
      DROP_INDEX,
    ];
    return only_adds.some((kind) => kind.test(statement)) ? null : "does something else than add";
  };
  return statements.flatMap((statement) => {
    const reason = reasonAgainst(statement);
    return reason === null ? [] : [`${reason}: ${statement.slice(0, 80)}`];
  });
}

/** An INSERT of the older code leaves a new column out. */
function reasonAgainstColumn(statement: string): string | null {
  const has_default = /\bDEFAULT\b(?! ?\(? ?NULL\b)/i.test(statement);
  if (/\b(?:UNIQUE|PRIMARY KEY)\b/i.test(statement)) return "adds a column that must be unique";
  if (/\bNOT NULL\b/i.test(statement) && !has_default) {
    return "adds a NOT NULL column without a default";
  }
  return null;
}

/** The columns that the assignments of an UPDATE name. */
function assignedIn(assignments: string): string[] {
  let flat = assignments.toLowerCase();
  // Commas inside parentheses separate no assignments. `(a, b) = …` leaves nothing that is in any list of columns.
  for (let before = ""; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\([^()]*\)/g, "_");
  }
  const [list = ""] = flat.split(/\b(?:from|where|returning|order by|limit)\b/);
  return list.split(",").map((one) => /^\s*(\w+) ?=/.exec(one)?.[1] ?? one.trim());
}

/**
 * Statements in one line each, without comments and texts; of a trigger's body only whether it refuses a write. A
 * quoted name keeps its letters behind a mark, so that it is never taken for a keyword.
 */
function statementsOf(sql: string): string[] {
  const parts =
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
  return sql
    .replace(parts, (part) => {
      if (part.startsWith("'")) return "''";
      if (part.startsWith("--") || part.startsWith("/*")) return " ";
      return `q_${part.slice(1, -1).replace(/\W/g, "_")}`;
    })
    .replace(
      TRIGGER,
      (_, head: string, body: string) => `${head}${GUARDS.test(body) ? " RAISE" : ""};`,
    )
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim())
    .filter((statement) => statement !== "");
}
