/**
 * Group commit: while one commit is on its way to the disk, further calls gather, and the next
 * commit takes them all. A quiet object commits at once; a busy one pays for a commit once per
 * group instead of once per call (commits, not calls, are what costs). After a group that held more
 * than one item it also pauses for a moment, because fewer and larger commits are cheaper still.
 *
 * Nobody is answered before the commit that holds its item is durable.
 */
import { pause } from "./clock.ts";
import type { Clock, Storage } from "./ports.ts";

/** Most items one commit takes. The largest event is 1.4 KB of JSON, and a row holds 2 MB. */
export const GROUP_MAX = 1_000;
/** How long a busy object gathers before its next commit, in milliseconds. */
const GATHER_MS = 5;

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
}

interface GroupCommitPorts {
  storage: Pick<Storage, "sync">;
  clock: Pick<Clock, "after">;
}

export class GroupCommit<Item, Answer> {
  readonly #commit: (items: Item[]) => Answer[];
  readonly #ports: GroupCommitPorts;
  #waiting: Waiting<Item, Answer>[] = [];
  #running = false;

  /**
   * `commit` decides and writes a group in one synchronous step and answers each item in order;
   * if it throws, nothing may have been written and every caller in the group gets the error.
   */
  constructor(commit: (items: Item[]) => Answer[], ports: GroupCommitPorts) {
    this.#commit = commit;
    this.#ports = ports;
  }

  /** Resolves with the item's answer once it is durable. */
  submit(item: Item): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ item, resolve, reject });
    if (!this.#running) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    const { storage, clock } = this.#ports;
    this.#running = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, GROUP_MAX);
      try {
        const answers = this.#commit(group.map(({ item }) => item));
        await storage.sync();
        // `commit` answers item by item; an answer that is missing is a bug of ours, not a count.
        group.forEach(({ resolve, reject }, i) => {
          const answer = answers[i];
          if (answer === undefined) reject(new Error("commit left an item unanswered"));
          else resolve(answer);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      if (group.length > 1) await pause(GATHER_MS, clock);
    }
    this.#running = false;
  }
}
