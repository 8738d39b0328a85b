/** English messages for schemas that have none of their own; `zod/mini` comes without. */
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";

z.config(english());
