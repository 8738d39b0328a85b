/** The end of a run: whether the service is well, and its page in the browser. */
import { spawn } from "node:child_process";
import { untilWell } from "./health.ts";
import { done, say } from "./step.ts";

interface Wish {
  wait_s: number;
  open: boolean;
  /** The version that was uploaded: until it serves, the one before it answers. */
  version: string | undefined;
}

/** Asks the service whether it is well. @returns the exit code */
export async function report(url: string | undefined, wish: Wish): Promise<number> {
  if (url === undefined) {
    say(
      "  The address of the service is not known here: give it with --url, and it will be probed.",
    );
    return 0;
  }
  const { ok, faults, version } = await untilWell(url, wish.wait_s * 1_000, wish.version);
  if (!ok) {
    console.error(`✗ ${url} is not well yet:`);
    for (const fault of faults) console.error(`  ${fault}`);
    console.error(
      "  Mend it and run the same command again, or go back: npm run deploy -- --rollback",
    );
    return 1;
  }
  done(`${url} is well, version ${version}`);
  if (wish.open) openInBrowser(url);
  return 0;
}

function openInBrowser(url: string): void {
  const command = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open";
  spawn(command, [url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
