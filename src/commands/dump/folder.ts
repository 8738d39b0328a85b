/**
 * A dump's plain files, or each encrypted with age (https://age-encryption.org/v1) and `.age` after
 * its name. Files are written whole or not at all, so a dump that was cut off can go on.
 */

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Decrypter, Encrypter } from "age-encryption";

const SUFFIX = ".age";
const PART = ".part";
/** Other things in the folder are not read. */
const PARTS = ["d1", "media", "media-index", "stored"];
/** The files' SHA-256 as they lie there, in the format of `sha256sum`, which compares them too. */
const SUMS = "SHA256SUMS";

export class Folder {
  readonly path: string;
  /** Files are encrypted for this recipient; null: for nobody. */
  readonly recipient: string | null;
  readonly #encrypter: Encrypter | null;
  readonly #decrypter: Decrypter | null;

  /**
   * @param keys.recipient `age1…`, for which files are encrypted
   * @param keys.identity `AGE-SECRET-KEY-1…`, with which they are read
   */
  constructor(
    path: string,
    keys: { recipient?: string | undefined; identity?: string | undefined },
  ) {
    this.path = path;
    this.recipient = keys.recipient ?? null;
    this.#encrypter = keys.recipient === undefined ? null : new Encrypter();
    if (keys.recipient !== undefined) this.#encrypter?.addRecipient(keys.recipient);
    this.#decrypter = keys.identity === undefined ? null : new Decrypter();
    if (keys.identity !== undefined) this.#decrypter?.addIdentity(keys.identity);
  }

  has(name: string): boolean {
    return existsSync(this.#pathOf(name));
  }

  async write(name: string, content: string | ReadableStream<Uint8Array>): Promise<void> {
    const stream = typeof content === "string" ? streamOf(content) : content;
    const sealed = this.#encrypter === null ? stream : await this.#encrypter.encrypt(stream);
    await this.#put(this.#pathOf(name), sealed);
  }

  async read(name: string): Promise<Uint8Array> {
    const bytes = await readFile(this.#pathOf(name));
    return this.#decrypter === null ? bytes : this.#decrypter.decrypt(bytes);
  }

  async readText(name: string): Promise<string> {
    return new TextDecoder().decode(await this.read(name));
  }

  async remove(below: string): Promise<void> {
    await rm(join(this.path, below), { recursive: true, force: true });
  }

  async list(below: string): Promise<string[]> {
    const suffix = this.#suffix;
    const files = (await this.#files(below)).filter((file) => file.endsWith(suffix));
    return files.map((file) => file.slice(0, file.length - suffix.length)).sort();
  }

  /** Notes each file's hash: a copy that lacks a file, or a part of one, would look whole. */
  async seal(): Promise<void> {
    await this.#put(join(this.path, SUMS), streamOf((await this.#sums()).join("")));
  }

  /** Files that are changed, missing, or added since they were sealed. */
  async damaged(): Promise<string[]> {
    const noted = new Set((await readFile(join(this.path, SUMS), "utf8")).match(/.+\n/g));
    const found = new Set(await this.#sums());
    const lines = [...noted].filter((line) => !found.has(line));
    lines.push(...[...found].filter((line) => !noted.has(line)));
    return [...new Set(lines.map((line) => line.slice(line.indexOf("  ") + 2, -1)))];
  }

  async #sums(): Promise<string[]> {
    const lines: string[] = [];
    for (const part of PARTS) {
      for (const file of (await this.#files(part)).sort()) {
        const hash = createHash("sha256");
        await pipeline(createReadStream(join(this.path, file)), hash);
        lines.push(`${hash.digest("hex")}  ${file}\n`);
      }
    }
    return lines;
  }

  async #files(below: string): Promise<string[]> {
    const root = join(this.path, below);
    if (!existsSync(root)) return [];
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith(PART))
      .map(({ parentPath, name }) => relative(this.path, join(parentPath, name)))
      .map((file) => file.replaceAll(sep, "/"));
  }

  /** The state of the work is not encrypted, because it names no person. */
  async writeState(name: string, state: unknown): Promise<void> {
    await this.#put(join(this.path, name), streamOf(`${JSON.stringify(state, null, 2)}\n`));
  }

  async readState<T>(name: string): Promise<T | null> {
    const path = join(this.path, name);
    return existsSync(path) ? (JSON.parse(await readFile(path, "utf8")) as T) : null;
  }

  get isEncrypted(): boolean {
    return this.#encrypter !== null || this.#decrypter !== null;
  }

  get #suffix(): string {
    return this.isEncrypted ? SUFFIX : "";
  }

  #pathOf(name: string): string {
    // Names of objects and keys of R2 come from a database.
    if (name.split("/").some((part) => part === "" || part === "." || part === "..")) {
      throw new Error(`${name} is no name of a file`);
    }
    return join(this.path, name) + this.#suffix;
  }

  async #put(path: string, content: ReadableStream<Uint8Array>): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const part = path + PART;
    await pipeline(Readable.fromWeb(content as never), createWriteStream(part, { mode: 0o600 }));
    const file = await open(part);
    await file.sync();
    await file.close();
    await rename(part, path);
  }
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}
