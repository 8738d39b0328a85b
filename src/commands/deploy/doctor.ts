/**
 * `npm run doctor` finds what nobody else checks in the configuration here, and with `-- --url
 * https://…` in a running service from outside. It says what to do, and changes nothing.
 */
import { randomBytes } from "node:crypto";
import { OWN_SESSION_COOKIE } from "../../../objects/platform/hub.ts";
import {
  LOGIN_PATH,
  LOGOUT_PATH,
  SESSION_PATH,
  SETUP_PAGE,
  SIGN_IN_PAGE,
} from "../../http/endpoints.ts";
import { EVERYWHERE, HSTS } from "../../http/fixed-headers.ts";
import { PRODUCTION, readConfigurations, serviceOf } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { withOrigin } from "./domain.ts";
import { probe, request } from "./health.ts";
import { KeptFiles } from "./kept.ts";
import { addressIn, BadOptions, environmentIn, parseOptions } from "./options.ts";
import { type Plan, unusedOnFree } from "./plan.ts";
import { adviceFor, hasHub, settingFaults } from "./settings.ts";
import { chooseVars, DEVELOPMENT_COOKIE, developmentValues } from "./vars.ts";

const HELP = `npm run doctor [-- options]

Says what is wrong with the configuration that would be deployed from here, and what to do. It changes nothing.

  --url <address>  asks the running service at this address in place of it
  --env <name>     of this environment (production)
  --help

Exit code 1 where something is wrong.
`;

const BAD_OPTIONS = 2;
/** Two clocks may not differ by more: webhooks are refused after 300, schedules count seconds. */
const CLOCK_S_MAX = 5;
/** The cron measures every minute; its result is kept for a minute at the edge. */
const MEASURED_S_MAX = 300;

/** Sessions of a service's own accounts have these cookies, with https and without. */
const OWN_COOKIES = [`__Host-${OWN_SESSION_COOKIE}`, OWN_SESSION_COOKIE];

/** Something is wrong if it has `advice`. */
interface Finding {
  what: string;
  advice?: string;
}

const ok = (what: string): Finding => ({ what });
const wrong = (what: string, advice: string): Finding => ({ what, advice });

async function main(args: readonly string[]): Promise<number> {
  try {
    const { url, env, help } = parseOptions(args, {
      url: { type: "string" },
      env: { type: "string", default: PRODUCTION },
      help: { type: "boolean", short: "h", default: false },
    });
    const address = addressIn(url);
    const environment = environmentIn(env);
    if (help) {
      process.stdout.write(HELP);
      return 0;
    }
    const files = new KeptFiles(environment);
    const known = serviceOf(readConfigurations(files.folder)).vars ?? {};
    const kept = files.read();
    const own_vars = chooseVars(known, kept.vars, process.env, {});
    const vars = withOrigin({ ...known, ...own_vars }, kept.domain);
    return report(
      address === undefined
        ? [...(await checkConfiguration(vars, files.secrets())), ...checkPlan(kept.plan, vars)]
        : await checkService(address, vars.HUB_SESSION_COOKIE ?? ""),
    );
  } catch (error) {
    if (error instanceof DeployError) return report([wrong(error.message, error.advice)]);
    if (!(error instanceof BadOptions)) throw error;
    console.error(`${error.message}\nSee npm run doctor -- --help`);
    return BAD_OPTIONS;
  }
}

function report(findings: readonly Finding[]): number {
  for (const { what, advice } of findings) {
    console.log(`${advice === undefined ? "✓" : "✗"} ${what}`);
    if (advice !== undefined) console.log(`  ${advice.replaceAll("\n", "\n  ")}`);
  }
  const faults = findings.filter(({ advice }) => advice !== undefined).length;
  console.log(faults === 0 ? "All is well." : `${faults} of ${findings.length} facts are wrong.`);
  return faults === 0 ? 0 : 1;
}

async function checkConfiguration(
  vars: Record<string, string>,
  secrets: Record<string, string>,
): Promise<Finding[]> {
  const faults = [...settingFaults(vars, secrets), ...developmentValues(vars)];
  const { HUB_URL = "", HUB_SESSION_COOKIE = "" } = vars;
  const isHubKnown = hasHub(vars) && !faults.some(([name]) => name === "HUB_URL");
  return [
    ...faults.map((one) => wrong(one.join(" "), adviceFor([one]))),
    ...(faults.length === 0 ? [ok("The settings are valid.")] : []),
    ...(isHubKnown ? [await checkHub(`${HUB_URL}/api/session`, HUB_SESSION_COOKIE)] : []),
    ...(hasHub(vars) ? [] : [ok("Without HUB_URL the accounts are the service's own.")]),
  ];
}

function checkPlan(plan: Plan | undefined, vars: Record<string, string>): Finding[] {
  if (plan !== "free") return [];
  const unused = unusedOnFree(vars);
  return [
    ok("The account was on the Workers Free plan: no mail, and few photos on contact cards."),
    ...unused.map((name) =>
      wrong(
        `${name} is set, and the free plan sends no mail.`,
        `Take the Workers Paid plan and run: npm run deploy. Or: npm run deploy -- --set ${name}=`,
      ),
    ),
  ];
}

/** Whoever the hub knows is signed in: one that knows everybody opens every account. */
async function checkHub(url: string, cookie: string): Promise<Finding> {
  const strangers = { "no cookie": {}, "a session that nobody has": nobody(cookie) };
  for (const [who, headers] of Object.entries(strangers)) {
    const response = await ask(url, { headers });
    if (response.status === 401) continue;
    return wrong(
      `${url} ${answerOf(response)} to ${who}; it must be 401.`,
      "HUB_URL is not that of an account hub, or the hub fails or takes everybody for signed in.",
    );
  }
  return ok("The hub answers 401 to those whom it does not know.");
}

async function checkService(url: string, cookie: string): Promise<Finding[]> {
  const health = await ask(`${url}/health`);
  const body = (await health.json().catch(() => null)) as { app?: string } | null;
  if (health.status !== 200 || body?.app !== "sila") {
    return [
      wrong(`${url}/health ${answerOf(health)}, and not as Sila does.`, "Look at the address."),
    ];
  }
  const faults = await probe(url);
  const known = [...OWN_COOKIES, cookie, DEVELOPMENT_COOKIE].filter((name) => name !== "");
  const of_service = await sessionCookieIn(url, known);
  const isOwn = of_service !== undefined && OWN_COOKIES.includes(of_service);
  return [
    faults.length === 0
      ? ok("The service and all that it needs are well.")
      : wrong(`The service is not well: ${faults.join("; ")}.`, 'See docs/operations.md "Health".'),
    checkClock(health),
    await checkCron(url),
    checkHeaders(health, url),
    await checkSignIn(url, isOwn),
    ...(of_service === undefined
      ? [
          wrong(
            `None of ${known.join(", ")} is the service's cookie for sessions.`,
            "Run it where the service was deployed, with its --env.",
          ),
        ]
      : await checkSession(url, of_service, isOwn)),
  ];
}

function checkClock(health: Response): Finding {
  const theirs = Date.parse(health.headers.get("Date") ?? "");
  if (Number.isNaN(theirs)) return ok("It sends no Date, so its clock was not compared.");
  const difference_s = Math.round(Math.abs(Date.now() - theirs) / 1_000);
  if (difference_s <= CLOCK_S_MAX) return ok("Its clock and this machine's agree.");
  return wrong(
    `Its clock and this machine's differ by ${difference_s} s.`,
    "The platform's is right as a rule: switch on network time here.",
  );
}

/** A cron that stopped raises no alert, because the cron is what looks. */
async function checkCron(url: string): Promise<Finding> {
  const response = await ask(`${url}/status.json`);
  const status = (await response.json().catch(() => null)) as { measured_at?: string } | null;
  const ago_s = Math.round((Date.now() - Date.parse(status?.measured_at ?? "")) / 1_000);
  if (ago_s <= MEASURED_S_MAX) return ok("The cron runs.");
  return wrong(
    Number.isNaN(ago_s)
      ? "The cron has never run, as far as /status.json says."
      : `The cron ran last at ${status?.measured_at}, ${Math.round(ago_s / 60)} minutes ago.`,
    "Look at the cron triggers of the Worker in the dashboard. A new service needs a minute.",
  );
}

/** A proxy or a rule of the zone may drop or rewrite them. */
function checkHeaders({ headers }: Response, url: string): Finding {
  const wanted = {
    ...EVERYWHERE,
    ...(url.startsWith("https:") && { "Strict-Transport-Security": HSTS }),
  };
  const changed = Object.entries(wanted)
    .filter(([name, value]) => headers.get(name) !== value)
    .map(([name]) => name);
  if (!headers.has("Content-Security-Policy")) changed.push("Content-Security-Policy");
  if (changed.length === 0) return ok("The security headers arrive.");
  return wrong(
    `Answers lack ${changed.join(", ")}, or have other values.`,
    "Look for a proxy or a rule of the zone that changes headers.",
  );
}

/** Where people sign in tells which hub was deployed, or that there is none. */
async function checkSignIn(url: string, isOwn: boolean): Promise<Finding> {
  const response = await ask(url + LOGIN_PATH);
  const page = URL.parse(response.headers.get("Location") ?? "");
  if (page === null) return wrong(`${LOGIN_PATH} ${answerOf(response)}.`, "See AUTH_URL.");
  if (isOwn) return checkOwnSignIn(page.origin);
  const faults = settingFaults({ AUTH_URL: page.origin }, {});
  const fault = faults.find(([name]) => name === "AUTH_URL");
  if (fault === undefined) return ok(`People sign in at ${page.origin}.`);
  return wrong(`People sign in at ${page.origin}: ${fault.join(" ")}.`, adviceFor([fault]));
}

async function checkOwnSignIn(url: string): Promise<Finding> {
  const page = await ask(url + SIGN_IN_PAGE);
  if (page.status === 200) return ok(`People sign in at ${url}${SIGN_IN_PAGE}.`);
  const next = URL.parse(page.headers.get("Location") ?? "", url);
  if (next?.pathname === SETUP_PAGE) {
    return ok(`Nobody has an account yet: the first owner makes it at ${url}${SETUP_PAGE}.`);
  }
  return wrong(
    `${SIGN_IN_PAGE} ${answerOf(page)}.`,
    "Look at the log: npx wrangler tail. npm run deploy uploads the Worker for accounts again.",
  );
}

/** The service knows a session by this cookie if it refuses a request for want of a token. */
async function sessionCookieIn(url: string, names: string[]): Promise<string | undefined> {
  for (const name of new Set(names)) {
    const { status } = await ask(url + LOGOUT_PATH, { method: "POST", headers: nobody(name) });
    if (status === 403) return name;
  }
  return undefined;
}

/** Whoever has the accounts must refuse a session that nobody has made. */
async function checkSession(url: string, cookie: string, isOwn: boolean): Promise<Finding[]> {
  const response = await ask(url + SESSION_PATH, { headers: nobody(cookie) });
  const session = (await response.json().catch(() => null)) as { authenticated?: boolean } | null;
  const development = developmentValues({ HUB_SESSION_COOKIE: cookie });
  return [
    ...development.map((one) => wrong(one.join(" "), adviceFor([one]))),
    session?.authenticated === false
      ? ok("A session that nobody has signs nobody in.")
      : wrong(
          `${SESSION_PATH} ${answerOf(response)} to a session that nobody has${session?.authenticated === true ? ", and signs in" : ""}.`,
          isOwn
            ? "Look at the log: npx wrangler tail."
            : "Look at HUB_URL: the hub fails, or takes everybody for signed in.",
        ),
  ];
}

/** Status 0 stands for no answer. */
function ask(url: string, init?: RequestInit): Promise<Response> {
  return request(url, init).catch(() => Response.error());
}

function answerOf({ status }: Response): string {
  return status === 0 ? "does not answer" : `answers ${status}`;
}

function nobody(cookie: string): { Cookie: string } {
  return { Cookie: `${cookie}=${randomBytes(16).toString("hex")}` };
}

process.exitCode = await main(process.argv.slice(2));
