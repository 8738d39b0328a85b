/**
 * Journeys that people make in a real browser, all of them on one server and in one browser, some at once. Each has a
 * context, accounts and pages of its own.
 */
import { afterAll, beforeAll, describe } from "vitest";
import { HAS_CHROMIUM, startWorld, type World } from "./browser-kit.ts";
import { blockJourneys } from "./journeys/blocks.ts";
import { lookJourneys } from "./journeys/editor-look.ts";
import { entranceJourneys } from "./journeys/entrance.ts";
import { numberJourneys } from "./journeys/numbers.ts";
import { visitorJourneys } from "./journeys/visitors.ts";

/** Milliseconds. The start builds nothing: it seeds and serves while other test files run. */
const START_TIMEOUT_MS = 60_000;
/** Milliseconds. For one journey, on a machine of half the speed beside other work. */
const TEST_TIMEOUT_MS = 120_000;

describe.skipIf(!HAS_CHROMIUM)("journeys", { concurrent: true, timeout: TEST_TIMEOUT_MS }, () => {
  // The hook fills it before the first journey, and nobody reads it earlier.
  const world = {} as World;
  let close: World["close"] | undefined;
  beforeAll(async () => {
    Object.assign(world, await startWorld());
    close = world.close;
  }, START_TIMEOUT_MS);
  afterAll(() => close?.(), START_TIMEOUT_MS);

  describe("visitors", () => visitorJourneys(world));
  describe("the way in", () => entranceJourneys(world));
  describe("looks", () => lookJourneys(world));
  describe("blocks", () => blockJourneys(world));
  describe("numbers", () => numberJourneys(world));
});
