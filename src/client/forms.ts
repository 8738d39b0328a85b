/** Pages that have nothing but a form load this script. */
import { showWithoutStyle } from "./late-style.ts";
import { sayUnanswered } from "./unanswered.ts";
import { whenParsed } from "./when-parsed.ts";

whenParsed(sayUnanswered);
showWithoutStyle();
