/** docs/security.md S48: who a client is behind proxies. */
import { expect, test } from "vitest";
import { TrustedProxies } from "../../../src/commands/serve/client-address.ts";

const NOBODY = new TrustedProxies("");
const PROXIES = new TrustedProxies("127.0.0.1, 10.0.0.0/8,2001:db8:1::/48,::1");

test.each([
  ["nobody's word is taken by default", NOBODY, "203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["nor that of a neighbour", NOBODY, "127.0.0.1", "198.51.100.1", "127.0.0.1"],
  ["nor of who is not named", PROXIES, "203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["a proxy says whom it was asked by", PROXIES, "127.0.0.1", "198.51.100.1", "198.51.100.1"],
  [
    "what a client wrote before is not read",
    PROXIES,
    "127.0.0.1",
    "9.9.9.9, 198.51.100.1",
    "198.51.100.1",
  ],
  ["nor where it names a proxy", PROXIES, "127.0.0.1", "127.0.0.1, 198.51.100.1", "198.51.100.1"],
  [
    "proxies in a row",
    PROXIES,
    "127.0.0.1",
    "9.9.9.9,198.51.100.1, 10.1.2.3,10.9.9.9",
    "198.51.100.1",
  ],
  ["a network of IPv6", PROXIES, "2001:db8:1::5", "2001:db8:9::1", "2001:db8:9::1"],
  ["no header", PROXIES, "127.0.0.1", "", "127.0.0.1"],
  ["only proxies", PROXIES, "127.0.0.1", "10.1.1.1", "10.1.1.1"],
  ["no address", PROXIES, "127.0.0.1", "198.51.100.1, unknown", "127.0.0.1"],
  ["an obfuscated one", PROXIES, "127.0.0.1", "_hidden", "127.0.0.1"],
  ["a port is not of the address", PROXIES, "127.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
  ["nor brackets", PROXIES, "::1", "[2001:db8::7]:443", "2001:db8::7"],
  ["IPv4 in a socket for both", PROXIES, "::ffff:127.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
  ["an empty hop", PROXIES, "127.0.0.1", "198.51.100.1,", "127.0.0.1"],
])("the client's address: %s", (_, proxies, peer, forwarded, client) => {
  expect(proxies.clientOf(peer, forwarded)).toBe(client);
});

test.each([
  "localhost",
  "10.0.0.0/33",
  "10.0.0/8",
  "::/129",
  "*",
  "127.0.0.1 10.0.0.1",
  "1.2.3.4/",
])("TRUST_PROXY refuses %s", (setting) => {
  expect(() => new TrustedProxies(setting)).toThrow("is neither an address nor a network");
});
