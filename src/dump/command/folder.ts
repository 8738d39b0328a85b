/**
 * The folder of a dump: plain files, or each encrypted with age (https://age-encryption.org/v1) and `.age` after its
 * name. A file is there as a whole or not at all, so what was cut off is written again.
 */

import { createWriteStream, existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Decrypter, Encrypter } from "age-encryption";

const SUFFIX = ".age";
const PART = ".part";

export class Folder {
  readonly path: string;
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
    this.#encrypter = keys.recipient === undefined ? null : new Encrypter();
    if (keys.recipient !== undefined) this.#encrypter?.addRecipient(keys.recipient);
    this.#decrypter = keys.identity === undefined ? null : new Decrypter();
    if (keys.identity !== undefined) this.#decrypter?.addIdentity(keys.identity);
  }

  has(name: string): boolean {
    return existsSync(this.#pathOf(name));
  }

  /** Writes a file, whole and on the disk. */
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

  /** Names of the files below this folder, in order. */
  async list(below: string): Promise<string[]> {
    const root = join(this.path, below);
    if (!existsSync(root)) return [];
    const suffix = this.#suffix;
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter(
        (entry) => entry.isFile() && entry.name.endsWith(suffix) && !entry.name.endsWith(PART),
      )
      .map(({ parentPath, name }) => relative(this.path, join(parentPath, name)))
      .map((name) => name.slice(0, name.length - suffix.length).replaceAll(sep, "/"))
      .sort();
  }

  /** What is known of the work itself: not encrypted, because it names no person. */
  async writeState(name: string, state: unknown): Promise<void> {
    await this.#put(join(this.path, name), streamOf(`${JSON.stringify(state, null, 2)}\n`));
  }

  async readState<T>(name: string): Promise<T | null> {
    const path = join(this.path, name);
    return existsSync(path) ? (JSON.parse(await readFile(path, "utf8")) as T) : null;
  }

  get #suffix(): string {
    return this.#encrypter === null && this.#decrypter === null ? "" : SUFFIX;
  }

  #pathOf(name: string): string {
    // Names of objects and keys of R2 come from a database.
    if (name.split("/").some((part) => part === "" || part === "." || part === "..")) {
      throw new Error(`${name} is no name of a file`);
    }
    return join(this.path, name) + this.#suffix;
  }

  async #put(path: string, content: ReadableStream<Uint8Array>): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
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
