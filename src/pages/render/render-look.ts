import { withTimeout } from "../../../objects/platform/clock.ts";
import { IMMUTABLE } from "../../http/fixed-headers.ts";
import { isAccentSheetName } from "../../views/accent-sheet.ts";
import { ABSENCE_FRESHNESS, IMMUTABLE_FRESHNESS, STORE_TIMEOUT_MS } from "../cache/freshness.ts";
import { accentSheetKey } from "./accent-sheets.ts";

/** `/assets/look-<hash>.css`, a creator's own accent: 200, or 404 if it was never stored. */
export async function renderLook(env: Cloudflare.Env, { pathname }: URL): Promise<Response> {
  const name = pathname.slice("/assets/".length);
  const object = isAccentSheetName(name)
    ? await withTimeout(env.MEDIA.get(accentSheetKey(name)), STORE_TIMEOUT_MS)
    : null;
  if (object === null) return new Response(null, { status: 404, headers: ABSENCE_FRESHNESS });
  return new Response(object.body, {
    headers: {
      ...IMMUTABLE_FRESHNESS,
      "Content-Type": "text/css; charset=utf-8",
      "Cache-Control": IMMUTABLE,
      ETag: object.httpEtag,
    },
  });
}
