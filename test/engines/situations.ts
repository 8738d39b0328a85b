/** What happens to people's taps, and which numbers must come of one visit. */
import { TAP_PARAMETER } from "../../src/http/endpoints.ts";
import type { Way } from "./engine.ts";
import type { Fault, Request } from "./proxy.ts";
import { isFile, isTapOf, type LinkId, SECOND_MS, type Visit } from "./visit.ts";

/** An impatient second tap comes so late after the first. */
const IMPATIENT_MS = 150;
/** A redirect that makes people impatient. */
const SLOW: Fault = { delay_ms: 300 };
/** More than {@link SECOND_MS}. */
const LATER_MS = 1_300;
const LOST: Fault = { end: "lose" };

/** A number, or the least and the most. */
export type Range = number | readonly [number, number];

/** What is right for one visit; null where nothing arrives that could be seen. */
export interface Right {
  requests: Range;
  arrivals: Range | null;
  counted: number;
}

export interface Situation {
  name: string;
  link: LinkId;
  right: Right;
  /** Ways of a tap that the situation needs. */
  way?: Way;
  scripts?: false;
  /** One visit at least must have had more requests than the least. */
  repeats?: true;
  run(visit: Visit): Promise<void>;
}

/** One click and nothing else. */
const ONE: Right = { requests: 1, arrivals: 1, counted: 1 };
/** Of a download: its redirect, its file, and one of the two again. */
const TWO_STEPS_ONE_REPEATED: Right = { requests: 3, arrivals: 1, counted: 1 };

/** The page is loaded whole, and the first answers to taps are broken. */
async function loadThenBreak(visit: Visit, link: LinkId, ...faults: Fault[]): Promise<void> {
  await visit.load();
  visit.break((request) => isTapOf(request, visit.page_id, link), ...faults);
}

function plain(way: Way, name: string): Situation {
  return {
    ...{ name, way, link: "shop", right: ONE },
    async run(visit) {
      await visit.load();
      await visit.tap("shop", way);
      await visit.arrived("shop");
    },
  };
}

function lost(
  link: "shop" | "file",
  name: string,
  right: Right,
  more: Partial<Situation> = {},
): Situation {
  return {
    ...{ name, link, right },
    async run(visit) {
      await loadThenBreak(visit, link, LOST);
      await visit.tap(link);
      await visit.arrived(link);
    },
    ...more,
  };
}

const isScript = ({ path }: Request) => /^\/assets\/.*\.js$/.test(path);
/** As often as a browser may try. */
const ALWAYS = 8;

export const SITUATIONS: readonly Situation[] = [
  plain("mouse", "mouse"),
  plain("enter", "Enter"),
  plain("middle", "middle button"),
  plain("touch", "touch"),
  lost("shop", "answer lost, the browser repeats", { requests: 2, arrivals: 1, counted: 1 }),
  {
    ...{ name: "second tap after 150 ms", link: "shop" },
    // Both may arrive, and on a busy machine the page may be gone before the second tap.
    right: { requests: [1, 2], arrivals: [1, 2], counted: 1 },
    repeats: true,
    async run(visit) {
      await loadThenBreak(visit, "shop", SLOW, SLOW);
      await visit.tapTwice("shop", "mouse", IMPATIENT_MS);
      await visit.arrived("shop");
    },
  },
  {
    // The page stays.
    ...{ name: "two new tabs, 1.3 s apart", link: "shop", way: "middle" },
    right: { requests: 2, arrivals: 2, counted: 2 },
    async run(visit) {
      await visit.load();
      await visit.tapTwice("shop", "middle", LATER_MS);
      await visit.arrived("shop", 2);
    },
  },
  {
    ...{ name: "back and tap again at once", link: "shop" },
    right: { requests: 2, arrivals: 2, counted: 2 },
    async run(visit) {
      await visit.load();
      const from_ms = performance.now();
      await visit.tap("shop");
      await visit.arrived("shop");
      await visit.back();
      if (performance.now() - from_ms < SECOND_MS) visit.notes.push("within a second");
      await visit.tap("shop");
      await visit.arrived("shop", 2);
    },
  },
  {
    ...{ name: "tab closed while the redirect takes 300 ms", link: "shop" },
    // A busy machine may close it too late.
    right: { requests: 1, arrivals: [0, 1], counted: 1 },
    async run(visit) {
      await loadThenBreak(visit, "shop", SLOW);
      await visit.tap("shop");
      await visit.requested("shop", 1);
      await visit.wait(IMPATIENT_MS);
      await visit.tab.leave();
    },
  },
  // Nothing says that the second request is not a person's (docs/contract.md section 4).
  lost(
    "shop",
    "no JavaScript, answer lost: two clicks",
    { requests: 2, arrivals: 1, counted: 2 },
    { scripts: false },
  ),
  {
    ...{ name: "page script blocked", link: "shop", right: ONE },
    async run(visit) {
      visit.break(isScript, ...Array.from({ length: ALWAYS }, (): Fault => ({ end: "block" })));
      await visit.load();
      await visit.tap("shop");
      await visit.arrived("shop");
    },
  },
  {
    ...{ name: "mail link, beacon's answer lost", link: "mail" },
    // Some browsers repeat a POST by themselves, before the script does.
    right: { requests: [2, 3], arrivals: null, counted: 1 },
    async run(visit) {
      await loadThenBreak(visit, "mail", LOST);
      await visit.tap("mail");
      await visit.requested("mail", 2);
    },
  },
  {
    ...{ name: "mail link, twice in 150 ms", link: "mail" },
    right: { requests: 2, arrivals: null, counted: 1 },
    async run(visit) {
      await visit.load();
      await visit.tapTwice("mail", "mouse", IMPATIENT_MS);
      await visit.requested("mail", 2);
    },
  },
  lost("file", "download, first answer lost", TWO_STEPS_ONE_REPEATED),
  lost("file", "download, file's answer lost", TWO_STEPS_ONE_REPEATED, {
    async run(visit) {
      await visit.load();
      visit.break(isFile, LOST);
      await visit.tap("file");
      await visit.arrived("file");
    },
  }),
  {
    // A link's address has an id only while it is followed: nobody should copy or share the id.
    ...{ name: "clean address after a tap", link: "shop", way: "middle", right: ONE },
    async run(visit) {
      const address = () => visit.tab.evaluate<string>(`${visit.element("shop")}.href`);
      await visit.load();
      const clean = await address();
      await visit.tap("shop", "middle");
      await visit.arrived("shop");
      const { path } = visit.requests("shop")[0] ?? {};
      if (!path?.includes(`?${TAP_PARAMETER}=`)) visit.faults.push(`no id in ${path}`);
      const left = await address();
      if (left !== clean) visit.faults.push(`the address is now ${left}`);
    },
  },
];
