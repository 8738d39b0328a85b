/** The command line of `npm run restore`. */
import { parseArgs } from "node:util";

export const HELP = `npm run restore -- --list
npm run restore -- --date YYYY-MM-DD [--dry-run]
npm run restore -- --lacking

Puts a night's backup back into D1: what is missing, and nothing over what is newer.

  --list               the complete backups
  --date YYYY-MM-DD    the night of the backup
  --dry-run            check the backup and compare it with what objects know; write nothing
  --lacking            what D1 lacks since it went back to an older point, as far as objects know
  --env <name>         the service that npm run deploy made here: its address, and its key from .sila
  --url <address>      another address
  --secrets-file <f>   a file with BACKUP_KEY, as JSON or BACKUP_KEY=…; else the environment's is taken
  --json               the report for programs
  --help

Without --env and --url it is the service that npm start runs on this machine. A restore that broke off is simply run
again. The service reads its own bucket; the key stays here, and is never an option, which others could read.
`;

export interface Options {
  /** Null: list the backups, or what D1 lacks. */
  date: string | null;
  lacking: boolean;
  dry_run: boolean;
  json: boolean;
  environment: string | undefined;
  url: string | undefined;
  secrets_file: string | undefined;
}

/** The options; null for help, as for no option at all; a text where they are invalid. */
export function readOptions(args: readonly string[]): Options | null | string {
  let values: ReturnType<typeof parse>["values"];
  try {
    ({ values } = parse(args));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (values.help || args.length === 0) return null;
  const { date, list, lacking, json, env: environment } = values;
  if ([date !== undefined, list, lacking].filter(Boolean).length !== 1) {
    return "say either --list or --date YYYY-MM-DD, or --lacking";
  }
  if (date !== undefined && !isDate(date))
    return `--date ${date} is no date of the form YYYY-MM-DD`;
  if (environment !== undefined && !/^[a-z][a-z0-9-]{0,19}$/.test(environment)) {
    return "--env takes a name of small letters, digits and hyphens";
  }
  const url = values.url?.replace(/\/+$/, "");
  if (url !== undefined && !/^https?:\/\/[^/?#\s]+$/.test(url)) {
    return "--url takes an address such as https://sila.example";
  }
  return {
    ...{ date: date ?? null, lacking, dry_run: values["dry-run"], json, environment, url },
    secrets_file: values["secrets-file"],
  };
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      list: { type: "boolean", default: false },
      lacking: { type: "boolean", default: false },
      date: { type: "string" },
      "dry-run": { type: "boolean", default: false },
      env: { type: "string" },
      url: { type: "string" },
      "secrets-file": { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
}
