/** The weight of `/docs` in a real browser. `sweep.test.ts` has how it looks. */
import type { Request } from "playwright-core";
import { expect, test } from "vitest";
import { PHONE, poll, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";

/** Compressed size of the page and its two style sheets, without fonts; a KB is 1,000 bytes. */
const WEIGHT_BYTES_MAX = 56_000;

inBrowser("the reference", (world) => {
  test("weighs at most 56 KB on the wire without its fonts", async () => {
    await using someone = await visitor(world, PHONE);
    const { context, tab } = someone;
    const requests: Request[] = [];
    context.on("requestfinished", (request) => {
      if (["document", "stylesheet"].includes(request.resourceType())) requests.push(request);
    });
    await tab.goto("/docs");
    await poll(
      () => requests.length,
      (n) => n >= 3,
    );
    const weighed = await Promise.all(
      requests.map(
        async (request): Promise<[path: string, bytes: number]> => [
          new URL(request.url()).pathname,
          (await request.sizes()).responseBodySize,
        ],
      ),
    );
    const bytes = weighed.reduce((sum, [, size]) => sum + size, 0);
    console.info(`/docs weighs ${bytes} bytes on the wire without fonts: ${weighed.join(" ")}`);
    expect(weighed).toHaveLength(3);
    expect(bytes).toBeLessThanOrEqual(WEIGHT_BYTES_MAX);
  });
});
