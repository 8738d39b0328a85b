/** Writes a zip as it is read, so that memory holds a piece of one file at a time. */
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";

export interface ZippedFile {
  name: string;
  /** Pictures are compressed already. */
  is_deflated: boolean;
  content: AsyncIterable<Uint8Array>;
}

/** The bytes of a zip with these files. */
export async function* zipped(
  files: AsyncIterable<ZippedFile>,
  at: Date,
): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error;
    made.push(piece);
  });
  for await (const { name, is_deflated, content } of files) {
    const file = is_deflated ? new ZipDeflate(name) : new ZipPassThrough(name);
    file.mtime = at;
    zip.add(file);
    for await (const piece of content) {
      file.push(piece);
      yield* made.splice(0);
    }
    file.push(new Uint8Array(), true);
    yield* made.splice(0);
  }
  zip.end();
  yield* made.splice(0);
}
