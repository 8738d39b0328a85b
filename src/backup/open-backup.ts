/** Reads a backup from the bucket, and believes nothing that its key has not sealed. */
import type { Secret } from "../http/secret.ts";
import {
  BadBackupError,
  FORMAT,
  MANIFEST,
  MANIFEST_N,
  type Manifest,
  manifestKey,
  open,
  sha256,
} from "./backup-format.ts";
import type { Row } from "./restore-rows.ts";

/** The manifest of this date. Throws {@link BadBackupError} where there is none, or another key made it. */
export async function openManifest(
  BACKUPS: R2Bucket,
  secret: Secret,
  date: string,
): Promise<Manifest> {
  const bytes = await read(BACKUPS, manifestKey(date));
  if (bytes === null) throw new BadBackupError(`there is no complete backup of ${date}`);
  const text = await open(secret, { date, n: MANIFEST_N, source: MANIFEST }, bytes);
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== FORMAT) {
    throw new BadBackupError(
      `the backup has format ${manifest.format}, and this version ${FORMAT}`,
    );
  }
  return manifest;
}

/** A part's rows. Throws {@link BadBackupError} where one byte, its place or the number of rows is another. */
export async function openPart(
  BACKUPS: R2Bucket,
  secret: Secret,
  { date, run, parts }: Manifest,
  n: number,
): Promise<{ source: string; rows: Row[] }> {
  const part = parts[n - 1];
  if (part === undefined || part.n !== n) throw new BadBackupError(`there is no part ${n}`);
  const bytes = await read(BACKUPS, part.key);
  if (bytes === null) throw new BadBackupError(`part ${n} is missing`);
  if (bytes.length !== part.bytes || (await sha256(bytes)) !== part.sha256) {
    throw new BadBackupError(`part ${n} was changed`);
  }
  const text = await open(secret, { date, run, n, source: part.source }, bytes);
  const rows = text.split("\n").map((line) => JSON.parse(line) as Row);
  if (rows.length !== part.rows) throw new BadBackupError(`part ${n} has ${rows.length} rows`);
  return { source: part.source, rows };
}

async function read(BACKUPS: R2Bucket, key: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await BACKUPS.get(key);
  return object === null ? null : new Uint8Array(await object.arrayBuffer());
}
