/** One host of a zone, or none (workers.dev): a passkey and a cookie belong to one host. */
import { createInterface } from "node:readline/promises";
import { domainToASCII } from "node:url";
import type { Configuration } from "./configuration.ts";
import type { Kept } from "./kept.ts";
import { BadOptions } from "./options.ts";
import { say } from "./step.ts";

const QUESTION =
  "The domain for this service, of a zone in this account, such as links.example.com.\nEmpty: an address below workers.dev.\n> ";

/** Spells it as DNS does; `''`: none. @throws {BadOptions} */
export function domainIn(given: string): string {
  const text = given.trim();
  // `domainToASCII` would read the host out of an address.
  const domain = /[/:?#@\\]/.test(text) ? "" : domainToASCII(text);
  const isHost = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(
    domain,
  );
  const isAllowed = isHost && domain.length <= 253 && !domain.endsWith(".workers.dev");
  if (text === "" || isAllowed) return domain;
  throw new BadOptions(`--domain takes a domain such as links.example.com, not "${text}"`);
}

/**
 * Chooses the given domain, else that of an earlier run, else the answer to a question, which a new
 * service is asked once if `canAsk`: somebody is there, and no address or route tells its place.
 * Undefined: nobody was asked, and the configuration stays as it is.
 */
export async function chooseDomain(
  given: string | undefined,
  kept: Kept,
  canAsk: boolean,
  ask: (question: string) => Promise<string> = askAtTerminal,
): Promise<string | undefined> {
  const known = given ?? kept.domain;
  if (known !== undefined || !canAsk || kept.account !== undefined) return known;
  for (;;) {
    try {
      return domainIn(await ask(QUESTION));
    } catch (error) {
      if (!(error instanceof BadOptions)) throw error;
      say("  This is no domain.");
    }
  }
}

async function askAtTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

/** The service has its domain and routes of wrangler.toml, and no other address. */
export function atDomain(service: Configuration, domain: string): Configuration {
  const { route, routes, vars, ...rest } = service;
  const others = [route ?? [], routes ?? []].flat();
  return {
    ...rest,
    workers_dev: false,
    routes: [...others, { pattern: domain, custom_domain: true }],
    vars: withOrigin(vars, domain),
  };
}

/** Links begin with the domain, unless SITE_ORIGIN says something else. */
export function withOrigin(
  vars: Record<string, string> = {},
  domain: string | undefined,
): Record<string, string> {
  return domain ? { ...vars, SITE_ORIGIN: vars.SITE_ORIGIN || `https://${domain}` } : vars;
}
