import { expect } from "vitest";
import type { Visitor } from "../browser-kit.ts";

/** What belongs to a creator's browser. */
const USUAL = /^cookie /;

/** That nothing else was blocked, failed or said in the console, except this. */
export async function expectNoOtherComplaints(someone: Visitor, except = /^$/): Promise<void> {
  const complaints = await someone.complaints();
  expect(complaints.filter((text) => !USUAL.test(text) && !except.test(text))).toEqual([]);
}
