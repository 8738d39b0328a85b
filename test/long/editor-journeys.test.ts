/** Journeys through the rest of the editor, all of them on one server and in one browser, some at once. */
import { afterAll, beforeAll, describe } from "vitest";
import { HAS_CHROMIUM, startWorld, type World } from "../browser/browser-kit.ts";
import { fileJourneys } from "../browser/journeys/editor-files.ts";
import { ideaJourneys } from "../browser/journeys/editor-ideas.ts";
import { profileJourneys } from "../browser/journeys/editor-profile.ts";

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

  describe("the profile, its history and the settings", () => profileJourneys(world));
  describe("files", () => fileJourneys(world));
  describe("suggestions", () => ideaJourneys(world));
});
