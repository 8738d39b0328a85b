/**
 * The address of a client behind proxies. A client can write anything into `X-Forwarded-For`, and
 * each proxy appends whom it was asked by. So only what a trusted proxy appended is believed, from
 * the last one backwards.
 */
import { BlockList, isIP, isIPv6 } from "node:net";

/** `1.2.3.4:5678` and `[::1]:5678`, as some proxies write, and the bare address in brackets. */
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/i;
const MAPPED = /^::ffff:(?=[\d.]+$)/i;

/** What these addresses and networks say of their clients is believed. */
export class TrustedProxies {
  readonly #list = new BlockList();

  /**
   * @param setting TRUST_PROXY: addresses and networks (RFC 4632, RFC 4291) with commas between, or `''`
   * @throws with the part that is neither
   */
  constructor(setting: string) {
    for (const part of setting.split(",").map((one) => one.trim())) {
      if (part === "") continue;
      const [, address = part, bits] = /^(.+)\/(\d{1,3})$/.exec(part) ?? [];
      const family = isIP(address);
      if (family === 0 || Number(bits ?? 0) > (family === 4 ? 32 : 128)) {
        throw new Error(`${part} is neither an address nor a network`);
      }
      const kind = family === 4 ? "ipv4" : "ipv6";
      if (bits === undefined) this.#list.addAddress(address, kind);
      else this.#list.addSubnet(address, Number(bits), kind);
    }
  }

  believes(peer: string): boolean {
    const address = plain(peer);
    return isIP(address) !== 0 && this.#list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  }

  /**
   * The last address that no trusted proxy has, or what is left where a proxy wrote none. `peer` is
   * the socket's own, `forwarded` the request's `X-Forwarded-For` or `''`.
   */
  clientOf(peer: string, forwarded: string): string {
    let client = plain(peer);
    const hops = forwarded.split(",");
    while (this.believes(client)) {
      const before = plain((hops.pop() ?? "").trim());
      if (isIP(before) === 0) break;
      client = before;
    }
    return client;
  }
}

/** Removes a port, and spells IPv4 as such: a socket for both families has `::ffff:1.2.3.4`. */
function plain(address: string): string {
  const [, six, four] = WITH_PORT.exec(address) ?? [];
  return (six ?? four ?? address).replace(MAPPED, "");
}
