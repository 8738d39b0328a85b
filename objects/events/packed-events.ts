/**
 * PackedEvents: a batch of events in one buffer, which is what the router sends, and, once the
 * object has hashed the visitors, what the journal stores. So an event is encoded once, and a batch
 * crosses to the object and to the disk as bytes.
 *
 *   head      version, number of records (uint16), bytes of the texts (uint32)
 *   records   RECORD_BYTES each, at fixed places: keys, hashes, class, and the indexes of texts
 *   texts     link ids and origin values, each once, in UTF-8, ended by a line feed
 *   visitors  for each record the length (uint32) of the visitor's text in UTF-8, then the texts;
 *             never stored
 *
 * Numbers are little-endian. A stored row is one batch after another, without their visitors.
 */

import { type Key, keyOf } from "../keys/key-list.ts";
import {
  DIMENSIONS,
  type EventClass,
  type JournalEvent,
  type Origin,
  type PageEvent,
} from "./event.ts";

/** The number of events and the number of their texts have 16 bits. */
const BATCH_MAX = 1_000;

const VERSION = 1;
const HEAD_BYTES = 8;
const RECORD_BYTES = 48;
const KEY = 0;
const VISITOR = 8;
const NEWCOMER = 16;
const NUMBER = 24;
const LINK = 28;
const CLASS = 30;
const HAS_ORIGIN = 31;
const ORIGIN = 32;

/** A class has its index in a record; a record of class 0 does not count and is skipped. */
const CLASSES: readonly (EventClass | null)[] = [null, "human", "bot", "owner", "limited"];
const DROPPED = 0;
const PERSON = 1;

/** Every batch has these texts: none, and the value of `breakdowns.ts` for what is not tracked. */
const NO_TEXT = 0;
const OTHER_TEXT = 1;
const FIRST_TEXTS: readonly string[] = ["", "(other)"];
const TEXT_END = "\n";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Throws above `BATCH_MAX`. */
export function packEvents(events: readonly PageEvent[]): Uint8Array<ArrayBuffer> {
  if (events.length > BATCH_MAX) throw new Error(`a batch of over ${BATCH_MAX} events`);
  const indexes = new Map(FIRST_TEXTS.map((text, index) => [text, index]));
  const indexOf = (text: string): number => {
    const known = indexes.get(text);
    if (known !== undefined) return known;
    indexes.set(text, indexes.size);
    return indexes.size - 1;
  };
  const records = new DataView(new ArrayBuffer(events.length * RECORD_BYTES));
  for (const [i, event] of events.entries()) packRecord(records, i * RECORD_BYTES, event, indexOf);
  const texts = encoder.encode([...indexes.keys()].map(oneLine).join(""));
  const visitors = events.map(({ visitor }) => encoder.encode(visitor ?? ""));

  const head = new DataView(new ArrayBuffer(HEAD_BYTES));
  head.setUint8(0, VERSION);
  head.setUint16(2, events.length, true);
  head.setUint32(4, texts.length, true);
  const lengths = new DataView(new ArrayBuffer(4 * events.length));
  for (const [i, { length }] of visitors.entries()) lengths.setUint32(4 * i, length, true);
  return joined([bytesOf(head), bytesOf(records), texts, bytesOf(lengths), ...visitors]);
}

function packRecord(
  records: DataView,
  at: number,
  { key, class: class_, link_id, n = 1, origin }: PageEvent,
  indexOf: (text: string) => number,
): void {
  const { high, low } = keyOf(key);
  records.setInt32(at + KEY, high, true);
  records.setInt32(at + KEY + 4, low, true);
  records.setUint32(at + NUMBER, n, true);
  records.setUint16(at + LINK, indexOf(link_id), true);
  records.setUint8(at + CLASS, CLASSES.indexOf(class_));
  if (origin === null) return;
  records.setUint8(at + HAS_ORIGIN, 1);
  DIMENSIONS.forEach((dimension, i) => {
    const value = origin[dimension];
    if (value !== undefined) records.setUint16(at + ORIGIN + 2 * i, indexOf(value), true);
  });
}

export class PackedEvents {
  /** Dropped events are included. */
  readonly length: number;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  readonly #texts: readonly string[];
  readonly #end: number;

  private constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#view.getUint8(0) !== VERSION) throw new Error("a batch of another version");
    this.length = this.#view.getUint16(2, true);
    const texts_at = HEAD_BYTES + this.length * RECORD_BYTES;
    this.#end = texts_at + this.#view.getUint32(4, true);
    this.#texts = decoder.decode(bytes.subarray(texts_at, this.#end)).split(TEXT_END);
  }

  /** Throws if the batch is of another version. */
  static read(bytes: Uint8Array<ArrayBuffer>): PackedEvents {
    return new PackedEvents(bytes);
  }

  static readRow(row: ArrayBuffer): PackedEvents[] {
    const batches: PackedEvents[] = [];
    for (let at = 0; at < row.byteLength; ) {
      const batch = new PackedEvents(new Uint8Array(row, at));
      batches.push(batch);
      at += batch.#end;
    }
    return batches;
  }

  static row(batches: readonly PackedEvents[]): Uint8Array<ArrayBuffer> {
    const [only] = batches;
    if (batches.length === 1 && only !== undefined) return only.#stored;
    return joined(batches.map((batch) => batch.#stored));
  }

  get #stored(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#end);
  }

  key(i: number): Key {
    return this.#key(recordAt(i) + KEY);
  }

  linkId(i: number): string {
    return this.#text(recordAt(i) + LINK);
  }

  isDropped(i: number): boolean {
    return this.#view.getUint8(recordAt(i) + CLASS) === DROPPED;
  }

  isPerson(i: number): boolean {
    return this.#view.getUint8(recordAt(i) + CLASS) === PERSON;
  }

  /** Takes an event out: it is stored, but never read back. */
  drop(i: number): void {
    this.#view.setUint8(recordAt(i) + CLASS, DROPPED);
  }

  /** An event without a visitor has an empty text. The batch must not be a stored one. */
  visitors(): Uint8Array<ArrayBuffer>[] {
    let from = this.#end + 4 * this.length;
    return Array.from({ length: this.length }, (_, i) => {
      const to = from + this.#view.getUint32(this.#end + 4 * i, true);
      const text = this.#bytes.subarray(from, to);
      from = to;
      return text;
    });
  }

  /** Has the values that the router sent or `setOther` left. */
  origin(i: number): Origin | null {
    if (this.#view.getUint8(recordAt(i) + HAS_ORIGIN) === 0) return null;
    const origin: Origin = {};
    for (let n = 0; n < DIMENSIONS.length; n += 1) {
      const dimension = DIMENSIONS[n];
      const place = recordAt(i) + ORIGIN + 2 * n;
      if (dimension === undefined || this.#view.getUint16(place, true) === NO_TEXT) continue;
      origin[dimension] = this.#text(place);
    }
    return origin;
  }

  setOther(i: number, dimension: number): void {
    this.#view.setUint16(recordAt(i) + ORIGIN + 2 * dimension, OTHER_TEXT, true);
  }

  removeOrigin(i: number): void {
    this.#view.setUint8(recordAt(i) + HAS_ORIGIN, 0);
  }

  setVisitor(i: number, key: Key): void {
    this.#set(recordAt(i) + VISITOR, key);
  }

  setNewcomer(i: number, key: Key): void {
    this.#set(recordAt(i) + NEWCOMER, key);
  }

  events(): JournalEvent[] {
    const events: JournalEvent[] = [];
    for (let i = 0; i < this.length; i += 1) {
      const class_ = CLASSES[this.#view.getUint8(recordAt(i) + CLASS)];
      if (class_ === null || class_ === undefined) continue;
      events.push({
        key: this.key(i),
        link_id: this.linkId(i),
        class: class_,
        n: this.#view.getUint32(recordAt(i) + NUMBER, true),
        visitor: this.#keyOrNone(recordAt(i) + VISITOR),
        origin: this.origin(i),
        newcomer: this.#keyOrNone(recordAt(i) + NEWCOMER),
      });
    }
    return events;
  }

  #key(place: number): Key {
    return { high: this.#view.getInt32(place, true), low: this.#view.getInt32(place + 4, true) };
  }

  #keyOrNone(place: number): Key | null {
    const key = this.#key(place);
    return key.high === 0 && key.low === 0 ? null : key;
  }

  #set(place: number, { high, low }: Key): void {
    this.#view.setInt32(place, high, true);
    this.#view.setInt32(place + 4, low, true);
  }

  #text(place: number): string {
    return this.#texts[this.#view.getUint16(place, true)] ?? "";
  }
}

function recordAt(i: number): number {
  return HEAD_BYTES + i * RECORD_BYTES;
}

/** A text must not end another one. */
function oneLine(text: string): string {
  return text.replaceAll(TEXT_END, " ") + TEXT_END;
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView<ArrayBuffer>) {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
