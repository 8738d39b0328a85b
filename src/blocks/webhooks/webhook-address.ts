import { allowsLoopback } from "../../../objects/platform/local-setting.ts";
import { callable, ENDPOINT_RULES } from "../../../objects/platform/public-address.ts";
import { ApiError } from "../../http/api-error.ts";
import type { AppContext } from "../../http/context.ts";

/**
 * The stored spelling. Throws 400 for our own address, and one that may not be called (docs/security.md
 * S27).
 */
export function endpointAddress(c: Pick<AppContext, "env" | "req">, address: string): string {
  const allows_loopback = allowsLoopback(c.env);
  const url = callable(address.trim(), { ...ENDPOINT_RULES, allows_loopback });
  const own = new URL(c.req.url);
  if (
    url === null ||
    url.host === own.host ||
    (!allows_loopback && url.hostname === own.hostname)
  ) {
    const message = "an https address of a public host, with port 443 or 8443";
    throw new ApiError("VALIDATION_FAILED", { details: { issues: [{ path: "url", message }] } });
  }
  url.hash = "";
  return url.href;
}
