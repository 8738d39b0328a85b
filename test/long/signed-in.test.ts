/** What all signed-in pages share, in a real browser: digits, text size, the bell, and the list of pages. */
import type { Page as Tab } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, PHONE, visitor } from "../browser/browser-kit.ts";
import { signInAt } from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { seedHistory } from "../demo/seed-history.ts";

const ARABIC_DIGITS = "٠١٢٣٤٥٦٧٨٩";
const LATIN_DIGITS = "0123456789";

/** The widths of each digit in the page's face, without duplicates, in hundredths of a pixel. */
function widths(tab: Tab, digits: string, weight: number): Promise<number[]> {
  return tab.evaluate(
    async ([digits, weight]) => {
      const main = document.querySelector("main");
      const span = document.createElement("span");
      span.className = "number";
      span.setAttribute("style", `position:absolute;white-space:nowrap;font-weight:${weight}`);
      main?.append(span);
      const found = new Set<number>();
      for (const digit of digits) {
        span.textContent = digit.repeat(20);
        await document.fonts.load(getComputedStyle(span).font, digit);
        found.add(Math.round(span.getBoundingClientRect().width * 5));
      }
      span.remove();
      return [...found];
    },
    [digits, weight] as const,
  );
}

/** The right edges of the numbers in each column of a table, in pixels. */
function rightEdges(tab: Tab, table: string): Promise<number[][]> {
  return tab.locator(table).evaluate((element) => {
    const rightOf = (cell: Element) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return Math.round(range.getBoundingClientRect().right);
    };
    const rows = [...element.querySelectorAll("tbody tr:not([hidden])")].map((row) =>
      [...row.querySelectorAll("td")].map(rightOf),
    );
    return (rows[0] ?? []).map((_, i) => rows.map((row) => row[i] ?? 0));
  });
}

/** By how many pixels the page is wider than the window. */
const overflow = (tab: Tab) =>
  tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

inBrowser("a signed-in page", (world) => {
  beforeAll(async () => {
    await seedHistory(await world.server.db(), Date.now());
  });

  test("has digits of one width, in Arabic and in Latin, regular and bold", async () => {
    await using owner = await visitor(world, { ...DESKTOP, bypassCSP: true });
    await signInAt(owner.tab, "/dashboard");
    for (const digits of [ARABIC_DIGITS, LATIN_DIGITS]) {
      for (const weight of [400, 600]) {
        expect([digits, weight, await widths(owner.tab, digits, weight)]).toEqual([
          digits,
          weight,
          [expect.any(Number)],
        ]);
      }
    }
  });

  test("stands the ones of a column under each other in both directions", async () => {
    await using owner = await visitor(world);
    await signInAt(owner.tab, "/dashboard/demo?range=30d");
    for (const query of ["range=30d", "range=30d&digits=latn", "range=30d&lang=en"]) {
      await owner.tab.goto(`/dashboard/demo?${query}`);
      for (const column of await rightEdges(owner.tab, "table[data-links]")) {
        expect([query, new Set(column).size]).toEqual([query, 1]);
        expect(column.length).toBeGreaterThan(2);
      }
    }
  });

  test("changes its digits by a link in the account menu, also without a script, and keeps them", async () => {
    await using owner = await visitor(world, { ...PHONE, javaScriptEnabled: false });
    const { tab } = owner;
    await signInAt(tab, "/dashboard");
    await tab.locator(".account > summary").click();
    await tab.getByRole("link", { name: "اكتب الأرقام 0123" }).click();
    await tab.goto("/dashboard/demo?range=30d");
    await expect.poll(() => tab.locator('[data-live="views"]').textContent()).toMatch(/^[\d,]+$/);
    await tab.locator(".account > summary").click();
    await tab.getByRole("link", { name: "اكتب الأرقام ٠١٢٣" }).click();
    await expect.poll(() => tab.locator('[data-live="views"]').textContent()).toMatch(/^[٠-٩٬]+$/);
  });

  test.for(["ar", "en"])(
    "fits a phone with the text at double size, menus open: %s",
    async (lang) => {
      await using owner = await visitor(world, {
        ...PHONE,
        viewport: { width: 360, height: 800 },
        bypassCSP: true,
      });
      const { tab } = owner;
      await signInAt(tab, `/dashboard?lang=${lang}`);
      for (const path of [
        "/dashboard?",
        "/dashboard/notifications?",
        "/dashboard/demo?range=30d&",
        "/dashboard/demo?range=today&",
      ]) {
        await tab.goto(`${path}lang=${lang}`);
        await tab.addStyleTag({ content: ":root { font-size: 200% !important }" });
        expect([path, await overflow(tab)]).toEqual([path, 0]);
        for (const menu of await tab.locator("details").all()) {
          await menu.evaluate((details) => details.setAttribute("open", ""));
        }
        expect([path, "open", await overflow(tab)]).toEqual([path, "open", 0]);
      }
    },
  );

  test("says how much is new, and what was shown is not new any more", async () => {
    await using owner = await visitor(world);
    const { tab } = owner;
    for (const n of [1, 2]) {
      const told = { text: `خبر ${n}`, text_en: `News ${n}`, url: null };
      await world.hub.control("POST", "/notify", { user_id: DEMO_OWNER, ...told });
    }
    await signInAt(tab, "/dashboard?lang=en");
    await expect
      .poll(async () => {
        await tab.reload();
        return tab.locator("[data-bell]").textContent();
      })
      .toBe("Notifications2 (2 new notifications)");
    const marked = tab.waitForResponse("**/api/me/notifications/read");
    await tab.locator("[data-bell]").click();
    expect((await marked).status()).toBe(200);
    await tab.locator(".unread").waitFor({ state: "hidden" });
    // Still marked while they are being read.
    await expect.poll(() => tab.locator(".fresh:visible").count()).toBe(2);
    await tab.reload();
    await expect.poll(() => tab.locator(".fresh").count()).toBe(0);
    await expect.poll(() => tab.locator("[data-bell]").textContent()).toBe("Notifications");
  });

  test("marks older notifications at a click, and says so", async () => {
    await using owner = await visitor(world);
    const { tab } = owner;
    for (let n = 1; n <= 21; n += 1) {
      const told = { text: `خبر ${n}`, text_en: `News ${n}`, url: null };
      await world.hub.control("POST", "/notify", { user_id: DEMO_OWNER, ...told });
    }
    await signInAt(tab, "/dashboard?lang=en");
    await expect
      .poll(async () => {
        await tab.reload();
        return tab.locator(".unread").textContent();
      })
      .toBe("21");
    await tab.locator("[data-bell]").click();
    await tab.getByRole("button", { name: "Mark all as read" }).click();
    await expect
      .poll(() => tab.locator("[data-announcer]").textContent())
      .toBe("All notifications are read.");
    await tab.reload();
    await expect.poll(() => tab.locator("[data-bell]").textContent()).toBe("Notifications");
  });

  test("copies a page's address from the list, and undoes a deletion", async () => {
    await using owner = await visitor(world, { ...DESKTOP, bypassCSP: true });
    const { context, tab } = owner;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signInAt(tab, "/dashboard?lang=en");
    const copy = tab.locator('[data-copy$="/demo"]');
    await copy.click();
    await expect.poll(() => copy.textContent()).toBe("Copied");
    await expect.poll(() => tab.locator("[data-announcer]").textContent()).toBe("Copied");
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe(`${world.origin}/demo`);
    await tab.evaluate(async () => {
      const token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
      const page = await fetch("/api/me/pages/demo-en");
      const headers = { "X-CSRF-Token": token, "If-Match": page.headers.get("ETag") ?? "" };
      await fetch("/api/me/pages/demo-en", { method: "DELETE", headers });
    });
    await tab.reload();
    const undo = tab.getByRole("button", { name: "Undo the deletion" });
    await undo.waitFor();
    expect(await breaches(tab)).toEqual([]);
    await undo.click();
    await tab.locator('[data-copy$="/demo-en"]').waitFor();
    await expect.poll(() => tab.locator("[data-undelete]").count()).toBe(0);
  });

  test("opens and closes the account menu with the keyboard, and says whose account it is", async () => {
    await using owner = await visitor(world);
    const { tab } = owner;
    await signInAt(tab, "/dashboard?lang=en");
    const summary = tab.locator(".account > summary");
    await expect.poll(() => summary.textContent()).toContain("ليان الحوراني");
    await summary.focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("button", { name: "Sign out" }).waitFor();
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Escape");
    await tab.getByRole("button", { name: "Sign out" }).waitFor({ state: "hidden" });
    expect(await summary.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
