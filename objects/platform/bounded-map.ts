/**
 * A Map of at most `max` entries. A new key in a full map drops the key that was set longest ago;
 * setting a known key makes it the newest. Reading changes nothing. `max` is at least 1.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  /**
   * Returns the oldest key at each eviction: all keys before it are deleted, and new keys come
   * last. A new iterator for each eviction would step over the deleted entries again, of which V8
   * keeps thousands: over 10 µs in a map of 10,000.
   */
  #oldest: MapIterator<Key> | null = null;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    if (!this.delete(key) && this.size >= this.#max) this.#evict();
    return super.set(key, value);
  }

  #evict(): void {
    this.#oldest ??= this.keys();
    const { done, value } = this.#oldest.next();
    if (!done) this.delete(value);
  }
}
