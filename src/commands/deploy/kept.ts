/**
 * A deployment's files in `.sila`, which git ignores: `<environment>.json` has the variables, the
 * address and the account, `<environment>.secrets.json` the secrets. The platform never gives back
 * the value of a secret, so the second file is the only copy.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ROOT } from "../root.ts";
import type { Configuration } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import type { Plan } from "./plan.ts";

const MODE = 0o600;
const OTHERS = 0o077;

export interface Kept {
  /** Variables that differ from wrangler.toml's. */
  vars: Record<string, string>;
  url?: string;
  account?: string;
  /** The address at which the first owner makes their account was never printed. */
  is_untold?: boolean;
  /** `''`: none, by the user's choice. */
  domain?: string;
  plan?: Plan;
}

export class KeptFiles {
  readonly folder: string;
  readonly #environment: string;

  constructor(environment: string, folder = process.env.SILA_DEPLOY_FOLDER ?? join(ROOT, ".sila")) {
    this.#environment = environment;
    this.folder = folder;
  }

  get secretsPath(): string {
    return join(this.folder, `${this.#environment}.secrets.json`);
  }

  get path(): string {
    return join(this.folder, `${this.#environment}.json`);
  }

  read(): Kept {
    return { vars: {}, ...(readObject(this.path) as Partial<Kept>) };
  }

  keep(kept: Kept): void {
    this.write(`${this.#environment}.json`, kept);
  }

  /** @throws {DeployError} where others than the user may read the file */
  secrets(): Record<string, string> {
    const path = this.secretsPath;
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if (process.platform !== "win32" && (mode & OTHERS) !== 0) {
      throw new DeployError(
        `Other users of this machine may read ${path}, which holds the secrets.`,
        `Run: chmod 600 ${path}. If somebody may have read it, make new secrets (docs/operations.md, "Settings").`,
      );
    }
    const secrets = readObject(path);
    const wrong = Object.keys(secrets).find((name) => typeof secrets[name] !== "string");
    if (wrong === undefined) return secrets as Record<string, string>;
    throw new DeployError(`${path}: ${wrong} is not a text.`, "Mend it and run again.");
  }

  /**
   * Answers all secrets. `given` replaces what is there, and `made` does not: of two first
   * deployments at once one makes the file, and the other goes on with what is in it.
   */
  keepSecrets(given: Record<string, string>, made: Record<string, string>): Record<string, string> {
    const isFirst = !existsSync(this.secretsPath);
    const known = this.secrets();
    const all = { ...made, ...known, ...given };
    if (isDeepStrictEqual(all, known)) return known;
    const draft = this.write(`${this.#environment}.secrets.json.${process.pid}`, all);
    if (!isFirst) renameSync(draft, this.secretsPath);
    else {
      try {
        linkSync(draft, this.secretsPath);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        return this.keepSecrets(given, made);
      } finally {
        rmSync(draft, { force: true });
      }
    }
    return all;
  }

  writeConfiguration(one: Configuration): string {
    return this.write(`${one.name}.wrangler.json`, one);
  }

  /** Writes a file whole or not at all, readable by the user alone; answers its path. */
  write(name: string, content: object): string {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, name);
    const draft = `${path}.draft-${process.pid}`;
    // On the disk before any upload: after a power failure nobody could read the secrets again.
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: MODE, flush: true });
    renameSync(draft, path);
    return path;
  }
}

function readObject(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  const content = parse(readFileSync(path, "utf8"));
  if (typeof content === "object" && content !== null && !Array.isArray(content)) {
    return content as Record<string, unknown>;
  }
  throw new DeployError(`${path} is not a JSON object.`, "Mend it: nothing else has its content.");
}

/** The parser's error would show a part of the text, which may be a secret. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
