/** Journeys that one needs to trust a change; `test/long/journeys.test.ts` has those that go deeper. */
import { describe } from "vitest";
import { journeys } from "./in-browser.ts";
import { badNetworkJourneys } from "./journeys/bad-network.ts";
import { blockJourneys } from "./journeys/blocks.ts";
import { editorJourneys } from "./journeys/editor.ts";
import { lookJourneys } from "./journeys/editor-look.ts";
import { readerJourneys } from "./journeys/editor-readers.ts";
import { entranceJourneys } from "./journeys/entrance.ts";
import { numberJourneys } from "./journeys/numbers.ts";
import { visitorJourneys } from "./journeys/visitors.ts";

journeys("journeys", (world) => {
  describe("visitors", () => visitorJourneys(world));
  describe("the way in", () => entranceJourneys(world));
  describe("the editor", () => editorJourneys(world));
  describe("readers", () => readerJourneys(world));
  describe("looks", () => lookJourneys(world));
  describe("blocks", () => blockJourneys(world));
  describe("a bad network", () => badNetworkJourneys(world));
  describe("numbers", () => numberJourneys(world));
});
