/** What `npm run doctor` sees of a deployed service: from outside, by its address, and in the account. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import release from "../../package.json" with { type: "json" };
import { EVERYWHERE, HSTS } from "../http/fixed-headers.ts";
import { kvTitle, readConfiguration, withPaths } from "./configuration.ts";
import { configure } from "./doctor-local.ts";
import { type Finding, note, ok, wrong } from "./finding.ts";
import { probe } from "./health.ts";
import type { KeptFiles } from "./kept.ts";
import { readMigrations } from "./migrations.ts";
import { planOf } from "./plan.ts";
import { look } from "./platform.ts";
import { withFolder, writeJson } from "./scratch.ts";
import { chooseSecrets, NEEDED } from "./secrets.ts";
import { jsonIn, type Wrangler, WranglerFailed, wranglerWith } from "./wrangler.ts";

/** Seconds between two clocks that are too many: limits and schedules count seconds. */
const CLOCK_S_MAX = 5;
/** A result of the deep probe is cached for 5 s at the edge, and for 1 s in an isolate. */
const PAST_ISOLATE_MS = 1_500;
const TIMEOUT_MS = 15_000;
/** The cron measures every minute; its result is kept for a minute at the edge. */
const MEASURED_S_MAX = 300;
/** Bytes of a D1 database, and the part of them that is a warning. */
const DATABASE_BYTES_MAX = 10_000_000_000;
const FULL = 0.8;

export async function checkDeployed(url: string): Promise<Finding[]> {
  let response: Response;
  try {
    response = await get(`${url}/health`);
  } catch {
    return [
      wrong(`${url} does not answer.`, "Look at the address. If it is right: npm run deploy"),
    ];
  }
  const body = (await response.json().catch(() => null)) as {
    app?: string;
    version?: string;
  } | null;
  if (response.status !== 200 || body?.app !== "sila") {
    return [
      wrong(
        `${url}/health answers ${response.status}, and not as Sila does.`,
        "Look at the address.",
      ),
    ];
  }
  const health = await probe(url);
  return [
    checkVersion(String(body.version)),
    checkClock(response),
    health.ok
      ? ok("The service and all that it needs are well.")
      : wrong(
          `The service is not well: ${health.faults.join("; ")}.`,
          'docs/operations.md "Health" says more.',
        ),
    await checkCron(url),
    checkHeaders(response, url),
    ...(health.status === 0 ? [] : [await checkCache(url)]),
  ];
}

function checkVersion(serving: string): Finding {
  const order = serving.localeCompare(release.version, "en", { numeric: true });
  if (order === 0) return ok(`It serves version ${serving}, as this checkout has.`);
  return order < 0
    ? note(
        `It serves version ${serving}; this checkout has ${release.version}.`,
        "npm run deploy brings it up to date.",
      )
    : note(
        `It serves version ${serving}, newer than this checkout's ${release.version}.`,
        "Run: git pull",
      );
}

function checkClock(response: Response): Finding {
  const theirs = Date.parse(response.headers.get("Date") ?? "");
  if (Number.isNaN(theirs)) return note("It sends no Date, so its clock was not compared.");
  const difference_s = Math.round(Math.abs(Date.now() - theirs) / 1_000);
  if (difference_s <= CLOCK_S_MAX) return ok("Its clock and this machine's agree.");
  return wrong(
    `Its clock and this machine's differ by ${difference_s} s.`,
    "The platform's is right as a rule: switch on network time here. Webhooks of a hub with such a clock are refused.",
  );
}

/** A cron that stopped raises no alert, because the cron is what looks. */
async function checkCron(url: string): Promise<Finding> {
  let measured_at: string | null | undefined;
  try {
    ({ measured_at } = (await (await get(`${url}/status.json`)).json()) as {
      measured_at?: string | null;
    });
  } catch {
    measured_at = undefined;
  }
  const at = measured_at === null ? null : Date.parse(measured_at ?? "");
  if (Number.isNaN(at)) return note(`${url}/status.json does not say when the cron ran last.`);
  const advice =
    "Look at the cron triggers of the Worker in the dashboard: * * * * * must be there. A new service needs a minute or two.";
  if (at === null) return wrong("The cron has never run.", advice);
  const ago_s = Math.round((Date.now() - at) / 1_000);
  if (ago_s <= MEASURED_S_MAX) return ok("The cron runs.");
  return wrong(
    `The cron ran last at ${measured_at}, ${Math.round(ago_s / 60)} minutes ago.`,
    advice,
  );
}

/** That no proxy in between drops them. */
function checkHeaders(response: Response, url: string): Finding {
  const wanted = {
    ...EVERYWHERE,
    ...(url.startsWith("https:") ? { "Strict-Transport-Security": HSTS } : {}),
  };
  const missing = Object.entries(wanted)
    .filter(([name, value]) => response.headers.get(name) !== value)
    .map(([name]) => name);
  if (!response.headers.has("Content-Security-Policy")) missing.push("Content-Security-Policy");
  if (missing.length === 0) return ok("The security headers are there.");
  return wrong(
    `Answers lack ${missing.join(", ")}, or have other values.`,
    "Look for a proxy or a rule of the zone that changes headers.",
  );
}

/**
 * The page renderer's cache is on if it answers a probe again that the isolate has forgotten: the latencies in it are
 * measured anew otherwise. Not yet run on the platform.
 */
async function checkCache(url: string): Promise<Finding> {
  const checks = async () => {
    const body = (await (await get(`${url}/health/deep`)).json().catch(() => null)) as {
      checks?: unknown;
      details?: { checks?: unknown };
    } | null;
    return JSON.stringify(body?.checks ?? body?.details?.checks);
  };
  const first = await checks();
  await pause(PAST_ISOLATE_MS);
  const second = await checks();
  if (first === undefined) return note("The cache was not checked: the deep probe has no checks.");
  if (first === second) return ok("The edge cache is on: a second probe was answered from it.");
  return wrong(
    "The edge cache seems to be off: a second probe was measured anew.",
    'Look whether EDGE_CACHE is "platform", and whether [exports.PageRenderer] in wrangler.toml has its cache on. ' +
      "A busy edge may forget: run it again.",
  );
}

/** What wrangler may read, if somebody is signed in. */
export async function checkPlatform(files: KeptFiles, environment: string): Promise<Finding[]> {
  const configuration = await configure(files, environment);
  const account = files.read().account ?? (await readConfiguration()).account_id;
  const wrangler = wranglerWith(account === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: account });
  try {
    return await withFolder(async (folder) => {
      const config = await writeJson(join(folder, "wrangler.json"), withPaths(configuration));
      const found = await look(wrangler, configuration, config, (one) =>
        kvTitle(configuration.name, one),
      );
      if (found.current === null) {
        return [wrong(`The account has no Worker ${configuration.name}.`, "Run: npm run deploy")];
      }
      const secrets = chooseSecrets(found.secrets, {}, {}, false);
      const { made } = secrets;
      const migrations = await readMigrations(configuration.d1_databases);
      const plan = planOf(found, secrets, found.current.tag, migrations);
      return [
        ...checkSecrets(made),
        ...plan.databases.map(({ name, create, pending }) => {
          if (create) return wrong(`The account has no database ${name}.`, "Run: npm run deploy");
          if (pending.length === 0) return ok(`The database ${name} has all migrations.`);
          return wrong(`The database ${name} lacks ${pending.join(", ")}.`, "Run: npm run deploy");
        }),
        ...(await checkSizes(wrangler, plan.databases)),
      ];
    });
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    return [wrong(error.message, "Sign in with: npx wrangler login. Or set CLOUDFLARE_API_TOKEN.")];
  }
}

/** @param lacking names */
function checkSecrets(lacking: readonly string[]): Finding[] {
  if (lacking.length === 0) return [ok("The platform has all secrets.")];
  const needed = lacking.filter((name) => NEEDED.includes(name));
  const others = lacking.filter((name) => !NEEDED.includes(name));
  const advice = "npm run deploy makes them.";
  return [
    ...(needed.length === 0 ? [] : [wrong(`The platform lacks ${needed.join(", ")}.`, advice)]),
    ...(others.length === 0
      ? []
      : [note(`Without ${others.join(", ")} what needs them is off.`, advice)]),
  ];
}

async function checkSizes(
  wrangler: Wrangler,
  databases: readonly { name: string }[],
): Promise<Finding[]> {
  const all = jsonIn(await wrangler.run(["d1", "list", "--json"])) as {
    name: string;
    file_size?: number;
  }[];
  return databases.flatMap(({ name }) => {
    const bytes = all.find((one) => one.name === name)?.file_size;
    if (bytes === undefined) return [];
    const size = `${name} has ${(bytes / 1e6).toFixed(1)} MB of ${DATABASE_BYTES_MAX / 1e9} GB.`;
    if (bytes <= FULL * DATABASE_BYTES_MAX) return [ok(size)];
    return [
      wrong(size, 'Make room before it is full (docs/operations.md "Limits of the platform").'),
    ];
  });
}

function get(url: string): Promise<Response> {
  return fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
}
