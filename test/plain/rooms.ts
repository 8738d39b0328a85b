/**
 * The table of rooms in docs/architecture.md "Rooms and the import order": a room is a folder, and imports, types
 * included, only from the rooms that its row names.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "../../src/commands/root.ts";

const [, table = ""] =
  /^```rooms\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, "docs/architecture.md"), "utf8")) ?? [];

/** What each room may import: rooms, and single files. A row may go on in the next lines. */
export const ROOMS: ReadonlyMap<string, readonly string[]> = new Map(
  table
    .replaceAll("\n  ", " ")
    .trim()
    .split("\n")
    .map((row) => {
      const [room = "", allowed = ""] = row.split(":");
      return [room, allowed.split(" ").filter((entry) => entry !== "")];
    }),
);

export interface Fault {
  from: string;
  to: string;
  because: string;
}

const IMPORT =
  /^(?:import|export)\b[^"';]*\bfrom "(\.[^"]+)"|^import "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

export function importsOf(file: string, text: string): string[] {
  const folder = posix.dirname(file);
  return Array.from(text.matchAll(IMPORT), ([, a, b, c]) => posix.join(folder, a ?? b ?? c ?? ""));
}

/** The editor's folders are parts of one room. */
const EDITOR = "src/client/editor";
/** The room of the files that describe the API. The build alone reads them: the Worker's script has none. */
export const DESCRIPTIONS = "*.openapi.ts";

export function roomOf(file: string): string {
  if (file.startsWith(`${EDITOR}/`)) return EDITOR;
  if (file.endsWith(".openapi.ts") || file.startsWith("src/site/openapi/")) return DESCRIPTIONS;
  return posix.dirname(file);
}

export function faultOf(from: string, to: string): Fault | null {
  const because = reasonAgainst(from, to);
  return because === null ? null : { from, to, because };
}

function reasonAgainst(from: string, to: string): string | null {
  // The build makes these.
  if (to.startsWith("src/client/dist/")) return null;
  const [room, other] = [roomOf(from), roomOf(to)];
  if (/-route\.tsx?$/.test(to)) {
    const isMounted = from.endsWith("/routes.ts") && to.startsWith(`${posix.dirname(from)}/`);
    const isHot = from === "src/index.ts" && to === "src/counting/beacon-route.ts";
    const mounts = isMounted || isHot || room === other;
    return mounts ? null : "a route is mounted, and imported by no other room";
  }
  if (/^src\/client\b/.test(room) && /-store\.ts$/.test(to)) return "a browser has no store";
  // They describe every room that a request reaches.
  if (room === DESCRIPTIONS && !/^src\/(client|commands)\b/.test(to)) return null;
  if (room === other) return null;
  const allowed = ROOMS.get(room);
  if (allowed === undefined) return "the room is not in the table";
  return permissionFor(to, allowed) === undefined ? "the room may not import from there" : null;
}

/** The entry of a row that lets its room import this file: the file itself, or its room. */
export function permissionFor(to: string, allowed: readonly string[]): string | undefined {
  return allowed.find((entry) => entry === to || entry === roomOf(to));
}
