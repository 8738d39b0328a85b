/** The content is not a whole picture of a known format. The message says why, for the client. */
export class UnreadablePicture extends Error {
  constructor(reason: string) {
    // Most are made by clients, and a stack trace would cost more than the parsing.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(reason);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "UnreadablePicture";
  }
}

/** A picture without metadata; width and height are as browsers show them. */
export interface ParsedPicture {
  width: number;
  height: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Most segments or chunks of one picture. A PNG may have a chunk for each of its 4,096 lines; a
 * file of 5 MB could have 600,000 empty ones, which would take a second.
 */
const PARTS_MAX = 10_000;

/** Reads numbers and parts in order. Throws {@link UnreadablePicture} at the end of the bytes. */
export class ByteReader {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #parts_left = PARTS_MAX;
  at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  countPart(): void {
    this.#parts_left -= 1;
    if (this.#parts_left < 0) throw new UnreadablePicture("it has too many parts");
  }

  take(length: number): Uint8Array<ArrayBuffer> {
    const from = this.#advance(length);
    return this.bytes.subarray(from, this.at);
  }

  name(): string {
    return String.fromCharCode(...this.take(4));
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  u16le(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  u24le(): number {
    return this.u16le() + this.u8() * 0x1_0000;
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  u32le(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  #advance(length: number): number {
    const from = this.at;
    if (length > this.left) throw new UnreadablePicture("it is cut off");
    this.at += length;
    return from;
  }
}

/** Collects parts, in a buffer no longer than the picture that was read plus `room`. */
export class ByteWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #length = 0;

  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
  }

  add(...parts: (Uint8Array | readonly number[])[]): void {
    for (const part of parts) {
      this.#bytes.set(part, this.#length);
      this.#length += part.length;
    }
  }

  u16(value: number): void {
    this.#view.setUint16(this.#length, value);
    this.#length += 2;
  }

  u32(value: number): void {
    this.#view.setUint32(this.#length, value);
    this.#length += 4;
  }

  u32le(value: number): void {
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }
}

export function startsWith(bytes: Uint8Array, start: string): boolean {
  return bytes.length >= start.length && [...start].every((c, i) => bytes[i] === c.charCodeAt(0));
}

export function letters(text: string): number[] {
  return [...text].map((char) => char.charCodeAt(0));
}
