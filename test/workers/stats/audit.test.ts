/**
 * The audit: anyone who owns a page can check that accepted = flushed + pending (docs/contract.md section 2,
 * promise 4).
 */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Audit, auditOf } from "../../../src/stats/audit.ts";
import type { AuditRows } from "../../../src/stats/audit-store.ts";
import { removeLinkSql } from "../../plain-page.ts";
import { breakD1 } from "../kit/faults.ts";
import { signIn } from "../kit/hub-kit.ts";
import { beacon, call, freshPage, pageObject } from "../kit/kit.ts";

const OWNER = "demo-pro";
const Cookie = await signIn(OWNER);

async function audit(page_id: string): Promise<Audit> {
  const response = await call(`/api/me/pages/${page_id}/audit`, { headers: { Cookie } });
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
}

async function pageWithEvents() {
  const { page_id } = await freshPage({ owner_id: OWNER });
  for (const link_id of [undefined, undefined, "shop", "contact"])
    await beacon({ page_id, link_id });
  await beacon({ page_id }, { headers: { "User-Agent": "Googlebot/2.1" } });
  return page_id;
}

/** Changes what D1 has of a link's clicks. */
async function add(page_id: string, link_id: string, n: number): Promise<void> {
  await env.DB.prepare("UPDATE tallies SET n = n + ?3 WHERE page_id = ?1 AND link_id = ?2")
    .bind(page_id, link_id, n)
    .run();
}

describe("the audit", () => {
  test("is exact before a flush, after it, and with more on its way; for the page and every link", async () => {
    const page_id = await pageWithEvents();
    expect(await audit(page_id)).toMatchObject({ accepted: 5, flushed: 0, pending: 5, drift: 0 });
    await pageObject(page_id).flush();
    await beacon({ page_id, link_id: "shop" });
    const entry = (accepted: number, pending = 0) => ({
      accepted,
      flushed: accepted - pending,
      pending,
      drift: 0,
    });
    expect(await audit(page_id)).toEqual({
      ok: true,
      accepted: 6,
      flushed: 5,
      pending: 1,
      drift: 0,
      exact: true,
      views: entry(3),
      links: [
        { link_id: "shop", label: "المتجر", removed: false, ...entry(2, 1) },
        { link_id: "video", label: "فيديو", removed: false, ...entry(0) },
        { link_id: "mail", label: "راسلني", removed: false, ...entry(0) },
        { link_id: "contact", label: "حفظ جهة الاتصال", removed: false, ...entry(1) },
      ],
    });
  });

  test("keeps the entry of a link that is no longer on the page", async () => {
    const page_id = await pageWithEvents();
    await pageObject(page_id).flush();
    await env.DB.prepare(removeLinkSql("shop")).bind(page_id).run();
    const { links, drift } = await audit(page_id);
    expect(drift).toBe(0);
    expect(links.find(({ link_id }) => link_id === "shop")).toMatchObject({
      label: null,
      removed: true,
      accepted: 1,
    });
    await env.DB.prepare("INSERT INTO removed_links VALUES (?1, 'shop', ?2, 0)")
      .bind(page_id, JSON.stringify({ en: "The shop" }))
      .run();
    expect((await audit(page_id)).links.find(({ link_id }) => link_id === "shop")).toMatchObject({
      label: "The shop",
      removed: true,
    });
  });

  test("F3: is exact where D1 has written and its reply got lost", async () => {
    const page_id = await pageWithEvents();
    const d1 = breakD1("after");
    await expect(Promise.resolve(pageObject(page_id).flush())).rejects.toThrow();
    d1.mend();
    expect((await pageObject(page_id).totals()).every(({ flushed }) => flushed === 0)).toBe(true);
    expect(await audit(page_id)).toMatchObject({
      accepted: 5,
      flushed: 5,
      pending: 0,
      exact: true,
    });
  });

  test("notices an event too many in D1, and one too few", async () => {
    const page_id = await pageWithEvents();
    await pageObject(page_id).flush();
    await add(page_id, "shop", 1);
    const more = await audit(page_id);
    expect(more).toMatchObject({ accepted: 5, flushed: 6, pending: 0, drift: 1, exact: false });
    expect(more.links[0]).toMatchObject({ link_id: "shop", drift: 1 });
    expect(more.views.drift).toBe(0);
    await add(page_id, "shop", -2);
    expect(await audit(page_id)).toMatchObject({ accepted: 5, flushed: 4, pending: 0, drift: -1 });
  });

  test("of one link too many does not hide one too few of another", async () => {
    const page_id = await pageWithEvents();
    await pageObject(page_id).flush();
    await add(page_id, "shop", 1);
    await add(page_id, "contact", -1);
    const { links, drift, exact } = await audit(page_id);
    expect([drift, exact]).toEqual([0, false]);
    expect(links.filter(({ drift }) => drift !== 0).map(({ drift }) => drift)).toEqual([1, -1]);
  });

  test("leaves out imported history, which no page object has counted", async () => {
    const page_id = await pageWithEvents();
    for (const shard of [-1, -2]) {
      await env.DB.prepare("INSERT INTO tallies VALUES (?1, 0, 'view', '', 'human', ?2, 500)")
        .bind(page_id, shard)
        .run();
    }
    expect(await audit(page_id)).toMatchObject({ accepted: 5, flushed: 0, pending: 5, drift: 0 });
  });

  test("adds up whatever D1 and the object say (any numbers), and is 0 only where D1 may have that number", () => {
    const link = fc.record({ accepted: fc.nat(50), confirmed: fc.nat(50), in_d1: fc.nat(60) });
    fc.assert(
      fc.property(fc.array(link, { maxLength: 4 }), (links) => {
        const rows = {
          page: { has_contact: false, locale: "ar" },
          links: [],
          removed: [],
          flushed: links.map(({ in_d1 }, i) => ({ link_id: `l${i}`, n: in_d1 })),
        } as unknown as AuditRows;
        const totals = links.map(({ accepted, confirmed }, i) => {
          const flushed = Math.min(accepted, confirmed);
          return {
            kind: "click" as const,
            link_id: `l${i}`,
            class: "human" as const,
            accepted,
            flushed,
            pending: accepted - flushed,
          };
        });
        const found = auditOf(rows, { totals, watermark: 0, version: "", stats: "DB" });
        for (const account of [found, found.views, ...found.links]) {
          expect(account.accepted + account.drift).toBe(account.flushed + account.pending);
          expect(account.pending).toBeGreaterThanOrEqual(0);
        }
        found.links.forEach(({ drift, flushed, accepted }, i) => {
          const may = (totals[i]?.flushed ?? 0) <= flushed && flushed <= accepted;
          expect(drift === 0).toBe(may);
        });
      }),
    );
  });
});
