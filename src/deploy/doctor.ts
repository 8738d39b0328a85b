/**
 * Says in plain words what is wrong with a configuration, and what to do: `npm run doctor` looks at this machine,
 * `npm run doctor -- --url https://…` at a deployed service too. It changes nothing. Exit code 1 where something is
 * wrong.
 */
import { parseArgs } from "node:util";
import { PRODUCTION } from "./configuration.ts";
import { checkDeployed, checkPlatform } from "./doctor-deployed.ts";
import { checkLocal } from "./doctor-local.ts";
import type { Finding } from "./finding.ts";
import { KeptFiles } from "./kept.ts";

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
    console.error(`${error instanceof Error ? error.message : String(error)}\nSee --help.`);
    return BAD_OPTIONS;
  }
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const files = new KeptFiles(values.env);
  const findings: Finding[] = await checkLocal(files, values.env);
  if (values.url !== undefined)
    findings.push(...(await checkDeployed(values.url.replace(/\/+$/, ""))));
  if (values.platform) findings.push(...(await checkPlatform(files, values.env)));
  const wrong = findings.filter(({ state }) => state === "wrong").length;
  if (values.json) console.log(JSON.stringify({ ok: wrong === 0, findings }, null, 2));
  else {
    for (const { state, what, advice } of findings) {
      console.log(`${MARKS[state]} ${what}`);
      if (advice !== undefined) console.log(`  ${advice.replaceAll("\n", "\n  ")}`);
    }
    console.log(
      wrong === 0 ? "All is well." : `${wrong} of ${findings.length} checks found a fault.`,
    );
  }
  return wrong === 0 ? 0 : 1;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      url: { type: "string" },
      env: { type: "string", default: PRODUCTION },
      platform: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  }).values;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
