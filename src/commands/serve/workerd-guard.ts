import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends a child when this process is killed with SIGKILL, which runs no `exit` handler: workerd would keep
 * the port and the state. The system closes the pipe of a dead process, and the shell that reads from it
 * then kills it.
 */
export function endWithUs(child: ChildProcess): void {
  if (process.platform === "win32") return;
  const guard = spawn("sh", ["-c", 'read -r _; kill -9 "$0"', String(child.pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {});
  guard.unref();
  child.once("exit", () => guard.kill("SIGKILL"));
}
