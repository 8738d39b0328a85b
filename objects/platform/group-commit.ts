/**
 * Group commit: while one commit is on its way to the disk, further calls gather, and the next
 * commit takes them all. A quiet object commits at once; a busy one pays for a commit once per
 * group instead of once per call (commits, not calls, are what costs).
 *
 * Nobody is answered before the commit that holds its item is durable.
 */
import type { Storage } from "./ports.ts";

/** Most items one commit takes. The largest event is 1.4 KB of JSON, and a row holds 2 MB. */
export const GROUP_MAX = 1_000;

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
}

export class GroupCommit<Item, Answer> {
  readonly #commit: (items: Item[]) => Answer[];
  readonly #storage: Pick<Storage, "sync">;
  #waiting: Waiting<Item, Answer>[] = [];
  #running = false;

  /**
   * `commit` decides and writes a group in one synchronous step and answers each item in order;
   * if it throws, nothing may have been written and every caller in the group gets the error.
   */
  constructor(commit: (items: Item[]) => Answer[], storage: Pick<Storage, "sync">) {
    this.#commit = commit;
    this.#storage = storage;
  }

  /** Resolves with the item's answer once it is durable. */
  submit(item: Item): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ item, resolve, reject });
    if (!this.#running) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    // What is submitted in the same turn, as by one call for many, is one group.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, GROUP_MAX);
      try {
        const answers = this.#commit(group.map(({ item }) => item));
        await this.#storage.sync();
        // `commit` answers item by item; an answer that is missing is a bug of ours, not a count.
        group.forEach(({ resolve, reject }, i) => {
          const answer = answers[i];
          if (answer === undefined) reject(new Error("commit left an item unanswered"));
          else resolve(answer);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = false;
  }
}
