interface WeightLimit<Value> {
  max_weight: number;
  /** Must return the same number for a value as long as it is in the map. */
  weigh: (value: Value) => number;
}

/**
 * Holds at most `max` entries (at least 1), whose values weigh at most `max_weight` together.
 * Setting a new key drops the keys that were set longest ago until it fits; setting a known key
 * makes it the newest. The newest entry stays, even if it alone is too heavy. Reading changes
 * nothing.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  readonly #limit: WeightLimit<Value> | null;
  #weight = 0;
  /**
   * Returns the oldest key: all keys before it are deleted, and new keys come last. A new iterator
   * for each eviction would step over the deleted entries again, of which V8 keeps thousands: over
   * 10 µs in a map of 10,000.
   */
  #oldest: MapIterator<Key> | null = null;

  constructor(max: number, limit: WeightLimit<Value> | null = null) {
    super();
    this.#max = max;
    this.#limit = limit;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    this.#weight += this.#weightOf(value);
    while (this.size >= this.#max || (this.size > 0 && this.#isTooHeavy())) this.#evict();
    return super.set(key, value);
  }

  override delete(key: Key): boolean {
    this.#weight -= this.#weightOf(this.get(key));
    return super.delete(key);
  }

  override clear(): void {
    this.#weight = 0;
    super.clear();
  }

  #weightOf(value: Value | undefined): number {
    return value === undefined ? 0 : (this.#limit?.weigh(value) ?? 0);
  }

  #isTooHeavy(): boolean {
    return this.#limit !== null && this.#weight > this.#limit.max_weight;
  }

  #evict(): void {
    this.#oldest ??= this.keys();
    const { done, value } = this.#oldest.next();
    if (!done) this.delete(value);
  }
}
