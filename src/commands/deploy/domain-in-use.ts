/** Wrangler, where it cannot ask anybody, would replace whatever a domain leads to already. */
import { Resolver } from "node:dns/promises";
import { DeployError } from "./deploy-error.ts";
import { request } from "./health.ts";

const TIMEOUT_MS = 3_000;

type Lookups = Pick<Resolver, "resolve4" | "resolve6" | "resolveCname" | "resolveNs">;

/** Asks these name servers; by default those of this machine. */
function lookupsAt(servers?: string[]): Lookups {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  if (servers !== undefined) resolver.setServers(servers);
  return resolver;
}

/** @throws {DeployError} where it leads to something that is not Sila */
export async function refuseInUse(domain: string): Promise<void> {
  if (!(await hasAddress(domain)) || (await isSila(domain))) return;
  throw new DeployError(
    `${domain} leads to something else now, which the deployment would replace.`,
    "Give another --domain, or delete its record in the dashboard first. Where that is one for all names (*), write the route into wrangler.toml.",
  );
}

/**
 * Asks the zones' own name servers, from the top: this machine's would remember for half an hour
 * that a name has no address, and hide the one that it gets now. False where they do not answer.
 */
export async function hasAddress(domain: string, at = lookupsAt): Promise<boolean> {
  const labels = domain.split(".");
  for (let count = 2; count <= labels.length; count += 1) {
    const zone = labels.slice(-count).join(".");
    const [name_server] = await at()
      .resolveNs(zone)
      .catch(() => []);
    if (name_server === undefined) continue;
    const servers = await at()
      .resolve4(name_server)
      .catch(() => []);
    const found = servers.length === 0 ? "nothing" : await lookUp(domain, at(servers));
    if (found !== "no record") return found === "address";
  }
  return false;
}

/** "no record": the name exists, or belongs to a zone below, whose name servers are asked next. */
async function lookUp(domain: string, at: Lookups): Promise<"address" | "no record" | "nothing"> {
  const outcomes = await Promise.allSettled([
    at.resolve4(domain),
    at.resolve6(domain),
    at.resolveCname(domain),
  ]);
  if (outcomes.some(({ status }) => status === "fulfilled")) return "address";
  const isThere = outcomes.some((one) => "reason" in one && one.reason?.code === "ENODATA");
  return isThere ? "no record" : "nothing";
}

async function isSila(domain: string): Promise<boolean> {
  try {
    const health = await request(`https://${domain}/health`);
    return ((await health.json()) as { app?: string }).app === "sila";
  } catch {
    return false;
  }
}
