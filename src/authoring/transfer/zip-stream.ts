/**
 * Writes a zip (APPNOTE 6.3.10) while it is read, so memory holds a piece of one file. Sizes and checksum follow
 * each file's data. No Zip64: nothing stored of a page has 4 GB.
 */
import { crc32 } from "node:zlib";
import { utf8 } from "../../http/bytes.ts";

export interface ZippedFile {
  name: string;
  /** False for pictures, which are compressed already. */
  is_deflated: boolean;
  content: AsyncIterable<Uint8Array>;
}

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const DIRECTORY = 0x02014b50;
const END = 0x06054b50;
/** Version 2.0, the first with folders and deflate. */
const VERSION = 20;
/** Sizes follow the data, and names are in UTF-8. */
const FLAGS = 0x0008 | 0x0800;
const DEFLATED = 8;

export async function* zipped(
  files: AsyncIterable<ZippedFile>,
  at: Date,
): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = [];
  let offset = 0;
  for await (const { name, is_deflated, content } of files) {
    const path = utf8(name);
    const common = [two(VERSION), two(FLAGS), two(is_deflated ? DEFLATED : 0), dosTime(at)];
    const start = record(
      four(LOCAL),
      ...common,
      four(0),
      four(0),
      four(0),
      two(path.length),
      two(0),
    );
    yield start;
    yield path;
    const sum = { crc: 0, bytes: 0 };
    const summed = summing(content, sum);
    let packed = 0;
    for await (const piece of is_deflated ? deflated(summed) : summed) {
      packed += piece.length;
      yield piece;
    }
    const sizes = [four(sum.crc), four(packed), four(sum.bytes)];
    const end = record(four(DESCRIPTOR), ...sizes);
    yield end;
    // No extra field, comment, disk or attributes.
    const none = [two(0), two(0), two(0), two(0), four(0)];
    const entry = [four(DIRECTORY), two(VERSION), ...common, ...sizes, two(path.length), ...none];
    directory.push(record(...entry, four(offset)), path);
    offset += start.length + path.length + packed + end.length;
  }
  yield* directory;
  const n = two(directory.length / 2);
  const bytes = directory.reduce((sum, { length }) => sum + length, 0);
  yield record(four(END), two(0), two(0), n, n, four(bytes), four(offset), two(0));
}

async function* summing(
  content: AsyncIterable<Uint8Array>,
  sum: { crc: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    sum.crc = crc32(piece, sum.crc);
    sum.bytes += piece.length;
    yield piece;
  }
}

function deflated(content: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  return streamOf(content).pipeThrough(new CompressionStream("deflate-raw"));
}

/** The next piece is read once the last one was taken, so that memory holds one. */
export function streamOf(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await bytes.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await bytes.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A little-endian number. */
type Field = readonly [bytes: 2 | 4, value: number];
const two = (value: number): Field => [2, value];
const four = (value: number): Field => [4, value];

function record(...fields: Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

/** Date and time of MS-DOS, in UTC and steps of two seconds. */
function dosTime(at: Date): Field {
  const date =
    ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return four(((date << 16) | time) >>> 0);
}
