/** The script of pages with a form: of a tip, a newsletter or its mails. */
import { sayUnanswered } from "./unanswered.ts";

sayUnanswered();
