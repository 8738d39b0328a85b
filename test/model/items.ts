/** For which requests an isolate makes its calls: those that meet share one, which carries an item of each. */
import type { SimRequest } from "./isolate.ts";

export interface Brought {
  request: SimRequest;
  /** When the request began to wait, in milliseconds of the run. */
  since_ms: number;
  isCarried: boolean;
}

export class Items {
  /** By the names of the items; equal ones may come from several requests. */
  readonly #brought = new Map<string, Brought[]>();
  readonly #first: (item: Brought) => void;

  /** @param first called with each item when it is carried for the first time */
  constructor(first: (item: Brought) => void) {
    this.#first = first;
  }

  bring(request: SimRequest, name: string, since_ms: number): void {
    const brought = this.#brought.get(name) ?? [];
    this.#brought.set(name, brought);
    brought.push({ request, since_ms, isCarried: false });
  }

  carry(caller: SimRequest, names: readonly string[]): SimRequest[] {
    const isWaiting = ({ isCarried }: Brought) => !isCarried;
    const isFirst = this.#of(names).some((one) => one.request === caller && isWaiting(one));
    return names.map((name) => {
      const brought = this.#of([name]);
      const own = brought.filter(({ request }) => request === caller);
      const alive = brought.filter(({ request }) => request.alive);
      // Of equal items that ended requests left behind, the older ones may never be sent.
      const waiting = [own, alive, brought.toReversed()].flatMap((some) => some.filter(isWaiting));
      // A call whose caller waits with no item repeats one that was carried before.
      const orders = isFirst ? [waiting, alive] : [own, alive, brought];
      const found = orders.flat()[0];
      if (found === undefined) throw new Error(`nobody has brought ${name}`);
      if (!found.isCarried) this.#first(found);
      found.isCarried = true;
      return found.request;
    });
  }

  #of(names: readonly string[]): Brought[] {
    return names.flatMap((name) => this.#brought.get(name) ?? []);
  }
}
