/** Journeys that go deeper than those of `test/browser/journeys.test.ts`. */
import { describe } from "vitest";
import { journeys } from "../browser/in-browser.ts";
import { deepEditorJourneys } from "../browser/journeys/editor.ts";
import { deepLinkJourneys } from "../browser/journeys/editor-links.ts";

journeys("long journeys", (world) => {
  describe("the editor", () => deepEditorJourneys(world));
  describe("links", () => deepLinkJourneys(world));
});
