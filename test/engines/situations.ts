/** What happens to people's taps, and which numbers must come of one visit. */
import { TAP_PARAMETER } from "../../src/http/endpoints.ts";
import type { Fault, Request } from "../browser/breaking-proxy.ts";
import { freshAddress } from "../browser/browser-kit.ts";
import { FOREIGN } from "../browser/network-faults.ts";
import type { Way } from "./engine.ts";
import { isFile, isTapOf, type LinkId, SECOND_MS, type Visit } from "./visit.ts";

const IMPATIENT_MS = 150;
const SLOW: Fault = { delay_ms: 300 };
/** More than {@link SECOND_MS}. */
const LATER_MS = 1_300;
/** A redirect that is so slow that the page is still there at a later tap. */
const VERY_SLOW: Fault = { delay_ms: 2_500 };
const LOST: Fault = { end: "lose" };
const CUT: Fault = { end: "cut" };
const LATE: Fault = { delay_ms: 1_000 };

export type Range = number | readonly [number, number];

/** What is right for one visit; null where nothing arrives that could be seen. */
export interface Right {
  requests: Range;
  arrivals: Range | null;
  /** `requests`: as many as there were requests. */
  counted: Range | "requests";
}

export interface Situation {
  name: string;
  link: LinkId;
  right: Right;
  way?: Way;
  scripts?: false;
  /** One visit at least must have had more requests than the least. */
  repeats?: true;
  run(visit: Visit): Promise<void>;
}

const ONE: Right = { requests: 1, arrivals: 1, counted: 1 };
/** Of a download: its redirect, its file, and one of the two again. */
const TWO_STEPS_ONE_REPEATED: Right = { requests: 3, arrivals: 1, counted: 1 };
const isTap = (visit: Visit, link: LinkId) => (request: Request) =>
  isTapOf(request, visit.page_id, link);

async function loadThenBreak(visit: Visit, link: LinkId, ...faults: Fault[]): Promise<void> {
  await visit.load();
  visit.break(isTap(visit, link), ...faults);
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
  link: "shop" | "contact" | "file",
  more: Partial<Situation> & { name: string },
): Situation {
  return {
    ...{ link, right: { requests: 2, arrivals: 1, counted: 1 } },
    async run(visit) {
      await loadThenBreak(visit, link, LOST);
      await visit.tap(link);
      await visit.arrived(link);
    },
    ...more,
  };
}

function impatient(link: "shop" | "contact" | "file", name: string): Situation {
  return {
    ...{ name, link },
    // Both may arrive, and on a busy machine the page may be gone before the second tap.
    right: { requests: link === "file" ? [2, 4] : [1, 2], arrivals: [1, 2], counted: 1 },
    repeats: true,
    async run(visit) {
      await loadThenBreak(visit, link, SLOW, SLOW);
      await visit.tapTwice(link, "mouse", IMPATIENT_MS);
      await visit.arrived(link);
    },
  };
}

function newTabs(name: string, between_ms: number, counted: number): Situation {
  return {
    ...{ name, link: "shop", way: "middle", right: { requests: 2, arrivals: 2, counted } },
    async run(visit) {
      await visit.load();
      await visit.tapTwice("shop", "middle", between_ms);
      await visit.arrived("shop", 2);
    },
  };
}

function back(name: string, between_ms: number): Situation {
  return {
    ...{ name, link: "shop", right: { requests: 2, arrivals: 2, counted: 2 } },
    async run(visit) {
      await visit.load();
      const from_ms = performance.now();
      await visit.tap("shop");
      await visit.arrived("shop");
      await visit.back();
      await visit.wait(between_ms);
      if (performance.now() - from_ms < SECOND_MS) visit.notes.push("within a second");
      await visit.tap("shop");
      await visit.arrived("shop", 2);
    },
  };
}

function twice(
  link: "mail" | "phone",
  name: string,
  between_ms: number,
  counted: number,
): Situation {
  return {
    ...{ name, link, right: { requests: 2, arrivals: null, counted } },
    async run(visit) {
      await visit.load();
      await visit.tapTwice(link, "mouse", between_ms);
      await visit.requested(link, 2);
    },
  };
}

/** One tap on a page that came with a fault. `loads` is how often a person opens it until it is whole. */
function broken(
  name: string,
  what: "page" | "script",
  faults: Fault[],
  { loads = 1 } = {},
): Situation {
  return {
    ...{ name, link: "shop", right: ONE },
    async run(visit) {
      visit.break(what === "page" ? (request) => visit.isPage(request) : isScript, ...faults);
      for (let i = 0; i < loads; i += 1) await visit.load();
      await visit.tap("shop");
      await visit.arrived("shop");
    },
  };
}

const isScript = ({ path }: Request) => /^\/assets\/.*\.js$/.test(path);
/** As often as a browser may try. */
const ALWAYS = 8;
const always = (fault: Fault) => Array.from({ length: ALWAYS }, () => fault);

function answeredByOthers(name: string, more: Pick<Fault, "is_processed"> = {}): Situation {
  const faults = Object.values(FOREIGN).map((foreign) => ({ foreign, ...more }));
  let visits = 0;
  return {
    ...{ name, link: "mail", right: { requests: [2, 3], arrivals: null, counted: 1 } },
    async run(visit) {
      const n = visits % faults.length;
      visits += 1;
      await loadThenBreak(visit, "mail", ...faults.slice(n, n + 1));
      await visit.tap("mail");
      await visit.requested("mail", 2);
    },
  };
}

/** The address of a link has an id only while it is followed: nobody should copy or share the id. */
function addresses(name: string, way: "right" | "middle"): Situation {
  const isMenu = way === "right";
  return {
    ...{ name, link: "shop", way },
    right: isMenu ? { requests: 0, arrivals: 0, counted: 0 } : ONE,
    async run(visit) {
      const href = `${visit.element("shop")}.href`;
      await visit.load();
      const clean = await visit.tab.evaluate<string>(href);
      await visit.tab.evaluate(
        `void addEventListener("contextmenu", () => { window.menu = ${href}; })`,
      );
      await visit.tap("shop", way);
      if (isMenu) {
        // A look at the menu is no tap.
        visit.taps = 0;
        const shown = await visit.tab.evaluate<string | null>("window.menu ?? null");
        if (shown !== clean) visit.faults.push(`the menu is for ${shown}`);
      } else {
        await visit.arrived("shop");
        const { path } = visit.requests("shop")[0] ?? {};
        if (!path?.includes(`?${TAP_PARAMETER}=`)) visit.faults.push(`no id in ${path}`);
      }
      const left = await visit.tab.evaluate<string>(href);
      if (left !== clean) visit.faults.push(`the address is now ${left}`);
    },
  };
}

export const SITUATIONS: readonly Situation[] = [
  plain("mouse", "mouse"),
  plain("enter", "Enter"),
  plain("middle", "middle button"),
  plain("ctrl", "Ctrl and click"),
  plain("touch", "touch"),
  lost("shop", { name: "answer lost, the browser repeats" }),
  lost("shop", {
    name: "the same, from another address",
    async run(visit) {
      await visit.load();
      visit.proxy.rule = (request) => {
        if (!isTap(visit, "shop")(request)) return undefined;
        if (visit.requests("shop").length > 1) {
          visit.proxy.sender = freshAddress();
          return undefined;
        }
        return LOST;
      };
      await visit.tap("shop");
      await visit.arrived("shop");
    },
  }),
  impatient("shop", "second tap after 150 ms"),
  {
    ...{ name: "second tap after 1.3 s, redirect takes 2.5 s", link: "shop" },
    right: { requests: 2, arrivals: 1, counted: 2 },
    async run(visit) {
      await loadThenBreak(visit, "shop", VERY_SLOW, SLOW);
      await visit.tapTwice("shop", "mouse", LATER_MS);
      await visit.arrived("shop");
    },
  },
  newTabs("two new tabs, 150 ms apart", IMPATIENT_MS, 1),
  newTabs("two new tabs, 1.3 s apart", LATER_MS, 2),
  back("back and tap again", LATER_MS),
  back("back and tap again at once", 0),
  {
    ...{ name: "tab closed at once", link: "shop" },
    right: { requests: [0, 1], arrivals: [0, 1], counted: "requests" },
    async run(visit) {
      await visit.load();
      await visit.tap("shop");
      await visit.tab.leave();
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
  { ...plain("mouse", "no JavaScript"), scripts: false },
  lost("shop", {
    ...{ name: "no JavaScript, answer lost: two clicks", scripts: false },
    // Nothing says that the second request is not a person's (docs/contract.md section 4).
    right: { requests: 2, arrivals: 1, counted: 2 },
  }),
  broken("page script blocked", "script", always({ end: "block" })),
  broken("page script answers 500", "script", always({ foreign: { status: 500 } })),
  broken("page script cut", "script", always(CUT)),
  broken("page script 1 s late", "script", [LATE]),
  broken("page cut, then loaded again", "page", [CUT], { loads: 2 }),
  broken("page 1 s late", "page", [LATE]),
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
  answeredByOthers("mail link, somebody else answers"),
  answeredByOthers("the same, and the beacon arrived", { is_processed: true }),
  twice("mail", "mail link, twice in 150 ms", IMPATIENT_MS, 1),
  twice("phone", "telephone link, twice in 1.3 s", LATER_MS, 2),
  lost("contact", { name: "contact card, answer lost" }),
  lost("file", { name: "download, first answer lost", right: TWO_STEPS_ONE_REPEATED }),
  lost("file", {
    name: "download, file's answer lost",
    right: TWO_STEPS_ONE_REPEATED,
    async run(visit) {
      await visit.load();
      visit.break(isFile, LOST);
      await visit.tap("file");
      await visit.arrived("file");
    },
  }),
  impatient("file", "download, second tap after 150 ms"),
  addresses("clean address in the menu", "right"),
  addresses("clean address after a tap", "middle"),
];
