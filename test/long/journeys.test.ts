/** Journeys that go deeper than those of `test/browser/journeys.test.ts`. */
import { describe } from "vitest";
import { journeys } from "../browser/in-browser.ts";
import { deepBlockJourneys } from "../browser/journeys/blocks.ts";
import { deepEditorJourneys } from "../browser/journeys/editor.ts";
import { fileJourneys } from "../browser/journeys/editor-files.ts";
import { ideaJourneys } from "../browser/journeys/editor-ideas.ts";
import { deepLinkJourneys, previewJourneys } from "../browser/journeys/editor-links.ts";
import { deepPictureJourneys } from "../browser/journeys/editor-pictures.ts";
import { profileJourneys } from "../browser/journeys/editor-profile.ts";
import { deepNumberJourneys } from "../browser/journeys/numbers.ts";

journeys("long journeys", (world) => {
  describe("the editor", () => deepEditorJourneys(world));
  describe("links", () => deepLinkJourneys(world));
  describe("the preview", () => previewJourneys(world));
  describe("pictures", () => deepPictureJourneys(world));
  describe("the profile, its history and the settings", () => profileJourneys(world));
  describe("files", () => fileJourneys(world));
  describe("suggestions", () => ideaJourneys(world));
  describe("blocks", () => deepBlockJourneys(world));
  describe("numbers", () => deepNumberJourneys(world));
});
