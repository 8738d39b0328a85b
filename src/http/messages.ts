/** The messages of schemas that have none of their own, in English; `zod/mini` comes without. */
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";

z.config(english());
