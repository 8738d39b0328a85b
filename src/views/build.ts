/** Names the sources of this Worker; `src/client/build.ts` writes it. */
import build from "../client/dist/build.json";

export const BUILD: string = build;
