/** The clients' addresses: many ordinary ones, and a few heavy ones. */
import { parseSender } from "../../src/http/sender.ts";
import { integer, type Random } from "../random.ts";

/** The value of `CF-Connecting-IP`. */
export type Address = string;

/** Deliveries per heavy sender: far more than 60 a minute. */
const DELIVERIES_PER_HEAVY = 300;
const HEAVY_PART = 0.04;
/** One in so many ordinary senders has an IPv6 network, and uses another address of it for each request. */
const IPV6_EVERY = 4;

export class Senders {
  readonly #ordinary: number;
  readonly #heavy: number;

  constructor(ordinary: number, events: number) {
    this.#ordinary = ordinary;
    this.#heavy = Math.max(1, Math.round((events * HEAVY_PART) / DELIVERIES_PER_HEAVY));
  }

  ordinary(random: Random): Address {
    const i = integer(this.#ordinary, random);
    if (i % IPV6_EVERY !== 0) return `10.${(i >> 16) + 64}.${(i >> 8) & 255}.${i & 255}`;
    return inNetwork(`2001:db8:${(i >> 16).toString(16)}:${(i & 65_535).toString(16)}::`, random);
  }

  heavy(random: Random): Address {
    return heavyAddress(integer(this.#heavy, random));
  }

  /** Heavy senders in the limiter's form. */
  heavySenders(): string[] {
    return Array.from({ length: this.#heavy }, (_, i) => parseSender(heavyAddress(i)));
  }
}

function heavyAddress(i: number): Address {
  return `198.18.${i >> 8}.${i & 255}`;
}

/** An address of the same sender, which may be another one of its network. */
export function sameSender(address: Address, random: Random): Address {
  const [network, host] = address.split("::");
  return host === undefined ? address : inNetwork(`${network}::`, random);
}

/** An IPv6 subscriber has a /64, which is one sender. */
function inNetwork(network: string, random: Random): Address {
  return network + integer(2 ** 16, random).toString(16);
}
