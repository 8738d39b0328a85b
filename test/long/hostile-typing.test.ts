/**
 * Hostile strings typed and pasted into every field of the editor: no script runs, the CSP has nothing
 * to block, and the preview has the HTML that the server makes of the same draft
 * (docs/security.md S8, S10, S12).
 *
 * Random, and reproducible by the seed in the failure's message; `HOSTILE_SEED` repeats one.
 */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import type { Draft } from "../../src/client/editor/draft.ts";
import { demoOwner, openEditor } from "../browser/creators.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { rendered, written } from "../browser/preview-html.ts";
import { EVERY_KIND } from "../every-kind.ts";
import { storePage } from "../plain-page.ts";
import { generator, integer, pick, type Random } from "../random.ts";
import { ADDRESSES, hostileWords } from "./hostile-strings.ts";

const STRINGS = process.env.TEST_WEEKLY === undefined ? 300 : 10_000;
/** Strings between two looks at the preview. */
const BATCH = 10;
const PANELS = ["links", "profile", "look"] as const;
const TIMEOUT_MS = 60_000 + STRINGS * 200;

/** Every field that takes text, in what is open of the panel. */
const FIELDS =
  ".panel :is(input:not([type]), input[type=text], input[type=url], input[type=tel], input[type=email], textarea)";

function hostile(random: Random): string {
  return random() < 0.4 ? pick(ADDRESSES, random) : hostileWords(random);
}

interface Shown {
  draft: Draft | null;
  body: string;
}

/** Types or pastes each string into one field, and returns what the preview then shows of which draft. */
async function type(tab: Tab, strings: readonly [field: number, text: string, paste: boolean][]) {
  return tab.evaluate(
    async ([selector, strings]): Promise<Shown> => {
      const painted = () => new Promise<void>((done) => requestAnimationFrame(() => done()));
      for (const [n, text, paste] of strings) {
        const fields = [...document.querySelectorAll<HTMLInputElement>(selector)];
        const field = fields[n % Math.max(fields.length, 1)];
        if (field === undefined) continue;
        field.focus();
        if (paste) {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          clipboardData.setData("text/html", text);
          const event = new ClipboardEvent("paste", {
            clipboardData,
            bubbles: true,
            cancelable: true,
          });
          if (!field.dispatchEvent(event)) continue;
        }
        field.value = text;
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        field.blur();
        await painted();
      }
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open("sila-editor");
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error);
      });
      const read = () =>
        new Promise<{ draft: Draft } | undefined>((resolve) => {
          // Behind the editor's own changes.
          const drafts = database.transaction("drafts", "readwrite").objectStore("drafts");
          const reading = drafts.getAll();
          reading.onsuccess = () => resolve(reading.result[0]);
        });
      // The editor stores what it was told last when it has stored what it was told before.
      for (const _ of [1, 2]) {
        await read();
        await painted();
      }
      const stored = await read();
      database.close();
      const frame = document.querySelector<HTMLIFrameElement>(".preview iframe");
      return {
        draft: stored?.draft ?? null,
        body: frame?.contentDocument?.body.innerHTML ?? "",
      };
    },
    [FIELDS, strings] as const,
  );
}

inBrowser("a hostile creator", (world) => {
  test(
    `types or pastes ${STRINGS} strings, and nothing runs`,
    async () => {
      const seed = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
      const random = generator(seed);
      await using owner = await demoOwner(world);
      const { tab } = owner;
      const dialogs: string[] = [];
      tab.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      // Saves get no answer, so that every draft stays one, and the limit of requests is not met.
      await owner.context.route("**/api/me/pages/*", (route) =>
        route.request().method() === "PUT" ? route.abort() : route.continue(),
      );
      const page = { ...EVERY_KIND, page_id: "hostile-typing", slug: "hostile-typing" };
      await storePage(await world.server.db(), page);
      let typed = 0;
      for (const panel of PANELS) {
        await openEditor(tab, page.page_id, { panel });
        for (let done = 0; done < STRINGS / PANELS.length; done += BATCH) {
          // Fields of links are in rows that open.
          const closed = tab.locator('.panel [aria-expanded="false"]');
          const count = await closed.count();
          if (count > 0) await closed.nth(integer(count, random)).click();
          const strings = Array.from(
            { length: BATCH },
            () => [integer(1_000, random), hostile(random), random() < 0.5] as const,
          );
          const { draft, body } = await type(
            tab,
            strings.map(([n, text, paste]) => [n, text, paste]),
          );
          typed += BATCH;
          if (draft !== null) {
            const expected = await written(tab, rendered(draft, page.page_id));
            expect(await written(tab, body), `seed ${seed}`).toBe(expected);
          }
          await tab.keyboard.press("Escape");
        }
        expect(await tab.evaluate(() => "__ran" in window), `seed ${seed}`).toBe(false);
      }
      expect(typed).toBeGreaterThanOrEqual(STRINGS);
      expect(dialogs.filter((text) => text !== "")).toEqual([]);
      const complaints = (await owner.complaints()).filter(
        (text) => !/^cookie |net::ERR_FAILED|404 \(Not Found\)|429/.test(text),
      );
      expect(complaints, `seed ${seed}`).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
