/**
 * Broken on purpose, to prove that the simulator finds it: a router that gives each request an id of its
 * own in place of each tap.
 */
import { TAP_PARAMETER } from "../../../src/http/endpoints.ts";
import faulty from "./faulty.ts";

export * from "./faulty.ts";

export default {
  ...faulty,
  fetch(request, near, ctx) {
    const url = new URL(request.url);
    url.searchParams.delete(TAP_PARAMETER);
    return faulty.fetch(new Request(url, request), near, ctx);
  },
} satisfies typeof faulty;
