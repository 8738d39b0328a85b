/** `npm run hub:check`: judges an account hub (docs/operations.md "Writing an account hub"). */
import { BadOptions, parseOptions } from "../../src/commands/deploy/options.ts";
import { Secret } from "../../src/http/secret.ts";
import { judgeHub } from "./judge.ts";
import { POINTS_MIN, Unfit } from "./rules.ts";
import type { HubUnderTest } from "./trial.ts";

const HELP = `npm run hub:check -- <address> --cookie-name <name>

Judges an account hub by the rules of docs/contract.md section 8, one line for each. It asks the hub's six routes from
outside, as the service does. Use a hub in test, and two of its users whom nothing else uses meanwhile.

  <address>             the hub, as https://hub.example
  --cookie-name <name>  the cookie that carries its sessions
  --help

From the environment, because options could be read by others:

  HUB_SESSION           the cookie's value of a user with at least ${POINTS_MIN} points. At the end the check logs it out
  HUB_OTHER_SESSION     the cookie's value of another user
  HUB_WEBHOOK_SECRET    the secret that the hub shares with the service

It sends ALL points of the first user to the other one, in many transfers, and at the end as many back as the hub lets the
other user spend. It leaves about 60 transfers and 30 closed keys.

The exit code is 0 where all rules are kept, 1 where one is broken or could not be judged, 2 where it did not begin.
`;
const BAD_OPTIONS = 2;
/** A cookie's value, as the contract has it. */
const COOKIE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,1024}$/;
const COOKIE_NAME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;
const MARKS = { kept: "✓", broken: "✗", open: "?" };

/** Null for `--help`. @throws {BadOptions} */
function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): HubUnderTest | null {
  if (args.includes("--help")) return null;
  const [address = "", ...options] = args;
  const values = parseOptions(options, { "cookie-name": { type: "string" } });
  const url = address.replace(/\/+$/, "");
  if (!/^https?:\/\/[^?#\s]+$/.test(url)) {
    throw new BadOptions("the hub's address comes first, as https://hub.example");
  }
  const cookieName = values["cookie-name"];
  if (cookieName === undefined || !COOKIE_NAME.test(cookieName)) {
    throw new BadOptions("--cookie-name is needed: the name of the hub's cookie");
  }
  const cookie = (name: string) => {
    const value = env[name] ?? "";
    if (COOKIE.test(value)) return value;
    throw new BadOptions(`${name} must be in the environment: the value of a user's cookie alone`);
  };
  const [session, otherSession] = [cookie("HUB_SESSION"), cookie("HUB_OTHER_SESSION")];
  const secret = env.HUB_WEBHOOK_SECRET ?? "";
  const parsed = Secret.parseBase64(secret.replace(/^whsec_/, ""));
  if (typeof parsed === "string") {
    throw new BadOptions(`HUB_WEBHOOK_SECRET must be in the environment; it ${parsed}`);
  }
  return { url, cookieName, session, otherSession, secret };
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const hub = readOptions(args, process.env);
    if (hub === null) {
      process.stdout.write(HELP);
      return 0;
    }
    const verdicts = await judgeHub(hub);
    for (const { rule, outcome, reason } of verdicts) {
      console.log(`${MARKS[outcome]} ${rule}`);
      if (outcome === "broken") console.log(`  ${reason}`);
      if (outcome === "open") console.log(`  not judged, because this is broken: ${reason}`);
    }
    const number = (outcome: string) => verdicts.filter((one) => one.outcome === outcome).length;
    console.log(
      `${number("kept")} of ${verdicts.length} rules are kept, ${number("broken")} are broken, ` +
        `${number("open")} could not be judged.`,
    );
    return number("kept") === verdicts.length ? 0 : 1;
  } catch (error) {
    if (!(error instanceof BadOptions || error instanceof Unfit)) throw error;
    console.error(`${error.message}\nSee npm run hub:check -- --help`);
    return BAD_OPTIONS;
  }
}

process.exitCode = await main(process.argv.slice(2));
