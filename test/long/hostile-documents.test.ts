/**
 * Hostile documents in a real browser: whatever a creator writes that the schema admits, and whatever
 * gets into the database by other means, no script runs, nothing is blocked by the CSP because nothing
 * tries, and the page fits 360 px (docs/security.md S8, S10, S11, S12).
 *
 * Random, and reproducible by the seed in the failure's message; `HOSTILE_SEED` repeats one.
 */
import { expect, test } from "vitest";
import { type BlockKind, isBlock } from "../../src/pages/document/block-kinds.ts";
import {
  DOWNLOAD_USES_MAX,
  TIP_AMOUNTS_MAX,
  TIP_POINTS_MAX,
} from "../../src/pages/document/limits.ts";
import {
  DOWNLOAD_ACCESS,
  DocumentInput,
  LINK_KINDS,
} from "../../src/pages/document/page-document.ts";
import type { Page } from "../../src/pages/document/pages-store.ts";
import { LOCALES, type Locale } from "../../src/views/locale.ts";
import { LOOK_VALUES } from "../../src/views/look-values.ts";
import { freshAddress, PHONE, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { generator, integer, pick, type Random } from "../random.ts";
import { ADDRESSES, hostileWords as words } from "./hostile-strings.ts";

const DOCUMENTS = process.env.TEST_WEEKLY === undefined ? 100 : 10_000;
const WIDTH_PX = 360;
const LINKS = 12;
const LINKS_MANY = 200;

/** A picture that is not there, and a page without a letter in the font of its language. */
const HARMLESS = /404 \(Not Found\)|was preloaded using link preload but not used/;

const inBoth = (random: Random) => ({
  ...(random() < 0.9 ? { ar: words(random) } : {}),
  ...(random() < 0.7 ? { en: words(random) } : {}),
});

/** What a block of this kind may offer. */
function block(kind: BlockKind, random: Random): object {
  const points = () => 1 + integer(pick([9, TIP_POINTS_MAX], random), random);
  const amounts = Array.from({ length: 1 + integer(TIP_AMOUNTS_MAX, random) }, points);
  const blocks: Record<BlockKind, object> = {
    tip: { amounts: [...new Set(amounts)] },
    download: {
      file_id: pick(["file-1", "__proto__", "x".repeat(64)], random),
      access: pick(DOWNLOAD_ACCESS, random),
      uses_max: pick([null, 1, DOWNLOAD_USES_MAX], random),
    },
    newsletter: {},
  };
  return blocks[kind];
}

/** What the schema makes of a random document; null where it refuses it. */
function admitted(random: Random): Omit<Page, "page_id"> | null {
  const look = Object.fromEntries(
    Object.entries(LOOK_VALUES).map(([axis, values]) => [
      axis,
      values[integer(values.length, random)],
    ]),
  );
  const locales = pick<Locale[]>([["ar"], ["en"], ["ar", "en"], ["en", "ar"]], random);
  const [locale = "ar"] = locales;
  const links = Array.from({ length: random() < 0.02 ? LINKS_MANY : integer(LINKS, random) });
  const { success, data } = DocumentInput.safeParse({
    locales,
    name: { ...inBoth(random), [locale]: [...words(random)].slice(0, 100).join("") },
    bio: inBoth(random),
    look: { ...look, accent: null },
    contact: random() < 0.5 ? { name: words(random), phones: [words(random)] } : null,
    links: links.map(() => {
      const kind = pick(LINK_KINDS, random);
      const addressed = kind === "link" || kind === "card" || kind === "social";
      return {
        kind,
        ...(isBlock(kind) ? { block: block(kind, random) } : {}),
        label: inBoth(random),
        url: addressed ? (GOOD_ADDRESSES[integer(GOOD_ADDRESSES.length, random)] ?? null) : null,
        highlight: random() < 0.2,
      };
    }),
  });
  return success ? plainPage({ page_id: "", ...data, links: withIds(data.links) }) : null;
}

/** Those of the addresses that the schema admits. */
const GOOD_ADDRESSES = ADDRESSES.filter(
  (url) => DocumentInput.safeParse({ name: { ar: "x" }, links: [{ url }] }).success,
);

function withIds<T extends object>(links: readonly T[]): (T & { link_id: string })[] {
  return links.map((link, i) => ({ ...link, link_id: `link-${i}` }));
}

/** A block that no route would have stored, of whatever kind. */
function plantedBlock(random: Random): object {
  return {
    amounts: pick([[], [words(random)], [-1, 1e300]], random),
    file_id: pick(["../../r/x/y", "//evil.example", words(random)], random),
    access: pick([...DOWNLOAD_ACCESS, "constructor", words(random)], random),
    uses_max: pick([null, -1, 1e300], random),
  };
}

/** A document that no route would have stored. */
function planted(random: Random): Omit<Page, "page_id"> {
  const links = Array.from({ length: LINKS }, () => ({
    kind: pick(LINK_KINDS, random),
    label: inBoth(random),
    url: pick(ADDRESSES, random),
    image: pick([null, "../../x.svg", '"onerror="window.__ran=1'], random),
    ...(random() < 0.7 ? { block: plantedBlock(random) as never } : {}),
  }));
  return plainPage({
    page_id: "",
    locales: [pick(LOCALES, random)],
    name: inBoth(random),
    bio: inBoth(random),
    avatar: pick(
      [null, "javascript:window.__ran=1", '"><script>window.__ran=1</script>.webp'],
      random,
    ),
    links: withIds(links),
  });
}

inBrowser("a page of a hostile document", (world) => {
  test(
    "S8, S10, S12: runs no script, breaks no rule of the CSP, and fits 360 px",
    async () => {
      const seed = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 32));
      const random = generator(seed);
      const db = await world.server.db();
      await using someone = await visitor(world, {
        ...PHONE,
        viewport: { width: WIDTH_PX, height: 740 },
      });
      const { tab } = someone;
      tab.on("dialog", (dialog) => dialog.dismiss());
      let admitted_n = 0;
      for (let n = 0; n < DOCUMENTS; n += 1) {
        const content = random() < 0.8 ? admitted(random) : planted(random);
        if (content === null) continue;
        admitted_n += 1;
        const name = `hostile-${n}`;
        await storePage(db, { ...content, page_id: name, slug: name, status: "published" });
        for (const [i, locale] of content.locales.entries()) {
          await tab.setExtraHTTPHeaders({ "CF-Connecting-IP": freshAddress() });
          const path = i === 0 ? `/${name}` : `/${name}/${locale}`;
          const response = await tab.goto(path, { waitUntil: "load" });
          const what = `seed ${seed}, document ${n}, ${path}`;
          expect(response?.status(), what).toBe(200);
          const found = await tab.evaluate((width) => {
            const outside = [...document.querySelectorAll("body *")].filter((element) => {
              const { left, right, width: own } = element.getBoundingClientRect();
              return own > 0 && (left < -0.5 || right > width + 0.5);
            });
            const innermost = outside.filter(
              (element) => !outside.some((other) => other !== element && element.contains(other)),
            );
            return {
              ran: "__ran" in window,
              scripts: document.scripts.length,
              frames: document.querySelectorAll("iframe, object, embed, base, style").length,
              // A tip jar's and a newsletter's are the only ones, and lead to this service.
              forms: [...document.forms].flatMap(({ action, method }) => {
                const form = `${method} ${action.replace(location.origin, "")}`;
                return form === "get /tip" || form === "post /api/newsletter" ? [] : [form];
              }),
              handlers: [...document.querySelectorAll("*")].filter((element) =>
                element.getAttributeNames().some((attribute) => attribute.startsWith("on")),
              ).length,
              // A download without an address is for those who come with a token.
              addresses: [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].filter(
                ({ protocol }) =>
                  !["http:", "https:", "mailto:", "tel:", "sms:"].includes(protocol),
              ).length,
              scrolls: document.documentElement.scrollWidth > width,
              outside: innermost.slice(0, 3).map((element) => element.outerHTML.slice(0, 120)),
            };
          }, WIDTH_PX);
          expect(found, what).toEqual({
            ran: false,
            scripts: 1,
            frames: 0,
            forms: [],
            handlers: 0,
            addresses: 0,
            scrolls: false,
            outside: [],
          });
        }
        const complaints = (await someone.complaints()).filter(
          (complaint) => !HARMLESS.test(complaint),
        );
        expect(complaints, `seed ${seed}, document ${n}`).toEqual([]);
      }
      expect(admitted_n).toBeGreaterThan(DOCUMENTS / 4);
    },
    DOCUMENTS * 1_000,
  );
});
