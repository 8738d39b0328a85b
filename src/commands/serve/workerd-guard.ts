import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends a child when this process is killed with SIGKILL, which runs no `exit` handler: workerd
 * would keep the port and the state. The system closes a dead process's pipe, and the shell that
 * reads it kills the child.
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
