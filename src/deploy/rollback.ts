/** `npm run deploy -- --rollback`: serves an older version again. Databases stay, because migrations only add. */
import { configurationOf, readConfiguration } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { KeptFiles } from "./kept.ts";
import type { Options } from "./options.ts";
import { report } from "./report.ts";
import { signIn } from "./sign-in.ts";
import { done, say, step } from "./step.ts";
import { jsonIn, type Wrangler } from "./wrangler.ts";

interface Version {
  id: string;
  number: number;
  annotations?: Record<string, string>;
}

interface Deployment {
  created_on: string;
  versions: { version_id: string; percentage: number }[];
}

/** The exit code. */
export async function rollback(options: Options): Promise<number> {
  const kept = new KeptFiles(options.environment).read();
  const raw = await readConfiguration();
  const { name } = configurationOf(raw, options.environment, kept.vars);
  const { wrangler } = await signIn(options, raw.account_id, kept.account);
  const target = await step(
    () => targetOf(wrangler, name, options.rollback ?? ""),
    `Look which versions there are: npx wrangler versions list --name ${name}`,
  );
  const called = `${target.annotations?.["workers/tag"] ?? "a version without a tag"} (${target.id})`;
  if (options.dry_run) {
    say(`Would bring ${name} back to ${called}. Nothing was changed.`);
    return 0;
  }
  const message = ["--message", "npm run deploy -- --rollback"];
  await step(
    () => wrangler.run(["rollback", target.id, "--name", name, "--yes", ...message]),
    "The platform may refuse a version from before a new class of objects, or one whose bucket or namespace is gone. Then mend the newer one.",
  );
  done(`${name} serves ${called} again`);
  say(
    "  Databases stay as they are: migrations only add, and the older code does not see what is new.",
  );
  say("  Secrets and variables are those of that version. The next deployment goes forward again.");
  const { wait_s, open } = options;
  return report(options.url ?? kept.url, { wait_s, open, version: undefined });
}

/**
 * The version with this id or tag; without one, the newest that has served and is older than the one that serves.
 * wrangler's own choice, the deployment before, would be the newer version again in a second rollback.
 */
export async function targetOf(wrangler: Wrangler, name: string, wanted: string): Promise<Version> {
  const list = async (what: string) =>
    jsonIn(await wrangler.run([what, "list", "--json", "--name", name]));
  const versions = (await list("versions")) as Version[];
  if (wanted !== "") {
    const found = versions.find(
      ({ id, annotations }) => id === wanted || annotations?.["workers/tag"] === wanted,
    );
    return found ?? { id: wanted, number: 0 };
  }
  const deployments = (await list("deployments")) as Deployment[];
  deployments.sort((a, b) => b.created_on.localeCompare(a.created_on));
  const whole = deployments.flatMap(({ versions }) =>
    versions.flatMap(({ version_id, percentage }) => (percentage === 100 ? version_id : [])),
  );
  const serving = deployments[0]?.versions.map(({ version_id }) => version_id) ?? [];
  const numbers = versions.flatMap(({ id, number }) => (serving.includes(id) ? number : []));
  // Where the one that serves is older than all that are listed, none of them is before it.
  const [target] = versions
    .filter(
      ({ id, number }) => numbers.length > 0 && whole.includes(id) && number < Math.min(...numbers),
    )
    .sort((a, b) => b.number - a.number);
  if (target !== undefined) return target;
  throw new DeployError(
    `${name} has served no version before this one, as far as the platform lists them.`,
    `To go to another one, name it: npm run deploy -- --rollback <version>, of npx wrangler versions list --name ${name}`,
  );
}
