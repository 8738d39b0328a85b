export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && !isEphemeral();
}

/** Workers Builds and every other CI delete this machine after the run, and `.sila` with it. */
export function isEphemeral(): boolean {
  const { CI = "", WORKERS_CI = "" } = process.env;
  return ![CI, WORKERS_CI].every((value) => ["", "0", "false"].includes(value.toLowerCase()));
}
