import { join } from "node:path";

/** Independent of the working directory; a slash ends it. */
export const ROOT = join(import.meta.dirname, "../../");
