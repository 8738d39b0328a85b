/** What happens on the way to a service: requests and answers get lost, or somebody else answers. */
import type { Fault, Foreign } from "./breaking-proxy.ts";

const HTML = { "Content-Type": "text/html; charset=utf-8" };
const PORTAL = "<!DOCTYPE html><title>Wi-Fi</title><form><button>Accept</button></form>";

/** What carriers, captive portals and filters answer in the service's place. */
export const FOREIGN = {
  "an empty 200": { status: 200 },
  "a 204": { status: 204 },
  "a portal's page": { status: 200, headers: HTML, body: PORTAL },
  // With the member that a careless script looks for.
  "somebody else's JSON": {
    ...{ status: 200, headers: { "Content-Type": "application/json" } },
    body: '{"ok":true}',
  },
  // In the browser tests this host is the outside world.
  "a redirect to a portal": { status: 302, headers: { Location: "http://portal.example.com/" } },
  "a carrier's 502": { status: 502, headers: HTML, body: "<h1>Bad Gateway</h1>" },
  "a portal's 401": { status: 401, headers: { "WWW-Authenticate": 'Bearer realm="Wi-Fi"' } },
  "a filter's 429": { status: 429, headers: { "Retry-After": "1" } },
  "an empty 400": { status: 400 },
  "an empty 403": { status: 403 },
  "an empty 404": { status: 404 },
  "an empty 410": { status: 410 },
  "an empty 413": { status: 413 },
  "an empty 503": { status: 503 },
} as const satisfies Record<string, Foreign>;

const LOSSES = {
  "a lost request": { end: "block" },
  "a lost answer": { end: "lose" },
  "an answer cut off": { end: "cut" },
  "half an answer that looks whole": { end: "shorten" },
  "an answer without its body": { end: "empty" },
  "a request that stalls": { end: "stall" },
  "an answer that stalls": { end: "stall", is_processed: true },
} as const satisfies Record<string, Fault>;

export const FAULTS: readonly (readonly [what: string, fault: Fault])[] = [
  ...Object.entries(LOSSES),
  ...Object.entries(FOREIGN).flatMap(
    ([what, foreign]) =>
      [
        [`${what} to a request that did not arrive`, { foreign }],
        [`${what} to a request that did`, { foreign, is_processed: true }],
      ] as const,
  ),
];
