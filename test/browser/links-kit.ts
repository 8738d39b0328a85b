import type { CDPSession, Locator, Page as Tab } from "playwright-core";

export const row = (tab: Tab, name: string) =>
  tab.locator(".row").filter({ has: tab.locator(".row-name", { hasText: name }) });
export const grip = (tab: Tab, name: string) => row(tab, name).locator(".row-grip");
/** The names of the rows, without the marks that keep a sign on its side. */
export const order = async (tab: Tab) =>
  (await tab.locator(".row .row-name").allTextContents()).map((name) =>
    name.replaceAll("\u200e", ""),
  );

export async function dragReady(tab: Tab): Promise<void> {
  // The library marks its lists by a property with its name and the time.
  await tab.waitForFunction(() => {
    const list = document.querySelector(".rows");
    return list !== null && Object.keys(list).some((name) => name.startsWith("Sortable"));
  });
}

export async function centre(of: Locator): Promise<{ x: number; y: number }> {
  const box = await of.boundingBox();
  if (box === null) throw new Error("not on the screen");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export function finger(cdp: CDPSession) {
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x = 0, y = 0) =>
    cdp.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x, y }],
    });
  return {
    down: (x: number, y: number) => touch("touchStart", x, y),
    up: () => touch("touchEnd"),
    /** In steps, each in a frame of its own. */
    async move(tab: Tab, from: { x: number; y: number }, to: { x: number; y: number }, steps = 12) {
      for (let step = 1; step <= steps; step += 1) {
        const part = step / steps;
        await touch("touchMove", from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
        await frame(tab);
      }
    },
  };
}

async function frame(tab: Tab): Promise<void> {
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(null))));
}

export function many(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    link_id: `n${n}`,
    label: { ar: `رابط ${n}.` },
    url: `https://n${n}.example.com/`,
  }));
}
