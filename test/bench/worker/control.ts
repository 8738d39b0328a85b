/**
 * What the bench asks of its Worker beside the requests that it measures:
 *
 *   /read             the meter since the last read
 *   /advance?ms=      moves the clock on; alarms run at their times. Answers the time
 *   /totals?prefix=&pages=&naive=   flushes the pages `<prefix>0` … and answers their `Totals`
 *   /prepare?page=&batches=   makes batches of events of this page in memory
 *   /record?page=     calls the page with each of these batches, one after another; answers how many were counted
 *   /fill-history, /history?view=   makes the fullest page, and reads its statistics: `history.ts`
 */
import type { HistoryView, Totals } from "../reading.ts";
import { prepareBatches, recordBatches } from "./batches.ts";
import { fillHistory, readHistory } from "./history.ts";
import { meter } from "./meter.ts";

const AT_ONCE = 10;

export async function control({ pathname, searchParams }: URL, env: Cloudflare.Env) {
  const text = (name: string) => searchParams.get(name) ?? "";
  const number = (name: string) => Number(text(name));
  switch (pathname) {
    case "/read":
      return Response.json(meter.read());
    case "/advance":
      return Response.json(await meter.advance(env, number("ms")));
    case "/totals": {
      const page_ids = Array.from({ length: number("pages") }, (_, n) => `${text("prefix")}${n}`);
      return Response.json(await totalsOf(env, page_ids, text("naive") === "true"));
    }
    case "/prepare":
      await prepareBatches(env, text("page"), number("batches"));
      return Response.json(null);
    case "/record":
      return Response.json(await recordBatches(env, text("page")));
    case "/fill-history":
      await fillHistory(env);
      return Response.json(null);
    case "/history":
      await readHistory(env, text("view") as HistoryView);
      return Response.json(null);
    default:
      return new Response(null, { status: 404 });
  }
}

async function totalsOf(
  env: Cloudflare.Env,
  page_ids: readonly string[],
  naive: boolean,
): Promise<Totals> {
  const totals: Totals = { objects: 0, d1: 0 };
  for (let from = 0; from < page_ids.length; from += AT_ONCE) {
    const some = page_ids.slice(from, from + AT_ONCE);
    const counted = await Promise.all(
      some.map((page_id) =>
        naive ? env.NAIVE_PAGE.getByName(page_id).flushedTotal() : flushed(env, page_id),
      ),
    );
    totals.objects += counted.reduce((sum, n) => sum + n, 0);
  }
  const row = await env.DB.prepare(
    `SELECT SUM(n) AS n FROM tallies
     WHERE class <> 'limited' AND page_id IN (SELECT value FROM json_each(?1))`,
  )
    .bind(JSON.stringify(page_ids))
    .first<{ n: number | null }>();
  totals.d1 = row?.n ?? 0;
  return totals;
}

/** The events of a page, after a flush. Refused ones are not acknowledged, so they are left out. */
async function flushed(env: Cloudflare.Env, page_id: string): Promise<number> {
  const page = env.PAGE.getByName(page_id);
  await page.flush();
  const totals = await page.totals();
  return totals.reduce((sum, total) => sum + (total.class === "limited" ? 0 : total.accepted), 0);
}
