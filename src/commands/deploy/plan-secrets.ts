import type { Configuration } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import type { KeptFiles } from "./kept.ts";
import { isEphemeral } from "./machine.ts";
import { foreign } from "./resources.ts";
import { chooseSecrets, isOwn, type Secrets, SILA_KEY, secretsOnPlatform } from "./secrets.ts";
import { hasHub, refuseFaults, settingFaults } from "./settings.ts";
import { developmentValues } from "./vars.ts";
import type { Wrangler } from "./wrangler.ts";

/** @throws {DeployError} where nobody could use a new code, or strangers could read it */
export function refuseSetupCode({ vars = {} }: Configuration): void {
  if (hasHub(vars)) {
    throw new DeployError(
      "The accounts are those of the account hub: no setup code is used.",
      "Make the account there, and name its id in OPERATORS.",
    );
  }
  if (isEphemeral()) {
    throw new DeployError(
      "A new setup code would be in the log of this run.",
      "Run it on a machine of your own.",
    );
  }
}

/** @throws {DeployError} for a taken name, a value of another service, or a lost hub */
export async function planSecrets(
  wrangler: Wrangler,
  service: Configuration,
  files: KeptFiles,
  newSetupCode: boolean,
): Promise<Secrets & { isNew: boolean }> {
  const on_platform = await secretsOnPlatform(wrangler, service.name);
  const isNew = on_platform === null || !isOwn(on_platform);
  // Workers Builds and the button make an empty Worker first.
  if (isNew && on_platform !== null && process.env.WORKERS_CI === undefined) {
    throw foreign("Worker", service.name);
  }
  // A service that runs with development values goes on: the doctor says so.
  const { vars = {} } = service;
  if (isNew) refuseFaults(developmentValues(vars));
  const making = { isEphemeral: isEphemeral(), hasHub: hasHub(vars), newSetupCode };
  const secrets = chooseSecrets(on_platform ?? [], files.secrets(), process.env, making);
  refuseFaults(settingFaults(vars, { ...secrets.given, ...secrets.made }, on_platform ?? []));
  // The button has asked for a key, which may be on the Worker only after its first build.
  if (secrets.lacking.includes(SILA_KEY) && process.env.WORKERS_CI === undefined) {
    throw new DeployError(
      `A new service needs a ${SILA_KEY}, and one that is made here ends with this machine.`,
      "Make one with openssl rand -hex 32, keep it, and give it in the environment.",
    );
  }
  return { ...secrets, isNew };
}
