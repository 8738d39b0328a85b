/**
 * Group commit: while one commit is on its way to the disk, further calls wait, and the next commit
 * takes them all. A quiet object commits at once; a busy one pays for a commit once per group
 * instead of once per call (commits, not calls, are what costs).
 *
 * No call is answered before the commit that holds its items is durable.
 */
import type { Storage } from "./ports.ts";

/** Most items of one group. The largest event takes 1.6 KB, and a row holds 2 MB. */
export const GROUP_MAX = 1_000;

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
}

export class GroupCommit<Item, Answer> {
  readonly #commit: (items: Item[]) => Answer[];
  readonly #storage: Pick<Storage, "sync">;
  readonly #weigh: (item: Item) => number;
  #waiting: Waiting<Item, Answer>[] = [];
  #running = false;

  /**
   * `commit` decides and writes a group in one synchronous step and answers each item in order. If
   * it throws, it must have written nothing; every call in the group gets the error. An item may be
   * a batch: then `weigh` says how many it stands for.
   */
  constructor(
    commit: (items: Item[]) => Answer[],
    storage: Pick<Storage, "sync">,
    weigh: (item: Item) => number = () => 1,
  ) {
    this.#commit = commit;
    this.#storage = storage;
    this.#weigh = weigh;
  }

  /** Resolves with the item's answer once it is durable. */
  submit(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Calls that arrive in the same turn join the first group.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      try {
        const answers = this.#commit(group.map(({ item }) => item));
        await this.#storage.sync();
        for (const [i, { resolve, reject }] of group.entries()) {
          const answer = answers[i];
          // A missing answer is a bug of ours, not a count.
          if (answer === undefined) reject(new Error("the commit left an item unanswered"));
          else resolve(answer);
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = false;
  }

  /** Takes the oldest items that fit into one group; a batch is never divided. */
  #nextGroup(): Waiting<Item, Answer>[] {
    let weight = 0;
    let items = 0;
    for (const { item } of this.#waiting) {
      weight += this.#weigh(item);
      if (items > 0 && weight > GROUP_MAX) break;
      items += 1;
    }
    return this.#waiting.splice(0, items);
  }
}
