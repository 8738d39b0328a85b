/** Names the sources that this Worker was built from, with which `src/client/build.ts` leaves it. */
import build from "../client/dist/build.json";

export const BUILD: string = build;
