/**
 * The format of a backup: parts and a manifest, each compressed, then encrypted with AES-256-GCM.
 *
 *   8 bytes "SILA-BK1", 16 bytes run, 12 bytes nonce, ciphertext with its tag of 16 bytes
 *
 * The key is of the run: HKDF-SHA256 of the secret BACKUP_KEY with the run as salt, so a random nonce
 * is never used twice with one key. The associated data names date, run, number and table: a part that is
 * taken for another one does not open. Runs in Node too.
 */
import { hex, utf8 } from "../http/bytes.ts";
import type { Secret } from "../http/secret.ts";

export const FORMAT = 1;
const MAGIC = utf8("SILA-BK1");
const RUN_BYTES = 16;
const NONCE_BYTES = 12;
const RUN_AT = MAGIC.length;
const NONCE_AT = RUN_AT + RUN_BYTES;
const DATA_AT = NONCE_AT + NONCE_BYTES;

/** The number of the manifest; parts are 1, 2, 3… */
export const MANIFEST_N = 0;
export const MANIFEST = "manifest";

/** What a part is, which its key and tag bind it to. */
export interface PartId {
  /** `YYYY-MM-DD`. */
  date: string;
  /** 32 hex digits. */
  run: string;
  n: number;
  /** The table, or `manifest`. */
  source: string;
}

export interface PartFacts {
  n: number;
  source: string;
  rows: number;
  /** In the bucket. */
  bytes: number;
  /** Of these bytes, in hex. */
  sha256: string;
  /** In the bucket. */
  key: string;
}

export interface Manifest {
  format: typeof FORMAT;
  date: string;
  run: string;
  /** Unix milliseconds. */
  started_at: number;
  finished_at: number;
  /** The last migration of the database. */
  schema: string;
  rows: number;
  bytes: number;
  parts: PartFacts[];
}

/** A part, or manifest, that is not what its manifest or name says. */
export class BadBackupError extends Error {
  override readonly name = "BadBackupError";
}

/** A new random run. */
export function newRun(): string {
  return hex(crypto.getRandomValues(new Uint8Array(RUN_BYTES)));
}

export function partKey(date: string, n: number, sha256: string): string {
  return `${prefixOf(date)}${String(n).padStart(6, "0")}-${sha256.slice(0, 16)}`;
}

export function manifestKey(date: string): string {
  return `${prefixOf(date)}${MANIFEST}`;
}

export function prefixOf(date: string): string {
  return `backups/${date}/`;
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Compresses and encrypts a text. */
export async function seal(
  secret: Secret,
  id: PartId,
  text: string,
): Promise<Uint8Array<ArrayBuffer>> {
  // Node 24 lacks `Uint8Array.fromHex`.
  const run = Uint8Array.from(id.run.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const packed = await through(utf8(text), new CompressionStream("gzip"));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: nonce, additionalData: dataOf(id) },
    await keyOf(secret, run),
    packed,
  );
  const bytes = new Uint8Array(DATA_AT + sealed.byteLength);
  for (const [at, some] of [
    [0, MAGIC],
    [RUN_AT, run],
    [NONCE_AT, nonce],
    [DATA_AT, new Uint8Array(sealed)],
  ] as const) {
    bytes.set(some, at);
  }
  return bytes;
}

/** The text of {@link seal}. Throws {@link BadBackupError} for another key, part or changed byte. */
export async function open(
  secret: Secret,
  id: Omit<PartId, "run"> & { run?: string },
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const run = bytes.subarray(RUN_AT, NONCE_AT);
  if (bytes.length < DATA_AT || hex(bytes.subarray(0, RUN_AT)) !== hex(MAGIC)) {
    throw new BadBackupError(`${id.source} ${id.n} is no part of a backup`);
  }
  try {
    const packed = await crypto.subtle.decrypt(
      {
        name: "AES-GCM",
        iv: bytes.subarray(NONCE_AT, DATA_AT),
        additionalData: dataOf({ run: hex(run), ...id }),
      },
      await keyOf(secret, run),
      bytes.subarray(DATA_AT),
    );
    const text = await through(new Uint8Array(packed), new DecompressionStream("gzip"));
    return new TextDecoder().decode(text);
  } catch (cause) {
    throw new BadBackupError(
      `${id.source} ${id.n} was made with another BACKUP_KEY, is another part, or was changed`,
      { cause },
    );
  }
}

function dataOf({ date, run, n, source }: PartId): Uint8Array<ArrayBuffer> {
  return utf8(["sila-backup", FORMAT, date, run, n, source].join("\n"));
}

function keyOf(secret: Secret, run: Uint8Array): Promise<CryptoKey> {
  const key = secret.derive("sila-backup", run);
  return crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"]);
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Response(bytes).body;
  if (body === null) throw new Error("bytes without a stream");
  return new Uint8Array(await new Response(body.pipeThrough(stream)).arrayBuffer());
}
