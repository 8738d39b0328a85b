/** What the simulator takes for a machine without processor time. */
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Stalls } from "../simulate/stalls.ts";

const LATE_MS = 1_100;

describe("the simulator", () => {
  const delays_ms = { health: 0, ping: 0 };
  let fails = false;
  let answers = 0;
  let close: () => Promise<void>;
  let watch: () => void;
  let stalls: Stalls;

  beforeEach(async () => {
    Object.assign(delays_ms, { health: 0, ping: 0 });
    answers = 0;
    fails = false;
    const server = createServer(async (_, response) => {
      await pause(delays_ms.health);
      if (fails) response.destroy();
      else response.end("ok");
      answers += 1;
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("no address");
    const ping = async () => {
      await pause(delays_ms.ping);
      if (fails) throw new Error("the server's process ended");
    };
    const routers = [`http://127.0.0.1:${address.port}`];
    watch = () => {
      stalls = new Stalls({ call: ping } as never, routers);
    };
    close = async () => {
      await stalls.close();
      server.close();
    };
  });
  afterEach(() => close());

  const answered = (n: number) =>
    expect.poll(() => answers, { timeout: 20_000 }).toBeGreaterThan(n);

  test.for(["health", "ping"] as const)("notes a late answer to a %s as a stall", async (which) => {
    watch();
    await answered(0);
    delays_ms[which] = LATE_MS;
    await expect.poll(() => stalls.found.length, { timeout: 20_000 }).toBeGreaterThan(0);
    const [stall] = stalls.found;
    expect(stall).toMatchObject({ what: "stall", page_id: null });
    expect((stall?.until_ms ?? 0) - (stall?.from_ms ?? 0)).toBeGreaterThan(1_000);
  });

  test("takes no failure for a stall", async () => {
    fails = true;
    Object.assign(delays_ms, { health: LATE_MS, ping: LATE_MS });
    watch();
    await answered(2);
    expect(stalls.found).toEqual([]);
  });
});
