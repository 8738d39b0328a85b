/** The script of pages that have nothing but a form. */
import { showWithoutStyle } from "./late-style.ts";
import { sayUnanswered } from "./unanswered.ts";
import { whenParsed } from "./when-parsed.ts";

whenParsed(sayUnanswered);
showWithoutStyle();
