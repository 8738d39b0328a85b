/**
 * Says in plain words what is wrong with a configuration, and what to do: `npm run doctor` looks at this machine,
 * `npm run doctor -- --url https://…` at a deployed service too. It changes nothing. Exit code 1 where something is
 * wrong.
 */
import { parseArgs } from "node:util";
import { PRODUCTION } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { checkDeployed, checkPlatform } from "./doctor-deployed.ts";
import { checkLocal } from "./doctor-local.ts";
import { type Finding, wrong } from "./finding.ts";
import { KeptFiles } from "./kept.ts";
import { environmentFault, takenByNpm } from "./options.ts";

const BAD_OPTIONS = 2;

const HELP = `npm run doctor [-- options]

Checks this machine's configuration, and says what is wrong and what to do. It changes nothing.

  --url <address>  checks the service at this address too
  --env <name>     of this environment (production)
  --platform       asks the platform too, by the account of wrangler: secrets, migrations, sizes
  --json           one JSON document, for machines
  --help

Exit code 1 where something is wrong.
`;

const MARKS = { ok: "✓", wrong: "✗", note: "·" } as const;

/** The exit code. */
export async function main(args: readonly string[]): Promise<number> {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const fault = takenByNpm(Object.keys(OPTIONS), process.env) ?? environmentFault(values.env);
  if (fault !== null) return refuse(fault);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const files = new KeptFiles(values.env);
  const url = values.url?.replace(/\/+$/, "");
  const findings = [
    ...(await orFault(checkLocal(files, values.env))),
    ...(url === undefined ? [] : await orFault(checkDeployed(url))),
    ...(values.platform ? await orFault(checkPlatform(files, values.env)) : []),
  ];
  const faults = findings.filter(({ state }) => state === "wrong").length;
  if (values.json) console.log(JSON.stringify({ ok: faults === 0, findings }, null, 2));
  else {
    for (const { state, what, advice } of findings) {
      console.log(`${MARKS[state]} ${what}`);
      if (advice !== undefined) console.log(`  ${advice.replaceAll("\n", "\n  ")}`);
    }
    console.log(
      faults === 0 ? "All is well." : `${faults} of ${findings.length} checks found a fault.`,
    );
  }
  return faults === 0 ? 0 : 1;
}

/** A file that cannot be read ends its checks, not those behind them. */
async function orFault(findings: Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await findings;
  } catch (error) {
    if (error instanceof DeployError) return [wrong(error.message, error.advice)];
    throw error;
  }
}

function refuse(reason: string): number {
  console.error(`${reason}\nSee npm run doctor -- --help`);
  return BAD_OPTIONS;
}

const OPTIONS = {
  url: { type: "string" },
  env: { type: "string", default: PRODUCTION },
  platform: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS }).values;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
