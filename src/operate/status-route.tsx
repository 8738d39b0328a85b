import { dependencyDown } from "../http/api-error.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { edgeLimit } from "../http/edge-limit.ts";
import { STATUS_JSON_PATH, STATUS_PATH } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { fetchCached } from "../pages/cache/page-cache.ts";
import { LOCALES } from "../views/locale.ts";
import { STATUS_REUSED_S } from "./render-status.ts";
import { asOf, type ServiceStatus, statusOf } from "./status.ts";
import { StatusPage } from "./status-page.tsx";

const CACHE_CONTROL = `public, max-age=${STATUS_REUSED_S}`;

export const status = new Hono<AppEnv>();

/** Null if the monitor does not answer; else at most a minute old. */
async function readStatus(c: AppContext): Promise<ServiceStatus | null> {
  const response = await fetchCached(c, STATUS_PATH);
  if (response.status !== 200) {
    await response.body?.cancel();
    return null;
  }
  return asOf(await response.json<ServiceStatus>(), Date.now());
}

/** 200 `{ok, state, measured_at, components, incidents}` (docs/contract.md section 7). */
status.get(STATUS_JSON_PATH, edgeLimit, async (c) => {
  const found = await readStatus(c);
  if (found === null) throw dependencyDown();
  return c.json({ ok: true, ...found }, 200, { "Cache-Control": CACHE_CONTROL });
});
status.all(STATUS_JSON_PATH, onlyMethods("GET"));

/** The page in the reader's language, and below it in each. 200 HTML, also without a status. */
for (const fixed of [undefined, ...LOCALES]) {
  const address = fixed === undefined ? STATUS_PATH : `${STATUS_PATH}/${fixed}`;
  status.get(address, edgeLimit, async (c) => {
    const locale = fixed ?? readerLanguage(c);
    const found = (await readStatus(c)) ?? statusOf(null, Date.now());
    c.header("Content-Language", locale);
    if (fixed === undefined) c.header("Vary", "Accept-Language");
    c.header("Cache-Control", CACHE_CONTROL);
    return c.html(`<!DOCTYPE html>${<StatusPage status={found} locale={locale} />}`);
  });
  status.all(address, onlyMethods("GET"));
}
