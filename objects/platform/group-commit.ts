/**
 * Group commit: while one commit is on its way to the disk, further calls wait, and the next commit
 * takes them all. A quiet object commits at once; a busy one pays for a commit once per group
 * instead of once per call (commits, not calls, are what costs).
 *
 * No call is answered before the commit that holds its items is durable.
 */
import type { Storage } from "./ports.ts";

/** Most items of one group. The largest event is 1.4 KB of JSON, and a row holds 2 MB. */
export const GROUP_MAX = 1_000;

/** The items of one call, which are committed together. */
interface Batch<Item, Answer> {
  items: readonly Item[];
  /** Gets the answers of the whole group, and the index of this batch's first answer. */
  resolve: (answers: readonly Answer[], from: number) => void;
  reject: (reason: unknown) => void;
}

export class GroupCommit<Item, Answer> {
  readonly #commit: (items: Item[]) => Answer[];
  readonly #storage: Pick<Storage, "sync">;
  #waiting: Batch<Item, Answer>[] = [];
  #running = false;

  /**
   * `commit` decides and writes a group in one synchronous step and answers each item in order. If
   * it throws, it must have written nothing; every call in the group gets the error.
   */
  constructor(commit: (items: Item[]) => Answer[], storage: Pick<Storage, "sync">) {
    this.#commit = commit;
    this.#storage = storage;
  }

  /** Resolves with the item's answer once it is durable. */
  submit(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#enqueue({
        items: [item],
        resolve: (answers, from) => {
          const answer = answers[from];
          // A missing answer is a bug of ours, not a count.
          if (answer === undefined) reject(new Error("the commit left an item unanswered"));
          else resolve(answer);
        },
        reject,
      });
    });
  }

  /**
   * Commits a batch of at most `GROUP_MAX` items together; resolves with their answers, in order.
   */
  submitAll(items: readonly Item[]): Promise<Answer[]> {
    if (items.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#enqueue({
        items,
        resolve: (answers, from) => resolve(answers.slice(from, from + items.length)),
        reject,
      });
    });
  }

  #enqueue(batch: Batch<Item, Answer>): void {
    this.#waiting.push(batch);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Calls that arrive in the same turn join the first group.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      try {
        const answers = this.#commit(group.flatMap(({ items }) => items));
        await this.#storage.sync();
        let from = 0;
        for (const { items, resolve } of group) {
          resolve(answers, from);
          from += items.length;
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = false;
  }

  /** As many of the oldest batches as fit into one group; a batch is never divided. */
  #nextGroup(): Batch<Item, Answer>[] {
    let items = 0;
    let batches = 0;
    for (const batch of this.#waiting) {
      items += batch.items.length;
      if (batches > 0 && items > GROUP_MAX) break;
      batches += 1;
    }
    return this.#waiting.splice(0, batches);
  }
}
