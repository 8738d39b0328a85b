/**
 * Admissions as bytes, 24 each: the time (float64, little-endian) and the sender. A row of the
 * journal is a list of them.
 *
 * A negative time is no admission: a request was refused then, after a step back of the clock had
 * moved the sender's window. Without that entry the window would be moved again, and by another
 * distance, after a restart.
 */
import { admit } from "./sliding-window.ts";
import type { WindowTable } from "./window-table.ts";

/** Bytes of a sender's keyed hash; as text it has 32 hexadecimal digits. */
export const SENDER_BYTES = 16;
export const ENTRY_BYTES = 8 + SENDER_BYTES;

/** What was admitted before is admitted again, whatever its limit was. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

export function isSender(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Throws if `sender` is malformed. */
export function bytesOf(sender: string): Uint8Array {
  if (!isSender(sender)) throw new RangeError("a sender is 32 hexadecimal digits");
  const byteAt = (_: unknown, i: number) => Number.parseInt(sender.slice(2 * i, 2 * i + 2), 16);
  return Uint8Array.from({ length: SENDER_BYTES }, byteAt);
}

/** A sender as a key of windows has two bytes in a character: a tenth of the cost of hex. */
export function keyAt(view: DataView, at: number): string {
  return String.fromCharCode(
    view.getUint16(at),
    view.getUint16(at + 2),
    view.getUint16(at + 4),
    view.getUint16(at + 6),
    view.getUint16(at + 8),
    view.getUint16(at + 10),
    view.getUint16(at + 12),
    view.getUint16(at + 14),
  );
}

export class EntryWriter {
  #bytes = new Uint8Array(0);
  #length = 0;

  get entries(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  reserve(count: number): void {
    const grown = new Uint8Array(this.#length + count * ENTRY_BYTES);
    grown.set(this.entries);
    this.#bytes = grown;
  }

  /** Adds a request of the sender at the byte `at` of `senders`. Its room must be reserved. */
  add(senders: DataView, at: number, now: number, admitted: boolean): void {
    const view = viewOf(this.#bytes);
    view.setFloat64(this.#length, admitted ? now : -now, true);
    view.setBigUint64(this.#length + 8, senders.getBigUint64(at));
    view.setBigUint64(this.#length + 16, senders.getBigUint64(at + 8));
    this.#length += ENTRY_BYTES;
  }
}

/** Decides again what the entries recorded, each at its time, and keeps the windows' new states. */
export function replay(
  entries: Uint8Array,
  windows: Pick<WindowTable, "get" | "set">,
  window_ms: number,
): void {
  const view = viewOf(entries);
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const time = view.getFloat64(at, true);
    const key = keyAt(view, at + 8);
    const limit = time < 0 ? 0 : NO_LIMIT;
    windows.set(key, admit(windows.get(key) ?? [], limit, Math.abs(time), window_ms).window);
  }
}

/** The latest time is not the last one after a step back of the clock. */
export function newestIn(entries: Uint8Array): number {
  const view = viewOf(entries);
  let newest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    newest = Math.max(newest, Math.abs(view.getFloat64(at, true)));
  }
  return newest;
}

/**
 * Drops the first entries whose window is over. Later ones stay even if they are older, because a
 * step back of the clock is replayed from them.
 */
export function liveIn(entries: Uint8Array, now: number, window_ms: number): Uint8Array {
  const view = viewOf(entries);
  let from = 0;
  while (from < entries.length && now - Math.abs(view.getFloat64(from, true)) >= window_ms) {
    from += ENTRY_BYTES;
  }
  return entries.subarray(from);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
