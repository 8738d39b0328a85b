/**
 * The deployment's settings: its secrets and variables, checked before use (docs/security.md S25,
 * docs/faults.md F26). While a setting is missing or malformed, the routes that need its group
 * answer 503, one line in the log names the setting, and `/health/deep` fails without naming it.
 *
 * A new setting is a line in `SETTINGS`, one in `env.d.ts`, and one in each of the `GROUPS` that
 * need it.
 */
import * as z from "zod/mini";
import { parseFlushSeconds } from "../../objects/flush/flush-interval.ts";
import { isMailFrom, isSiteOrigin, parseMailPerDay } from "../../objects/mail/mail-settings.ts";
import { alertKey, isAlertUrl } from "../../objects/monitor/alert-settings.ts";
import { logError } from "../../objects/platform/log.ts";
import { DERIVED, secretIn } from "../../objects/platform/secrets.ts";
import { ApiError } from "./api-error.ts";
import { OWNER_COOKIE } from "./cookies.ts";
import {
  CONFIG_RETRY_AFTER_S,
  COOKIE_NAME_CHARS_MAX,
  LIMITER_SHARDS_MAX,
  SETUP_CODE_LETTERS_MIN,
} from "./limits.ts";
import { Secret } from "./secret.ts";
import { SECRETS } from "./secret-names.ts";

/** Reasons go to the log, so they must never contain the value. */
const NOT_SET = "is not set";
const NOT_PUBLIC = "is not an https address of another machine";
const text = () => z.string({ error: NOT_SET });

/** A text that `parse` converts. A string from `parse` is the reason why the text is refused. */
function parseWith<T extends object>(parse: (value: string) => T | string, given = text()) {
  const converted = z.transform((value: string, ctx): T => {
    const result = parse(value);
    if (typeof result !== "string") return result;
    ctx.issues.push({ code: "custom", message: result, input: value });
    return z.NEVER;
  });
  return z.pipe(given, converted);
}

const Key = parseWith(
  (value) => Secret.parse(value),
  z.string({ error: "is not set, and there is no SILA_KEY to derive it from" }),
);

/** A secret without which a feature is off: an empty one is no fault. */
function orNone<T extends z.ZodMiniType>(secret: T) {
  const given = z.transform((value: unknown) => (value === "" ? undefined : value));
  return z.optional(z.pipe(given, z.optional(secret)));
}

const WEBHOOK_PREFIX = "whsec_";

/** `whsec_` and base64. Standard Webhooks requires 24 bytes, S25 requires 32. */
const WebhookSecret = parseWith((value) =>
  value.startsWith(WEBHOOK_PREFIX)
    ? Secret.parseBase64(value.slice(WEBHOOK_PREFIX.length))
    : `does not begin with ${WEBHOOK_PREFIX}`,
);

const LimiterShards = z.pipe(
  z.pipe(
    text().check(z.regex(/^(?:0|[1-9]\d{0,3})$/, "is not a whole number")),
    z.transform(Number),
  ),
  z.int().check(z.maximum(LIMITER_SHARDS_MAX, `is above ${LIMITER_SHARDS_MAX}`)),
);

const FlushSeconds = text().check(
  z.refine((value) => parseFlushSeconds(value) !== null, "is not a number of seconds in its range"),
);

/** Paths are appended to it, so it has no slash at its end, query or fragment. `''`: none. */
const BaseAddress = text().check(
  z.refine(
    (value) => value === "" || (isWebAddress(value) && !/[?#]|\/$/.test(value)),
    "is not an http(s) address without a slash at its end",
  ),
);

const PageAddress = text().check(z.refine(isPageAddress, "is not an http(s) address"));

/** A token (RFC 6265 section 4.1.1) that no cookie of this service has as its name. `''`: none. */
const CookieName = text().check(
  z.regex(
    new RegExp(
      `^(?!(?:__Host-)?${OWNER_COOKIE}$)[!#$%&'*+.^_\`|~0-9A-Za-z-]{0,${COOKIE_NAME_CHARS_MAX}}$`,
      "i",
    ),
    "is not a name for a cookie",
  ),
);

const SharedCalls = z.enum(["on", "off"], { error: "is neither on nor off" });

const AiModel = text().check(z.regex(/^[\x20-\x7e]{0,200}$/, "is not the name of a model"));
/** The key becomes a header's value. */
const AiKey = z.string().check(z.regex(/^[\x21-\x7e]{0,1000}$/, "is not a key"));

/** Databases of statistics that shall become empty; `''`: none. */
const StatsLeaving = text().check(
  z.regex(/^(?:STATS_\d+(?:,STATS_\d+)*)?$/, "is not a list of names like STATS_0"),
);

const SignUp = z.enum(["invite", "open", "closed"], {
  error: "is neither invite, open nor closed",
});
const NewUserPlan = z.enum(["free", "pro", "business"], {
  error: "is neither free, pro nor business",
});
/** Whoever knows the code makes the first account, so nobody may guess it. */
const SetupCode = z
  .string()
  .check(
    z.refine(
      (value) =>
        /^[\x21-\x7e]{16,128}$/.test(value) && new Set(value).size >= SETUP_CODE_LETTERS_MIN,
      "is not 16 to 128 letters and digits that nobody can guess",
    ),
  );

const optional = (isRight: (value: string) => boolean) =>
  z._default(z.string().check(z.refine(isRight, "is malformed")), "");
const EventsPerDay = z.pipe(
  optional((value) => /^\d{0,10}$/.test(value)),
  z.transform(Number),
);
const ClientPart = optional((value) => /^[\x21-\x7e]{0,1000}$/.test(value));

const ISSUERS = z.object({
  OIDC_ISSUER: optional(isPageAddress),
  OIDC_NAME: optional((value) => /^\P{C}{0,40}$/u.test(value)),
  OIDC_CLIENT_ID: ClientPart,
  OIDC_CLIENT_SECRET: ClientPart,
  GOOGLE_CLIENT_ID: ClientPart,
  GOOGLE_CLIENT_SECRET: ClientPart,
  GITHUB_CLIENT_ID: ClientPart,
  GITHUB_CLIENT_SECRET: ClientPart,
});
/**
 * Where one of these is set, all are. A service with a hub that had lost its address would let others in, and an issuer
 * without its client would sign nobody in.
 */
const BELONG_TOGETHER = [
  ["HUB_URL", "AUTH_URL", "HUB_SESSION_COOKIE", "HUB_WEBHOOK_SECRET"],
  ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"],
  ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
  ["GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"],
] as const;

const SiteOrigin = text().check(z.refine(isSiteOrigin, "is not an https origin"));
const MailFrom = text().check(z.refine(isMailFrom, "is not an email address"));

/** User ids of operators, which are the hub's (`UserId` in accounts). `''`: nobody. */
const Operators = text().check(
  z.regex(/^(?:|[!-+\x2d-~]{1,128}(?:,[!-+\x2d-~]{1,128}){0,99})$/, "is not a list of users' ids"),
);
const AlertUrl = text().check(z.refine(isAlertUrl, "is not an https address"));
const AlertSecret = z.pipe(
  z.string().check(z.refine((value) => alertKey(value) !== null, "is not whsec_ and base64")),
  WebhookSecret,
);

const MailPerDay = z.pipe(
  text().check(
    z.refine((value) => parseMailPerDay(value) !== null, "is not a number of mails in its range"),
  ),
  z.transform(Number),
);

const SETTINGS = z.object({
  SILA_KEY: orNone(Key),
  SENDER_KEY: Key,
  SESSION_KEY: Key,
  HUB_WEBHOOK_SECRET: orNone(WebhookSecret),
  LIMITER_SHARDS: LimiterShards,
  SHARED_CALLS: SharedCalls,
  FLUSH_SECONDS: FlushSeconds,
  QUIET_FLUSH_SECONDS: FlushSeconds,
  EVENTS_PER_DAY: EventsPerDay,
  HUB_URL: BaseAddress,
  AUTH_URL: PageAddress,
  HUB_SESSION_COOKIE: CookieName,
  SIGN_UP: SignUp,
  NEW_USER_PLAN: NewUserPlan,
  SETUP_CODE: orNone(SetupCode),
  ...ISSUERS.shape,
  ONE_MACHINE: z.optional(z.literal(true)),
  SITE_ORIGIN: SiteOrigin,
  STATS_LEAVING: StatsLeaving,
  MAIL_FROM: MailFrom,
  MAIL_PER_DAY: MailPerDay,
  AI_URL: BaseAddress,
  AI_MODEL: AiModel,
  AI_KEY: z.optional(AiKey),
  BACKUP_KEY: orNone(Key),
  OPERATORS: Operators,
  METRICS_TOKEN: orNone(Key),
  ALERT_URL: AlertUrl,
  ALERT_MAIL: MailFrom,
  ALERT_SECRET: orNone(AlertSecret),
});

const NAMES = z.keyof(SETTINGS).options;
type SecretName = (typeof SECRETS)[number];

/** Settings by the feature that needs them, and the settings that derive its secrets. */
const GROUPS = {
  /** Every exactly limited route. `SESSION_KEY` verifies `owner_of` for an event's class. */
  counting: z.pick(SETTINGS, {
    SILA_KEY: true,
    SENDER_KEY: true,
    SESSION_KEY: true,
    LIMITER_SHARDS: true,
    SHARED_CALLS: true,
    FLUSH_SECONDS: true,
    QUIET_FLUSH_SECONDS: true,
    EVENTS_PER_DAY: true,
  }),
  accounts: z.pick(SETTINGS, {
    SILA_KEY: true,
    SESSION_KEY: true,
    HUB_URL: true,
    AUTH_URL: true,
    HUB_SESSION_COOKIE: true,
  }),
  own_accounts: z.pick(SETTINGS, {
    SILA_KEY: true,
    SESSION_KEY: true,
    SITE_ORIGIN: true,
    SIGN_UP: true,
    NEW_USER_PLAN: true,
    SETUP_CODE: true,
  }),
  /** Nobody can sign in with an issuer while one of these is refused. */
  issuers: ISSUERS,
  /** Apart from `accounts`: a missing SESSION_KEY must not fail the probe's check of the hub. */
  hub: z.pick(SETTINGS, { HUB_URL: true }),
  webhooks: z.pick(SETTINGS, { HUB_WEBHOOK_SECRET: true }),
  /** Without it the edge's cache has an entry for each host, and only the deep probe fails. */
  site: z.pick(SETTINGS, { SITE_ORIGIN: true }),
  /** Objects take no name out of a malformed list, and only the deep probe fails. */
  stats: z.pick(SETTINGS, { STATS_LEAVING: true }),
  mail: z.pick(SETTINGS, { MAIL_FROM: true, MAIL_PER_DAY: true, SITE_ORIGIN: true }),
  ai: z.pick(SETTINGS, { AI_URL: true, AI_MODEL: true, AI_KEY: true }),
  dump: z.pick(SETTINGS, { SILA_KEY: true, BACKUP_KEY: true }),
  /** While the list is refused nobody is an operator. */
  operators: z.pick(SETTINGS, { OPERATORS: true }),
  metrics: z.pick(SETTINGS, { SILA_KEY: true, METRICS_TOKEN: true }),
  /** The monitor reads these by itself. */
  alerts: z.pick(SETTINGS, {
    SILA_KEY: true,
    ALERT_URL: true,
    ALERT_MAIL: true,
    ALERT_SECRET: true,
  }),
} as const;

export type Group = keyof typeof GROUPS;

export type Settings<G extends Group> = z.output<(typeof GROUPS)[G]>;

/** A group is null where one of its settings is refused. */
type Config = { readonly [G in Group]: Settings<G> | null };

/** Only tests change settings while an isolate lives. */
let memo: { values: readonly unknown[]; config: Config } | undefined;

export function readConfig(env: Cloudflare.Env): Config {
  const known = memo;
  if (known !== undefined && NAMES.every((name, i) => env[name] === known.values[i])) {
    return known.config;
  }
  const config = check(env);
  memo = { values: NAMES.map((name) => env[name]), config };
  return config;
}

/** Throws 503 DEPENDENCY_DOWN where a setting of the group is missing or malformed. */
export function requireConfig<G extends Group>(
  env: Cloudflare.Env,
  group: G,
): NonNullable<Config[G]> {
  const settings = readConfig(env)[group];
  if (settings === null) {
    // Only a deployment can repair it: a retry after a second would fail too.
    const headers = { "Retry-After": String(CONFIG_RETRY_AFTER_S) };
    throw new ApiError("DEPENDENCY_DOWN", { headers });
  }
  return settings;
}

export function hasSuggestions(env: Cloudflare.Env): boolean {
  return (readConfig(env).ai?.AI_URL ?? "") !== "";
}

export function hasOwnAccounts(env: Cloudflare.Env): boolean {
  return requireConfig(env, "accounts").HUB_URL === "";
}

/** 0: there is no limit. */
export function eventsPerDay(env: Cloudflare.Env): number {
  return readConfig(env).counting?.EVENTS_PER_DAY ?? 0;
}

/** `''` where the deployment does not set it. */
export function siteOrigin(env: Cloudflare.Env): string {
  return readConfig(env).site?.SITE_ORIGIN ?? "";
}

export function isNamedOperator(env: Cloudflare.Env, user_id: string): boolean {
  return (readConfig(env).operators?.OPERATORS ?? "").split(",").includes(user_id);
}

export function isConfigured(env: Cloudflare.Env): boolean {
  return Object.values(readConfig(env)).every((settings) => settings !== null);
}

function check(given: Cloudflare.Env): Config {
  const env = withDerived(given);
  const faults = faultsOf(env);
  for (const [setting, reason] of faults) logError("setting_refused", { setting, reason });
  const checked = (schema: z.ZodMiniObject) => {
    const result = schema.safeParse(env);
    const hasFault = Object.keys(schema.shape).some((name) => faults.has(name));
    return result.success && !hasFault ? result.data : null;
  };
  return Object.fromEntries(
    Object.entries(GROUPS).map(([group, schema]) => [group, checked(schema)]),
  ) as Config;
}

function withDerived(env: Cloudflare.Env): Cloudflare.Env {
  const secrets = Object.fromEntries(DERIVED.map((name) => [name, secretIn(env, name)]));
  return { ...env, ...secrets };
}

/** The reason for each refused setting. `npm run deploy` and `npm run doctor` ask the same. */
export function faultsOf(given: Cloudflare.Env): Map<string, string> {
  const env = withDerived(given);
  const faults = new Map<string, string>();
  const { error } = SETTINGS.safeParse(env);
  for (const { path, message } of error?.issues ?? []) faults.set(String(path[0]), message);
  // The addresses in wrangler.toml are for development. A deployment's hub is on another machine.
  if (env.ONE_MACHINE !== true) {
    for (const name of ["HUB_URL", "AUTH_URL", "AI_URL", "SITE_ORIGIN", "OIDC_ISSUER"] as const) {
      const address = env[name] ?? "";
      if (!faults.has(name) && address !== "" && !isPublicAddress(address)) {
        faults.set(name, NOT_PUBLIC);
      }
    }
  }
  for (const names of BELONG_TOGETHER) {
    const given = names.find((name) => env[name]);
    if (given === undefined) continue;
    for (const name of names) {
      if (!faults.has(name) && !env[name]) faults.set(name, `is not set, and ${given} needs it`);
    }
  }
  if (!faults.has("AI_URL") && env.AI_URL !== "" && env.AI_MODEL === "") {
    faults.set("AI_MODEL", NOT_SET);
  }
  if (!faults.has("ALERT_URL") && env.ALERT_URL !== "" && !env.ALERT_SECRET) {
    faults.set("ALERT_SECRET", NOT_SET);
  }
  if (!faults.has("SITE_ORIGIN") && env.SITE_ORIGIN === "" && env.MAIL_FROM !== "") {
    faults.set("SITE_ORIGIN", "is not set, and the links of mails need it");
  }
  if (!faults.has("MAIL_FROM") && env.MAIL_FROM !== "" && !env.MAIL) {
    faults.set("MAIL_FROM", "needs the binding MAIL, which a deployment on the free plan lacks");
  }
  if (!faults.has("ALERT_MAIL") && env.ALERT_MAIL !== "" && env.MAIL_FROM === "") {
    faults.set("ALERT_MAIL", "needs MAIL_FROM");
  }
  const secrets: [SecretName, Secret | string][] = [];
  for (const name of SECRETS) {
    const { data } = SETTINGS.shape[name].safeParse(env[name]);
    if (data !== undefined) secrets.push([name, data]);
  }
  // When a secret with two uses leaks, it is lost for both.
  const text_of = (name: SecretName) => (env[name] ?? "").replace(WEBHOOK_PREFIX, "");
  for (const [name, secret] of secrets) {
    const repeats = secrets.some(
      ([other, twin]) =>
        other !== name && (isSame(secret, twin) || text_of(other) === text_of(name)),
    );
    if (repeats) faults.set(name, "repeats the value of another setting");
  }
  return faults;
}

function isSame(one: Secret | string, other: Secret | string): boolean {
  return one instanceof Secret && other instanceof Secret && one.equals(other);
}

function isPublicAddress(value: string): boolean {
  const { protocol, hostname } = new URL(value);
  return (
    protocol === "https:" && !/^(?:localhost|127\.[\d.]+|\[::1\]|.*\.localhost)$/.test(hostname)
  );
}

function isPageAddress(value: string): boolean {
  return value === "" || (isWebAddress(value) && !value.includes("#"));
}

function isWebAddress(value: string): boolean {
  const url = URL.parse(value);
  // The URL parser alone would accept tabs and line ends inside and spaces around.
  return (
    url !== null &&
    /^https?:\/\/[^\s\\]+$/i.test(value) &&
    url.username === "" &&
    url.password === ""
  );
}
