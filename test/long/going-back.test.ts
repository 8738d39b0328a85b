/**
 * The drill of docs/operations.md "Going back": databases of a running service go back to an older point, as by Time
 * Travel, while people visit, and the cron, which the test runs, has everything right again. Then that is undone.
 * What is counted is compared with what was acknowledged, row by row. The time is printed.
 */
import { afterEach, expect, test } from "vitest";
import { homeOf } from "../../objects/page/home/databases.ts";
import { Drill, OPERATOR, type Saved } from "./going-back-kit.ts";

const TEST_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 60_000;

/** By what happens to each. */
const PAGES = {
  layan: ["busy", "still", "edited", "ended-before", "ended", "deleted", "undone"],
  mona: ["left-before"],
  rima: ["left"],
};
const ALL = Object.values(PAGES).flat();

const CASES = [
  { stats: 0, names: ["DB"] },
  { stats: 2, names: ["DB"] },
  { stats: 2, names: ["STATS_0"] },
  { stats: 2, names: ["DB", "STATS_0", "STATS_1"] },
];

let drill: Drill | undefined;

afterEach(() => drill?.dispose(), STOP_TIMEOUT_MS);

test.for(CASES)(
  "F20, F25: with $stats databases of statistics, $names go back, and that is undone",
  { timeout: TEST_TIMEOUT_MS },
  async ({ stats, names }) => {
    const to = await Drill.start(stats, PAGES);
    drill = to;
    await to.visitAll([...ALL, ...ALL]);
    await to.tip("busy", 5);
    await to.subscribe("busy", "stays@example.com");
    const leaver = await to.subscribe("busy", "leaves@example.com");
    await to.end("layan", "ended-before");
    await to.save("layan", "DELETE", "/undone");
    await to.deleteUser("mona");
    await to.cron();
    await to.areCounted();
    const goBack = await to.pointOf(names);

    // What comes after that point.
    await to.visitAll(["busy", "still", "edited", "ended", "deleted", "left"]);
    await to.save("layan", "PATCH", "/edited", { name: { ar: "بعد" } });
    const input = { slug: "made", status: "published", name: { ar: "جديدة" } };
    const made = await to.save("layan", "POST", "", input);
    await to.tip("busy", 1);
    await to.subscribe("busy", "new@example.com");
    await to.send(`/newsletter/unsubscribe?token=${leaver}`, { method: "POST" });
    await to.end("layan", "ended");
    await to.save("layan", "DELETE", "/deleted");
    await to.save("layan", "POST", "/undone/undelete");
    await to.deleteUser("rima");
    for (let run = 0; run < 3; run += 1) await to.cron();
    await to.areCounted();
    const undo = await to.pointOf(names);

    const began_at = performance.now();
    await goBack();
    const hasMain = names.includes("DB");
    const lacksStill = names.includes(homeOf("still", to.stats));
    expect((await to.counted())["still/"]).toBe(lacksStill ? 2 : 3);
    // The object of a page that D1 lacks keeps what it counts. Once D1 has the page again, it is there.
    const without = hasMain ? [made.page_id] : [];
    // People are served, and pages that are public again until the cron runs are asked for, too.
    await to.visitAll(["busy", "edited"]);
    for (const page_id of ["ended", "deleted", "left", made.page_id]) {
      for (const status of await to.visit(page_id)) expect(status).toBeLessThan(500);
    }
    // The first run: deletions and what undid one, counts, the alert, and pages that were made since.
    await to.cron();
    const gone = { "ended-before": 404, "left-before": 404, ended: 404, deleted: 404, left: 404 };
    await to.shows({ ...gone, undone: 200 });
    await to.areCounted({ without });
    const after_ms = Math.round(performance.now() - began_at);
    await to.visitAll(["undone"]);
    await to.areCounted({ without });
    for (const page_id of ["busy", "still", "edited", "undone"]) {
      await to.expectNumbers("layan", page_id);
    }
    const tips = await to.ask("/api/me/pages/busy/tips", "layan");
    expect(tips).toMatchObject({ totals: { n: 2, points: 6 } });
    const list = await to.ask("/api/me/pages/busy/subscribers", "layan");
    const subscribers = [{ email: "new@example.com" }, { email: "stays@example.com" }];
    expect(list).toMatchObject({ subscribers, total: 2 });
    const alerts = hasMain ? [expect.stringContaining("was restored")] : [];
    await expect.poll(() => to.mailsTo(OPERATOR)).toEqual(alerts);
    const versions = { [made.page_id]: 1 };
    expect(await to.lacking()).toEqual(hasMain ? { isComplete: false, versions } : null);
    // The second run: the objects of all pages have been asked. There is no second alert.
    await to.cron();
    const all = { isComplete: true, versions: { ...versions, edited: 2 } };
    expect(await to.lacking()).toEqual(hasMain ? all : null);
    expect(await to.mailsTo(OPERATOR)).toEqual(alerts);
    console.info(`${names.join(", ")} went back: all was right after ${after_ms} ms`);

    // Creators go on with what D1 has. Then that is undone.
    await to.save("layan", "PATCH", "/edited", { name: { ar: "غيرها" } });
    await to.end("layan", "still");
    await to.cron();
    await to.areCounted({ without });
    await undo();
    await to.visitAll(["busy", "edited"]);
    await to.cron();
    await to.shows({ ...gone, still: 404, undone: 200, made: 200 });
    await to.areCounted();
    for (const page_id of ["busy", "edited", "undone", made.page_id]) {
      await to.expectNumbers("layan", page_id);
    }
    const { page } = await to.ask<{ page: Saved }>("/api/me/pages/edited", "layan");
    expect([page.version, page.name.ar]).toEqual(hasMain ? [2, "بعد"] : [3, "غيرها"]);
  },
);
