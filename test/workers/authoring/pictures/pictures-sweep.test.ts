import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { endPage } from "../../../../src/accounts/end-page.ts";
import { UNUSED_PICTURE_HOURS } from "../../../../src/authoring/pictures/limits.ts";
import { readPicture } from "../../../../src/authoring/pictures/picture-header.ts";
import {
  deleteEndedPictures,
  endUnusedPictures,
  findPictures,
  reservePicture,
  touchPictures,
} from "../../../../src/authoring/pictures/pictures-store.ts";
import { storePicture } from "../../../../src/authoring/pictures/store-picture.ts";
import { sweepPictures } from "../../../../src/authoring/pictures/sweep-pictures.ts";
import { runCron } from "../../../../src/cron.ts";
import { documentOf, type Page } from "../../../../src/pages/document/pages-store.ts";
import { cardPhotoKey } from "../../../../src/pages/document/picture-keys.ts";
import { savePage } from "../../../../src/pages/document/save-page.ts";
import { cases, seedOfTheDay } from "../../kit/cases.ts";
import { breakD1 } from "../../kit/faults.ts";
import { errorOf, expectErrors, freshPage } from "../../kit/kit.ts";
import { creator } from "../authoring-kit.ts";
import { bytesOf, pngChunk, sample } from "./picture-samples.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = UNUSED_PICTURE_HOURS * HOUR_MS;
const NOW = Date.now();
const r2: R2Bucket = Object.getPrototypeOf(env.MEDIA);

/** The n-th picture: another palette makes another hash. */
function pictureOf(n: number) {
  const png = sample("png");
  return readPicture(bytesOf(png.subarray(0, 33), pngChunk("sBIT", [n, 1, 1]), png.subarray(33)));
}

async function stored(page_id: string, n = 1, now = NOW): Promise<string> {
  const storing = { page_id, is_photo: true, charge: async () => {} };
  return (await storePicture(env, storing, pictureOf(n), now)).stored.key;
}

/** Saves a page with this avatar, as the routes do; returns the page that was saved. */
async function saveAvatar(page: Page, avatar: string | null, now = NOW): Promise<Page> {
  const saved = await savePage(
    env.DB,
    page,
    { document: { ...documentOf(page), avatar } },
    {
      what: ["avatar"],
      more: (save_id) => [
        touchPictures(env.DB, page.page_id, avatar === null ? [] : [avatar], save_id, now),
      ],
    },
    now,
  );
  if (saved.outcome !== "saved") throw new Error(saved.outcome);
  return saved.page;
}

async function isStored(key: string): Promise<{ row: boolean; r2: boolean; card: boolean }> {
  const row = await env.DB.prepare("SELECT 1 FROM pictures WHERE key = ?1").bind(key).first();
  const [picture, card] = [await env.MEDIA.head(key), await env.MEDIA.head(cardPhotoKey(key))];
  return { row: row !== null, r2: picture !== null, card: card !== null };
}

/** Why a transaction fails that names a picture that is not there. */
const MISSING = /NOT NULL constraint failed: pictures/;

const GONE = { row: false, r2: false, card: false };
const THERE = { row: true, r2: true, card: true };

describe("a picture that no page uses", () => {
  test("is gone a day after its last upload, with its JPEG, and not before", async () => {
    const { page_id } = await freshPage();
    const key = await stored(page_id);
    await stored(page_id, 1, NOW + HOUR_MS);
    await sweepPictures(env, NOW + HOUR_MS + DAY_MS - 1);
    expect(await isStored(key)).toEqual(THERE);
    await sweepPictures(env, NOW + HOUR_MS + DAY_MS);
    expect(await isStored(key)).toEqual(GONE);
  });

  test("is gone a day after the save that dropped it; one in use stays", async () => {
    const page = await freshPage();
    const [one, two] = [await stored(page.page_id, 1), await stored(page.page_id, 2)];
    const first = await saveAvatar(page, one);
    await sweepPictures(env, NOW + 100 * DAY_MS);
    expect([await isStored(one), await isStored(two)]).toEqual([THERE, GONE]);
    const third = await stored(page.page_id, 3, NOW + 100 * DAY_MS);
    const second = await saveAvatar(first, third, NOW + 100 * DAY_MS);
    await sweepPictures(env, NOW + 101 * DAY_MS - 1);
    expect([await isStored(one), await isStored(third)]).toEqual([THERE, THERE]);
    await saveAvatar(second, one, NOW + 101 * DAY_MS - 1);
    await sweepPictures(env, NOW + 101 * DAY_MS);
    expect([await isStored(one), await isStored(third)]).toEqual([THERE, THERE]);
    await sweepPictures(env, NOW + 200 * DAY_MS);
    expect([await isStored(one), await isStored(third)]).toEqual([THERE, GONE]);
  });

  test("is kept where the document names it, although no save noted that", async () => {
    const { page_id } = await freshPage();
    const key = await stored(page_id);
    await env.DB.prepare(
      "UPDATE pages SET document = json_set(document, '$.links[0].image', ?2) WHERE page_id = ?1",
    )
      .bind(page_id, key)
      .run();
    await sweepPictures(env, NOW + DAY_MS);
    expect(await isStored(key)).toEqual(THERE);
    const row = await env.DB.prepare("SELECT unused_since FROM pictures WHERE key = ?1")
      .bind(key)
      .first();
    expect(row).toEqual({ unused_since: null });
  });

  test("of which only the row or only the reservation was stored is gone too", async () => {
    const { page_id } = await freshPage();
    expectErrors();
    const put = vi.spyOn(r2, "put").mockRejectedValue(new Error("R2 refuses"));
    await stored(page_id).catch(() => undefined);
    put.mockRestore();
    const count = "SELECT count(*) AS n FROM pictures WHERE page_id = ?1";
    expect(await env.DB.prepare(count).bind(page_id).first("n")).toBe(1);
    await sweepPictures(env, NOW + DAY_MS);
    expect(await env.DB.prepare(count).bind(page_id).first("n")).toBe(0);
  });
});

test("one run deletes 500 pictures, and the next one the others", async () => {
  const { page_id } = await freshPage();
  await sweepPictures(env, NOW + DAY_MS);
  await env.DB.prepare(
    `INSERT INTO pictures
     SELECT 'pictures/' || ?1 || '/' || value || '.png', ?1, 'image/png', 1, 1, 1, ?2, ?2
     FROM json_each(?3)`,
  )
    .bind(page_id, NOW, JSON.stringify(Array.from({ length: 501 }, (_, i) => i)))
    .run();
  expect(await sweepPictures(env, NOW + DAY_MS)).toBe(500);
  expect(await sweepPictures(env, NOW + DAY_MS)).toBe(1);
  expect(await sweepPictures(env, NOW + DAY_MS)).toBe(0);
});

describe("a page that ended", () => {
  test("loses all its pictures at the next run, whoever deleted its row", async () => {
    const [ended, deleted, other] = [await freshPage(), await freshPage(), await freshPage()];
    const keys = await Promise.all([ended, deleted, other].map((page) => stored(page.page_id)));
    const second = await stored(ended.page_id, 2);
    await endPage(env.DB, ended.page_id, NOW);
    await env.DB.prepare("DELETE FROM pages WHERE page_id = ?1").bind(deleted.page_id).run();
    await runCron(env, NOW + 30_000);
    for (const key of [keys[0], keys[1], second]) expect(await isStored(key ?? "")).toEqual(GONE);
    expect(await isStored(keys[2] ?? "")).toEqual(THERE);
  });

  test("keeps them while its deletion can be undone", async () => {
    const page = await freshPage();
    const key = await stored(page.page_id);
    const saved = await saveAvatar(page, key);
    await env.DB.prepare("UPDATE pages SET ends_at = ?2 WHERE page_id = ?1")
      .bind(saved.page_id, NOW + 1)
      .run();
    await sweepPictures(env, NOW + 10 * DAY_MS);
    expect(await isStored(key)).toEqual(THERE);
  });

  test("F25: gets no picture from an upload that was on its way, and leaves none", async () => {
    const { page_id } = await freshPage();
    const put = r2.put;
    vi.spyOn(r2, "put").mockImplementation(async function (
      this: R2Bucket,
      ...args: Parameters<typeof put>
    ) {
      await endPage(env.DB, page_id, NOW);
      await sweepPictures(env, NOW);
      return put.apply(this, args);
    } as typeof put);
    await expect(stored(page_id)).rejects.toMatchObject({ code: "DEPENDENCY_DOWN" });
    expect((await env.MEDIA.list({ prefix: `pictures/${page_id}/` })).objects).toEqual([]);
    const { results } = await env.DB.prepare("SELECT key FROM pictures WHERE page_id = ?1")
      .bind(page_id)
      .all();
    expect(results).toEqual([]);
  });
});

describe("while a store fails, the sweep", () => {
  test("repeats what R2 refused, and logs it", async () => {
    const { page_id } = await freshPage();
    const key = await stored(page_id);
    const logged = expectErrors();
    const remove = vi.spyOn(r2, "delete").mockRejectedValue(new Error("R2 refuses"));
    expect(await sweepPictures(env, NOW + DAY_MS)).toBe(0);
    expect(logged()).toEqual(["picture_sweep_failed"]);
    expect(await isStored(key)).toEqual(THERE);
    // It may be gone from R2 at any time, so no page can begin to use it.
    expect(await findPictures(env.DB, page_id, [key])).toEqual(new Set());
    remove.mockRestore();
    expect(await sweepPictures(env, NOW + DAY_MS)).toBeGreaterThan(0);
    expect(await isStored(key)).toEqual(GONE);
  });

  test.each(["before", "after"] as const)(
    "deletes nothing from R2 while D1 fails %s it writes, and finishes later",
    async (when) => {
      const { page_id } = await freshPage();
      const key = await stored(page_id);
      expectErrors();
      const { mend } = breakD1(when);
      await sweepPictures(env, NOW + DAY_MS);
      mend();
      expect(await isStored(key)).toEqual(THERE);
      await sweepPictures(env, NOW + DAY_MS);
      expect(await isStored(key)).toEqual(GONE);
    },
  );
});

describe("a save at the same moment as the sweep", () => {
  test("fails as a whole where the sweep was first", async () => {
    const page = await freshPage();
    const key = await stored(page.page_id);
    expect(await findPictures(env.DB, page.page_id, [key])).toEqual(new Set([key]));
    await endUnusedPictures(env.DB, 500, NOW + DAY_MS);
    await expect(saveAvatar(page, key)).rejects.toThrow(MISSING);
    const row = await env.DB.prepare(
      "SELECT version, document ->> '$.avatar' AS avatar FROM pages WHERE page_id = ?1",
    )
      .bind(page.page_id)
      .first();
    expect(row).toEqual({ version: 1, avatar: null });
  });

  test("that came second to another save touches no picture", async () => {
    const page = await freshPage();
    const [one, two] = [await stored(page.page_id, 1), await stored(page.page_id, 2)];
    await saveAvatar(page, one);
    await expect(saveAvatar(page, two)).rejects.toThrow("refused");
    await sweepPictures(env, NOW + DAY_MS);
    expect([await isStored(one), await isStored(two)]).toEqual([THERE, GONE]);
  });

  test("S22: cannot use a picture of another page, one that never existed, or one half stored", async () => {
    const [page, other] = [await freshPage(), await freshPage()];
    const theirs = await stored(other.page_id);
    const half = { ...(await pendingPicture(page.page_id)) };
    for (const key of [half.key, `pictures/${page.page_id}/none.png`]) {
      expect(await findPictures(env.DB, page.page_id, [key])).toEqual(new Set());
      await expect(saveAvatar(page, key)).rejects.toThrow(MISSING);
    }
    // The transaction ignores keys of other folders, so routes must ask `findPictures`.
    expect(await findPictures(env.DB, page.page_id, [theirs])).toEqual(new Set());
    await saveAvatar(page, theirs);
    await sweepPictures(env, NOW + DAY_MS);
    expect(await isStored(theirs)).toEqual(GONE);
  });

  async function pendingPicture(page_id: string) {
    const picture = {
      ...{ key: `pictures/${page_id}/half.png`, page_id, type: "image/png" as const },
      ...{ bytes: 1, width: 1, height: 1 },
    };
    expect(await reservePicture(env.DB, picture, NOW)).toBe("reserved");
    return picture;
  }
});

describe("any order of uploads, saves, sweeps and faults", () => {
  const Step = fc.oneof(
    fc.record({ do: fc.constant("upload" as const), n: fc.nat(2) }),
    fc.record({ do: fc.constant("save" as const), n: fc.nat(3) }),
    fc.record({ do: fc.constant("wait" as const), hours: fc.constantFrom(1, 12, 24, 30) }),
    fc.record({ do: fc.constant("begin sweep" as const) }),
    fc.record({ do: fc.constant("delete from R2" as const) }),
    fc.record({ do: fc.constant("end sweep" as const) }),
    fc.record({ do: fc.constant("break D1" as const), when: fc.constantFrom("before", "after") }),
  );

  test("property: a used picture is in R2, and after two quiet days nothing else is", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await fc.assert(
      fc.asyncProperty(fc.array(Step, { maxLength: 14 }), async (steps) => {
        let page: Page = await freshPage();
        const { page_id } = page;
        let now = NOW;
        let sweeping: string[] = [];
        let fault: { mend: () => void } | null = null;
        const keys = ["", "", ""];
        for (const step of steps) {
          const broken = fault;
          fault = null;
          try {
            if (step.do === "upload") keys[step.n] = await stored(page_id, step.n, now);
            if (step.do === "save") {
              const wanted = keys[step.n] || null;
              const found = await findPictures(env.DB, page_id, wanted === null ? [] : [wanted]);
              if (wanted === null || found.has(wanted)) page = await saveAvatar(page, wanted, now);
            }
            if (step.do === "wait") now += step.hours * HOUR_MS;
            // A sweep that died leaves its pictures to the next one.
            if (step.do === "begin sweep") sweeping = await endUnusedPictures(env.DB, 500, now);
            if (step.do === "delete from R2" && sweeping.length > 0) {
              await env.MEDIA.delete(sweeping.flatMap((key) => [key, cardPhotoKey(key)]));
            }
            if (step.do === "end sweep" && sweeping.length > 0) {
              await env.MEDIA.delete(sweeping.flatMap((key) => [key, cardPhotoKey(key)]));
              await deleteEndedPictures(env.DB, sweeping);
              sweeping = [];
            }
            if (step.do === "break D1") fault = breakD1(step.when as "before" | "after");
          } catch {
            // Refused, or D1 failed.
          } finally {
            broken?.mend();
          }
          if (fault !== null) continue;
          // The save may have been made although its answer was lost.
          const row = await env.DB.prepare("SELECT version, document FROM pages WHERE page_id = ?1")
            .bind(page_id)
            .first<{ version: number; document: string }>();
          page = { ...page, ...JSON.parse(row?.document ?? ""), version: row?.version ?? 0 };
          if (page.avatar !== null) expect((await isStored(page.avatar)).r2).toBe(true);
        }
        fault?.mend();
        for (let days = 1; days <= 2; days += 1) await sweepPictures(env, now + days * DAY_MS);
        const { objects } = await env.MEDIA.list({ prefix: `pictures/${page_id}/` });
        const used = page.avatar === null ? [] : [page.avatar, cardPhotoKey(page.avatar)];
        expect(objects.map(({ key }) => key).sort()).toEqual(used.sort());
      }),
      { numRuns: cases(150, 1 / 15), seed: seedOfTheDay() },
    );
  }, 120_000);
});

describe("a page's routes", () => {
  test("S22: refuse a picture of another page, and keep one that the page has from before uploads", async () => {
    const me = await creator("demo-pro");
    const [page, other] = [
      await freshPage({ owner_id: "demo-pro", avatar: "avatars/old.webp" }),
      await freshPage({ owner_id: "demo-pro", avatar: "avatars/other.webp" }),
    ];
    const [mine, theirs] = [await stored(page.page_id), await stored(other.page_id)];
    const patch = (version: number, document: object) =>
      me.send("PATCH", `/api/me/pages/${page.page_id}`, document, { "If-Match": `"v${version}"` });
    const card = { kind: "card", url: "https://shop.example/", label: { ar: "متجر" } };
    for (const image of [theirs, "avatars/other.webp", `pictures/${page.page_id}/none.png`]) {
      const refused = await patch(1, {
        links: [
          { ...card, image: mine },
          { ...card, image },
        ],
      });
      expect(refused.status).toBe(400);
      expect((await errorOf(refused)).details.issues).toEqual([
        { path: "links.1.image", message: "no picture of this page" },
      ]);
    }
    expect((await patch(1, { bio: { ar: "جديد" } })).status).toBe(200);
    expect((await patch(2, { links: [{ ...card, image: mine }] })).status).toBe(200);
    await sweepPictures(env, Date.now() + 10 * DAY_MS);
    expect([await isStored(mine), await isStored(theirs)]).toEqual([THERE, GONE]);
    expect((await patch(3, { links: [], avatar: null })).status).toBe(200);
    await sweepPictures(env, Date.now() + 10 * DAY_MS);
    expect(await isStored(mine)).toEqual(GONE);
  });

  test("restore a revision without the pictures that are gone", async () => {
    const me = await creator("demo-pro");
    const page = await freshPage({ owner_id: "demo-pro" });
    const key = await stored(page.page_id);
    const path = `/api/me/pages/${page.page_id}`;
    await me.send("PATCH", path, { avatar: key }, { "If-Match": '"v1"' });
    await me.send("PATCH", path, { avatar: null }, { "If-Match": '"v2"' });
    await sweepPictures(env, Date.now() + 10 * DAY_MS);
    const response = await me.send("POST", `${path}/revisions/2/restore`, undefined, {
      "If-Match": '"v3"',
    });
    expect(response.status).toBe(200);
    expect((await response.json<{ page: { avatar: null } }>()).page.avatar).toBeNull();
  });
});
