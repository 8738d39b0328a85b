import release from "../../../package.json" with { type: "json" };
import { SETUP_PAGE } from "../../http/endpoints.ts";
import type { Configuration } from "./configuration.ts";
import { withOrigin } from "./domain.ts";
import type { KeptFiles } from "./kept.ts";
import { isEphemeral } from "./machine.ts";
import { HUB_SECRET, type Secrets } from "./secrets.ts";
import { hasHub } from "./settings.ts";
import { say } from "./step.ts";
import type { Target } from "./target.ts";
import { developmentValues } from "./vars.ts";

export function sayTarget(target: Target, secrets: Secrets): void {
  const { service, account, own_vars, written_vars, domain, isMoved, kept } = target;
  say(`${service.name} ${release.version}, in the account ${account}:`);
  for (const [name, value] of Object.entries(own_vars)) {
    if (value !== written_vars[name]) say(`  ${name} = ${value}`);
  }
  if (domain) say(`  at ${domain}`);
  if (isMoved && !kept.is_untold) {
    const before = withOrigin({ ...written_vars, ...own_vars }, kept.domain).SITE_ORIGIN;
    sayOfPasskeys(before || kept.url, service);
  }
  for (const [name, reason] of developmentValues(service.vars ?? {})) say(`! ${name} ${reason}`);
  for (const name of secrets.ignored) {
    say(`! The platform has a ${name}, so the environment's is not used: ${setBy(name, service)}`);
  }
}

/** @param before the service's address until now */
function sayOfPasskeys(before: string | undefined, { vars = {} }: Configuration): void {
  const after = vars.SITE_ORIGIN || "its address below workers.dev";
  if (!before || before === after || hasHub(vars)) return;
  say(`! Passkeys belong to a host: those of ${before} do not work at ${after}.`);
  say("  People sign in there with a code or a link, and add a passkey (docs/operations.md).");
}

export function sayOfSecrets(
  { given, made, lacking }: Secrets,
  service: Configuration,
  files: KeptFiles,
): void {
  if (Object.keys({ ...given, ...made }).length > 0 && !isEphemeral()) {
    say(`  Keep a copy of ${files.secretsPath}: the platform shows no secret again.`);
  }
  if (HUB_SECRET in made) say(`  Give your account hub the ${HUB_SECRET} in it.`);
  for (const name of lacking) say(`! ${name} is missing: ${setBy(name, service)}`);
}

export function sayOfFirstOwner(
  { vars = {} }: Configuration,
  reached: string | undefined,
  setup_code: string,
): void {
  say("  Make your account here, once. Whoever opens the address first is the owner:");
  // A passkey belongs to the host of SITE_ORIGIN, where there is one.
  const origin = vars.SITE_ORIGIN || (reached ?? "https://…");
  say(`  ${origin}${SETUP_PAGE}#${setup_code}`);
}

function setBy(secret: string, { name }: Configuration): string {
  return `npx wrangler secret put ${secret} --name ${name}`;
}
