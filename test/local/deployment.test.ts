/** The configuration of a deployment, where a mistake would silently break a promise. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { ROOT } from "../server/bundle.ts";

const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });

test("S16: the platform keeps no line per request, which would hold address and user agent", () => {
  expect(config.observability).toMatchObject({
    redact_query_string: true,
    logs: { invocation_logs: false },
  });
});
