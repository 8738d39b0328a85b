/**
 * The origin of the links in mails: that of the request, over https. A form that was sent over http must not put a
 * link with a token on the wire unencrypted; only `npm start` has no https.
 */
import { requireConfig } from "../http/config.ts";

export function siteOf(env: Cloudflare.Env, request_url: string): string {
  const url = new URL(request_url);
  if (requireConfig(env, "edge").EDGE_CACHE === "platform") url.protocol = "https:";
  return url.origin;
}
