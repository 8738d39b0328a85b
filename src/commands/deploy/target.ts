import { chooseAccount } from "./account.ts";
import {
  type Configuration,
  configurationsOf,
  readConfigurations,
  serviceOf,
} from "./configuration.ts";
import type { Options } from "./deploy-options.ts";
import { atDomain, chooseDomain } from "./domain.ts";
import type { Kept, KeptFiles } from "./kept.ts";
import { isAtTerminal } from "./machine.ts";
import { refuseSetupCode } from "./plan-secrets.ts";
import { refuseFaults, settingFaults } from "./settings.ts";
import { chooseVars } from "./vars.ts";

export interface Target {
  /** The order is that of their uploads; the service is the last. */
  configurations: Configuration[];
  service: Configuration;
  account: string;
  own_vars: Record<string, string>;
  written_vars: Record<string, string>;
  domain: string | undefined;
  isMoved: boolean;
  kept: Kept;
}

/** @throws {DeployError} where a setting cannot be deployed, or nobody can tell whose account it is */
export async function chooseTarget(options: Options, files: KeptFiles): Promise<Target> {
  const { environment, dry_run, set, url, newSetupCode, show } = options;
  const kept = files.read();
  const raws = readConfigurations(files.folder);
  const raw = serviceOf(raws);
  const written_vars = raw.vars ?? {};
  const own_vars = chooseVars(written_vars, kept.vars, process.env, set);
  const configurations = configurationsOf(raws, environment, own_vars);
  const { route, routes = route } = serviceOf(configurations);
  const hasAddress = routes !== undefined || url !== undefined;
  const canAsk = isAtTerminal() && !dry_run && show === undefined && !hasAddress;
  // Asked before the questions: answers would be lost with a run of somebody who is not signed in.
  const asked_in = canAsk ? await chooseAccount(raw.account_id, files) : undefined;
  const domain = await chooseDomain(options.domain, kept, canAsk);
  const isMoved = domain !== kept.domain;
  if (domain) configurations.push(atDomain(serviceOf(configurations.splice(-1)), domain));
  const service = serviceOf(configurations);
  refuseFaults(settingFaults(service.vars ?? {}, files.secrets()));
  if (newSetupCode) refuseSetupCode(service);
  const account = asked_in ?? (await chooseAccount(raw.account_id, files));
  return { configurations, service, account, own_vars, written_vars, domain, isMoved, kept };
}
