/**
 * What a deployment keeps on this machine, in the folder `.sila` that git ignores: `<environment>.json` has the
 * variables, the address and the account, `<environment>.secrets.json` the secrets. The platform never gives back the
 * value of a secret, so the second file is the only copy.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DeployError } from "./deploy-error.ts";
import { ROOT } from "./wrangler.ts";

/** Read and write for the user alone. */
const MODE = 0o600;
const OTHERS = 0o077;

export interface Kept {
  vars: Record<string, string>;
  /** The address that the user gave, or that of the last deployment. */
  url?: string;
  account?: string;
}

export class KeptFiles {
  readonly #folder: string;
  readonly #environment: string;

  constructor(environment: string, folder = process.env.SILA_DEPLOY_FOLDER ?? join(ROOT, ".sila")) {
    this.#environment = environment;
    this.#folder = folder;
  }

  path(kind: "json" | "secrets.json"): string {
    return join(this.#folder, `${this.#environment}.${kind}`);
  }

  read(): Kept {
    return { vars: {}, ...(this.#read("json") as Partial<Kept>) };
  }

  /** @throws {DeployError} where others than the user may read the file */
  secrets(): Record<string, string> {
    const path = this.path("secrets.json");
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if (process.platform !== "win32" && (mode & OTHERS) !== 0) {
      throw new DeployError(
        `Other users of this machine may read ${path}, which holds the secrets.`,
        `Run: chmod 600 ${path}. If somebody may have read it, make new secrets (docs/operations.md, "Settings").`,
      );
    }
    const secrets = this.#read("secrets.json");
    const wrong = Object.keys(secrets).find((name) => typeof secrets[name] !== "string");
    if (wrong === undefined) return secrets as Record<string, string>;
    throw new DeployError(`${path}: ${wrong} is not a text.`, "Mend it and run again.");
  }

  /** Writes a file whole or not at all, readable by the user alone. */
  write(kind: Parameters<KeptFiles["path"]>[0], content: object): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.path(kind);
    const draft = `${path}.${process.pid}`;
    // On disk before anything is uploaded: after a power failure nobody could read the secrets any more.
    const text = `${JSON.stringify(content, null, 2)}\n`;
    writeFileSync(draft, text, { mode: MODE, flush: true });
    renameSync(draft, path);
    return path;
  }

  #read(kind: Parameters<KeptFiles["path"]>[0]): Record<string, unknown> {
    const path = this.path(kind);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return {};
    const content = parse(readFileSync(path, "utf8"));
    if (typeof content === "object" && content !== null && !Array.isArray(content)) {
      return content as Record<string, unknown>;
    }
    throw new DeployError(
      `${path} is not a JSON object.`,
      "Mend it: nothing else has its content.",
    );
  }
}

/** Its error would show a part of the text, which may be a secret. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
