import { join } from "node:path";

/** The repository's root, whatever the working directory is; a slash ends it. */
export const ROOT = join(import.meta.dirname, "../../");
