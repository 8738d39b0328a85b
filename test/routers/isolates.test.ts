/** Several isolates of the router, each with a memory of its own, in front of the same objects (F24). */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import { notePageChanged } from "../../src/pages/document/page-changes-store.ts";
import { editLinkSql } from "../plain-page.ts";
import {
  eventually,
  freshAddress,
  freshPage,
  ORIGIN,
  pageObject,
  sums,
} from "../workers/kit/kit.ts";
import { routersAt } from "../workers/kit/locations.ts";

const ISOLATES = 3;
const MOVE_SHOP = editLinkSql("shop", { url: "https://moved.example/" });
const SUSPEND = "UPDATE pages SET status = 'suspended' WHERE page_id = ?1";

test("F24: isolates with older caches all follow a change", async () => {
  const routers = await routersAt(ISOLATES);
  const { page_id } = await freshPage();
  const ask = async (path: string) => {
    const answers = routers.map(async (router) => {
      const ctx = createExecutionContext();
      const request = new Request(ORIGIN + path, {
        headers: { "CF-Connecting-IP": freshAddress() },
        redirect: "manual",
      });
      const answer = await router.fetch(request, env, ctx);
      await waitOnExecutionContext(ctx);
      return answer;
    });
    return Promise.all(answers);
  };
  const change = async (sql: string) => {
    await env.DB.batch([
      env.DB.prepare(sql).bind(page_id),
      notePageChanged(env.DB, page_id, Date.now()),
    ]);
    await pageObject(page_id).changed();
  };
  const locations = async () =>
    (await ask(`/r/${page_id}/shop`)).map(({ headers }) => headers.get("Location"));
  const statuses = async (path: string) => (await ask(path)).map(({ status }) => status);
  expect(await locations()).toEqual(Array(ISOLATES).fill("https://shop.example/"));
  // Its object is notified once; every isolate caches the old address for up to half a minute.
  await change(MOVE_SHOP);
  expect(await locations()).toEqual(Array(ISOLATES).fill("https://moved.example/"));
  await change(SUSPEND);
  expect(await statuses(`/r/${page_id}/shop`)).toEqual([410, 410, 410]);
  expect(await sums(page_id)).toMatchObject({ accepted: 6 });
});

test("F41: isolates count no more than EVENTS_PER_DAY together", async () => {
  const limit = 50;
  Object.assign(env, { EVENTS_PER_DAY: String(limit) });
  const routers = await routersAt(ISOLATES);
  // Loading them has ended the objects that ran before.
  await eventually(async () => env.MONITOR.getByName(MONITOR).usedUpAt());
  const { page_id } = await freshPage();
  const send = async (router: (typeof routers)[number]) => {
    const ctx = createExecutionContext();
    const body = JSON.stringify({ page_id });
    const headers = { "CF-Connecting-IP": freshAddress() };
    const request = new Request(`${ORIGIN}/api/analytics/view`, { method: "POST", body, headers });
    const { status } = await router.fetch(request, env, ctx);
    await waitOnExecutionContext(ctx);
    return status;
  };
  const statuses: number[] = [];
  for (let round = 0; round < 2 * limit; round += 1) {
    statuses.push(...(await Promise.all(routers.map(send))));
  }
  expect(new Set(statuses)).toEqual(new Set([202, 429]));
  expect(statuses.filter((status) => status === 202)).toHaveLength(limit);
  expect(await sums(page_id)).toMatchObject({ accepted: limit });
});
