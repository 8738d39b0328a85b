/**
 * Every mutant, and what notices it. The models and the storms run the broken code themselves; the rooms' mutants are
 * noticed by a test. `pins.json` has, by kind and name, the model's seed or the test that notices a mutant, because to
 * search for it takes minutes.
 */
import { BLOCK_MUTANTS, loadBlockMutant } from "../model/blocks/mutants.ts";
import { firstBlockViolation } from "../model/blocks/run.ts";
import { loadMutant, MUTANTS } from "../model/mutants.ts";
import { firstViolation } from "../model/run.ts";
import { STORM_MUTANTS, stormOf } from "../scale/storm-mutants.ts";
import { DRAWN_MUTANTS } from "./drawn-mutants.ts";
import pins from "./pins.json" with { type: "json" };
import { ROOM_MUTANTS, type RoomMutant } from "./room-mutants.ts";
import { failureOf } from "./rooms.ts";

/** A broken rule that is not found with so many seeds counts as not found. */
const SEEDS = { model: 1_000, blocks: 300 };

export interface Noticed {
  by: string;
  /** The model's seed or the name of the test that noticed it, and the one that should have. */
  pin?: number | string;
  pinned?: number | string | undefined;
}

interface Kind {
  names: readonly string[];
  notice(name: string): Promise<Noticed | null>;
}

type Found = { seed: number; violation: string } | null;
type Search = (seeds: { from: number; to: number }) => Promise<Found>;

export const PINS: Record<string, Record<string, number | string> | undefined> = pins;

/** With the pinned seed, or else with the first that notices the mutant. */
async function searched(
  kind: keyof typeof SEEDS,
  name: string,
  search: Search,
): Promise<Noticed | null> {
  const pinned = Number(PINS[kind]?.[name] ?? 1);
  const found =
    (await search({ from: pinned, to: pinned })) ?? (await search({ from: 1, to: SEEDS[kind] }));
  return found && { by: found.violation, pin: found.seed, pinned };
}

/** Those that no test notices are listed in their table with the reason, and not run. */
const inRooms = (kind: string, table: Record<string, RoomMutant>): Kind => ({
  names: Object.keys(table).filter((name) => table[name]?.caught_by !== null),
  notice: async (name) => {
    const mutant = table[name];
    if (mutant === undefined) throw new Error(`no mutant ${name}`);
    const pinned = PINS[kind]?.[name]?.toString();
    const by = await failureOf(mutant, pinned);
    return by === null ? null : { by, pin: by, pinned };
  },
});

export const KINDS: Record<string, Kind> = {
  model: {
    names: Object.keys(MUTANTS),
    notice: async (name) => {
      const code = await loadMutant(name);
      return searched("model", name, (seeds) => firstViolation(code, seeds));
    },
  },
  blocks: {
    names: Object.keys(BLOCK_MUTANTS),
    notice: async (name) => {
      const code = await loadBlockMutant(name);
      return searched("blocks", name, (seeds) => firstBlockViolation(seeds, code));
    },
  },
  storm: {
    names: Object.keys(STORM_MUTANTS),
    notice: async (name) => {
      const [by] = await stormOf(name);
      return by === undefined ? null : { by };
    },
  },
  rooms: inRooms("rooms", ROOM_MUTANTS),
  drawn: inRooms("drawn", DRAWN_MUTANTS),
};
