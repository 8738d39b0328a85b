/** A process of `npm run mutants`: is told a mutant, answers what has noticed it. */
import { KINDS } from "./kinds.ts";
import { endRooms } from "./rooms.ts";

export interface Task {
  kind: string;
  name: string;
}

export interface Outcome extends Task {
  by: string | null;
  error?: string;
  pin?: number | string;
  pinned?: number | string | undefined;
}

async function outcome({ kind, name }: Task): Promise<Outcome> {
  try {
    const noticed = await KINDS[kind]?.notice(name);
    return { kind, name, by: null, ...noticed };
  } catch (error) {
    return { kind, name, by: null, error: String(error) };
  }
}

process.on("message", async (task: Task) => {
  process.send?.(await outcome(task));
});
process.on("disconnect", async () => {
  await endRooms();
  process.exit();
});
