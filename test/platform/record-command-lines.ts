/** Preloaded into every Node process of a run: appends the command line of each child that it starts to a file. */
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

const file = process.env.SILA_COMMAND_LINES;

subscribe("child_process", (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once("spawn", () => {
    if (file !== undefined) appendFileSync(file, `${child.spawnargs.join(" ")}\n`);
  });
});
