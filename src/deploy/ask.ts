/** Questions at the terminal. */
import { createInterface } from "node:readline/promises";
import { DeployError } from "./deploy-error.ts";

/** Whether somebody is there to answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** The answer; `''` where nobody is there. @throws {DeployError} where the terminal is closed in place of an answer */
export async function ask(question: string): Promise<string> {
  if (!canAsk()) return "";
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<never>((_, reject) => {
    terminal.once("close", () => {
      console.log();
      reject(new DeployError("No answer.", "Nothing was changed. Run it again when you have it."));
    });
  });
  try {
    return (await Promise.race([terminal.question(question), closed])).trim();
  } finally {
    terminal.close();
  }
}
