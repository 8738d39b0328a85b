import { rmSync } from "node:fs";
import release from "../../../package.json" with { type: "json" };
import type { Configuration } from "./configuration.ts";
import type { KeptFiles } from "./kept.ts";
import { isOfFreePlan, onFreePlan, type Plan } from "./plan.ts";
import { step } from "./step.ts";
import type { Target } from "./target.ts";
import type { Wrangler } from "./wrangler.ts";

export interface Uploaded {
  address?: string | undefined;
  plan?: Plan | undefined;
}

/**
 * Uploads the Workers in their order, the service with the secrets that it lacks. A dry run only bundles their code.
 *
 * @param secrets their names, and their values, which a dry run lacks
 */
export async function uploadWorkers(
  wrangler: Wrangler,
  files: KeptFiles,
  { configurations, service }: Target,
  secrets: { names: readonly string[]; values: Record<string, string> },
  dry_run: boolean,
): Promise<Uploaded> {
  const { names, values } = secrets;
  const lacked = Object.fromEntries(names.map((name) => [name, values[name] ?? ""]));
  let uploaded: Uploaded = {};
  for (const one of configurations) {
    const config = files.writeConfiguration(one);
    const given = one === service && names.length > 0 ? `, with ${names.join(", ")}` : "";
    if (dry_run) await wrangler.run(["deploy", "--dry-run", "--config", config]);
    await step(dry_run, `upload ${one.name}${given}`, async () => {
      if (one !== service) await uploadWorker(wrangler, config, {}, files);
      else
        uploaded = await uploadService(files, one, () =>
          uploadWorker(wrangler, config, lacked, files),
        );
    });
  }
  return uploaded;
}

/** The free plan takes the service without what that plan lacks. */
async function uploadService(
  files: KeptFiles,
  service: Configuration,
  upload: () => Promise<string | undefined>,
): Promise<Uploaded> {
  try {
    const address = await upload();
    // A wrangler.toml without the limit asks nothing.
    return { address, plan: service.limits === undefined ? undefined : "paid" };
  } catch (error) {
    if (!isOfFreePlan(error)) throw error;
    // The next upload reads the same file.
    files.writeConfiguration(onFreePlan(service));
    return { address: await upload(), plan: "free" };
  }
}

/** The Worker keeps secrets that it has. Answers its address, if wrangler names one. */
async function uploadWorker(
  wrangler: Wrangler,
  config: string,
  secrets: Record<string, string>,
  files: KeptFiles,
): Promise<string | undefined> {
  const args = ["deploy", "--config", config, "--message", `Sila ${release.version}`];
  let path: string | undefined;
  if (Object.keys(secrets).length > 0) {
    path = files.write(`upload-${process.pid}.secrets.json`, secrets);
    args.push("--secrets-file", path);
  }
  try {
    const { entries } = await wrangler.run(args);
    const targets = entries.flatMap((one) => (one.type === "deploy" ? (one.targets ?? []) : []));
    return targets.find((target) => target.startsWith("https://"));
  } finally {
    if (path !== undefined) rmSync(path);
  }
}
