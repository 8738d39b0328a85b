/**
 * WindowTable: the windows of many senders, by the sender's key (`keyAt`).
 *
 * Most senders of a busy shard come once and stay for minutes, until the next sweep. So a window of
 * one admission is no object: it has 24 bytes in a hash table with linear probing, 35 to 70 with the
 * free places, where a text and an array in a Map took 230. Longer windows are arrays in a Map.
 *
 * Keys are keyed hashes, so nobody can choose keys that collide.
 */
import { expired, type SlidingWindow } from "./sliding-window.ts";

const MAX_LOAD = 0.7;
const ROOM_MIN = 16;
const PARTS = 4;

const FREE = Number.NaN;
/** Stands for the time of a sender whose window is in the Map. As a time it is over. */
const MOVED = Number.NEGATIVE_INFINITY;

export class WindowTable {
  #keys = new Int32Array(0);
  #times = new Float64Array(0);
  #taken = 0;
  readonly #others = new Map<string, SlidingWindow>();

  constructor() {
    this.#rebuild(ROOM_MIN, () => false);
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#times.byteLength;
  }

  get(key: string): SlidingWindow | undefined {
    const other = this.#others.get(key);
    if (other !== undefined) return other;
    const time = this.#times[this.#find(partsOf(key))] ?? FREE;
    return Number.isNaN(time) || time === MOVED ? undefined : [time];
  }

  set(key: string, window: SlidingWindow): void {
    const [time] = window;
    if (window.length === 1 && time !== undefined) {
      this.#others.delete(key);
      this.#add(partsOf(key), time);
      return;
    }
    this.#others.set(key, window);
    const place = this.#find(partsOf(key));
    if (!Number.isNaN(this.#times[place])) this.#times[place] = MOVED;
  }

  dropExpired(now: number, window_ms: number): void {
    for (const [key, window] of this.#others) {
      if (expired(window, now, window_ms)) this.#others.delete(key);
    }
    const isLive = (time: number) => now - time < window_ms;
    const live = this.#times.reduce((n, time) => (isLive(time) ? n + 1 : n), 0);
    this.#rebuild(live, isLive);
  }

  #add(parts: Int32Array, time: number): void {
    let place = this.#find(parts);
    if (Number.isNaN(this.#times[place])) {
      if (this.#taken + 1 > this.#times.length * MAX_LOAD) {
        this.#rebuild(2 * this.#taken, (time) => time !== MOVED);
        place = this.#find(parts);
      }
      this.#keys.set(parts, PARTS * place);
      this.#taken += 1;
    }
    this.#times[place] = time;
  }

  #find(parts: Int32Array): number {
    const keys = this.#keys;
    const places = this.#times.length;
    // The first part gives senders to shards (LIMITER_SHARDS), so the second chooses the place.
    let place = Math.floor((((parts[1] ?? 0) >>> 0) / 2 ** 32) * places);
    for (; !Number.isNaN(this.#times[place]); place = place + 1 === places ? 0 : place + 1) {
      const at = PARTS * place;
      if (
        keys[at] === parts[0] &&
        keys[at + 1] === parts[1] &&
        keys[at + 2] === parts[2] &&
        keys[at + 3] === parts[3]
      ) {
        break;
      }
    }
    return place;
  }

  /** Makes a table for `room`, at least `ROOM_MIN`, with the places whose time is kept. */
  #rebuild(room: number, isKept: (time: number) => boolean): void {
    const [keys, times] = [this.#keys, this.#times];
    const places = Math.ceil((Math.max(room, ROOM_MIN) + 1) / MAX_LOAD);
    this.#keys = new Int32Array(PARTS * places);
    this.#times = new Float64Array(places).fill(FREE);
    this.#taken = 0;
    for (const [place, time] of times.entries()) {
      if (!Number.isNaN(time) && isKept(time))
        this.#add(keys.subarray(PARTS * place, PARTS * (place + 1)), time);
    }
  }
}

function partsOf(key: string): Int32Array {
  return Int32Array.of(part(key, 0), part(key, 2), part(key, 4), part(key, 6));
}

function part(key: string, from: number): number {
  return (key.charCodeAt(from) << 16) | key.charCodeAt(from + 1);
}
