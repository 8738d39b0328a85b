import { type ParseArgsConfig, parseArgs } from "node:util";

export class BadOptions extends Error {}

/** @throws {BadOptions} */
export function parseOptions<O extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: O,
) {
  // `npm run deploy --dry-run` would deploy: npm takes a flag without `--` before it for its own, as a variable.
  const taken = Object.keys(options).find(
    (flag) => process.env[`npm_config_${flag.replaceAll("-", "_")}`] !== undefined,
  );
  if (taken !== undefined) {
    const command = process.env.npm_lifecycle_event ?? "deploy";
    throw new BadOptions(
      `npm took --${taken} for itself. Write -- before it: npm run ${command} -- --${taken}`,
    );
  }
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new BadOptions(error instanceof Error ? error.message : String(error));
  }
}

/** An environment's name becomes a part of names of the account. @throws {BadOptions} */
export function environmentIn(name: string): string {
  if (/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/.test(name)) return name;
  throw new BadOptions("--env takes a name of small letters, digits and hyphens");
}

/** @throws {BadOptions} */
export function addressIn(url: string | undefined): string | undefined {
  const address = url?.replace(/\/+$/, "");
  if (address === undefined || /^https?:\/\/[^/?#\s]+$/.test(address)) return address;
  throw new BadOptions("--url takes an address such as https://sila.example");
}
