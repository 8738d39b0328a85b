import { faultsOf } from "../../http/config.ts";
import { SECRETS } from "../../http/secret-names.ts";

const GIVEN_SECRETS = [
  "AI_KEY",
  "OIDC_CLIENT_SECRET",
  "GOOGLE_CLIENT_SECRET",
  "GITHUB_CLIENT_SECRET",
];

/** The environment's values replace `known` and `secrets`. @throws for what the Worker refuses */
export function readVars(
  env: Record<string, string | undefined>,
  known: Record<string, string>,
  secrets: Record<string, string>,
  hasMail: boolean,
): Record<string, string> {
  const vars = { ...known, ...secrets };
  for (const name of [...Object.keys(known), ...SECRETS, ...GIVEN_SECRETS]) {
    const value = env[name];
    if (value) vars[name] = value;
  }
  if (vars.MAIL_FROM && !hasMail) throw new Error("MAIL_FROM needs SMTP_URL.");
  const bindings = { ONE_MACHINE: true, ...(hasMail && { MAIL: {} }) };
  const faults = [...faultsOf({ ...vars, ...bindings } as unknown as Cloudflare.Env)];
  if (faults.length === 0) return vars;
  throw new Error(faults.map(([name, reason]) => `${name} ${reason}`).join("; "));
}
