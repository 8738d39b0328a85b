import { expect } from "vitest";
import type { Visitor } from "../browser-kit.ts";

/**
 * What belongs to a creator's browser, and what depends on the time: Chromium says of a font that it was preloaded in
 * vain where a busy machine paints the page some seconds after its load.
 */
const USUAL = /^cookie |was preloaded using link preload but not used/;

/** That nothing else was blocked, failed or said in the console, except this. */
export async function expectNoOtherComplaints(someone: Visitor, except = /^$/): Promise<void> {
  const complaints = await someone.complaints();
  expect(complaints.filter((text) => !USUAL.test(text) && !except.test(text))).toEqual([]);
}
