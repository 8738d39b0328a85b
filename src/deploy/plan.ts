/** What a deployment must do, from what is there and what is wanted. Pure. */
import { notAdditive } from "./additive.ts";
import { DeployError } from "./deploy-error.ts";
import type { Found } from "./platform.ts";
import type { Secrets } from "./secrets.ts";

/** A migration file of a database. */
export interface MigrationFile {
  name: string;
  sql: string;
}

export interface DatabasePlan {
  binding: string;
  name: string;
  create: boolean;
  pending: string[];
  /** Applied, and not in this checkout: a newer release was here. */
  ahead: string[];
}

export interface Plan {
  databases: DatabasePlan[];
  secrets: Secrets;
  /** Why the Worker is uploaded; null where the one that serves is right. */
  upload: "first" | "changed" | "secrets" | null;
}

/**
 * @param tag the version's own name, made of its contents
 * @param migrations the files of each binding
 * @throws {DeployError} where a pending migration does not only add, or something else has the name
 */
export function planOf(
  found: Found,
  secrets: Secrets,
  tag: string,
  migrations: Record<string, readonly MigrationFile[]>,
): Plan {
  const databases = found.databases.map((one): DatabasePlan => {
    const { binding, name, exists, applied, is_foreign } = one;
    const files = migrations[binding] ?? [];
    const [first] = files;
    if (is_foreign || (first !== undefined && applied.length > 0 && !applied.includes(first.name)))
      throw foreign("database", name, "database_name");
    const pending = files.filter((file) => !applied.includes(file.name));
    // Nothing runs on an empty database yet, nor on one whose first deployment broke off.
    if (applied.length > 0 && found.current !== null) checkAdditive(binding, pending);
    return {
      binding,
      name,
      create: !exists,
      pending: pending.map((file) => file.name),
      ahead: applied.filter((one) => !files.some((file) => file.name === one)),
    };
  });
  return { databases, secrets, upload: whyUpload(found, secrets, tag) };
}

/** What has the name of a part of the service, and is something else. */
export function foreign(kind: string, name: string, field: string): DeployError {
  return new DeployError(
    `The account has a ${kind} ${name} already, which is not Sila's. Nothing was changed.`,
    `Choose another ${field} in wrangler.toml, or another account with --account.`,
  );
}

function whyUpload(found: Found, secrets: Secrets, tag: string): Plan["upload"] {
  if (found.current === null) return "first";
  if (found.current.tag !== tag) return "changed";
  return Object.keys(secrets.upload).length > 0 ? "secrets" : null;
}

function checkAdditive(binding: string, pending: readonly MigrationFile[]): void {
  for (const { name, sql } of pending) {
    const [fault] = notAdditive(sql);
    if (fault === undefined) continue;
    throw new DeployError(
      `The migration ${name} of ${binding} does not only add: it ${fault}`,
      "The code that serves now would fail on it. Add a column or a table in its place, and stop using the old one.",
    );
  }
}

/** Whether nothing is left to do. */
export function isDone({ databases, upload }: Plan): boolean {
  return (
    upload === null && databases.every(({ create, pending }) => !create && pending.length === 0)
  );
}

/** The plan in lines for the terminal. */
export function linesOf(plan: Plan, name: string): string[] {
  const lines = plan.databases.flatMap(({ binding, name: database, create, pending, ahead }) => {
    const change = [
      ...(create ? [`make the database ${database} (${binding})`] : []),
      ...(pending.length > 0
        ? [`apply ${count(pending.length, "migration")} to ${database}: ${pending.join(", ")}`]
        : []),
    ];
    const newer =
      ahead.length > 0
        ? [`${database} has newer migrations (${ahead.join(", ")}), which stay`]
        : [];
    return change.length > 0
      ? [...change, ...newer]
      : [`the database ${database} is right`, ...newer];
  });
  const { upload, made, lost, missing, ignored } = plan.secrets;
  const given = Object.keys(upload).filter((one) => !made.includes(one));
  if (made.length > 0) lines.push(`make the secrets ${made.join(", ")} and keep them in .sila`);
  if (given.length > 0) lines.push(`upload the secrets ${given.join(", ")}`);
  if (Object.keys(upload).length === 0) lines.push("the secrets stay as the platform has them");
  if (lost.length > 0) {
    lines.push(
      `${lost.join(", ")}: on the platform, but not in .sila, and nobody can read them there; they go on working`,
    );
  }
  if (missing.length > 0) lines.push(`missing: ${missing.join(", ")}; ${setBy(missing, name)}`);
  if (ignored.length > 0) {
    lines.push(
      `the platform has ${ignored.join(", ")} already, so the environment's is not used; ${setBy(ignored, name)}`,
    );
  }
  lines.push(
    plan.upload === null
      ? `the Worker ${name} serves this version already`
      : {
          first: `upload the Worker ${name} for the first time, with its files, KV and R2`,
          changed: `upload a new version of the Worker ${name}`,
          secrets: `upload the Worker ${name} with its new secrets`,
        }[plan.upload],
  );
  return lines;
}

function setBy([secret]: readonly string[], name: string): string {
  return `to set it: npx wrangler secret put ${secret} --name ${name}`;
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
