/** The script of pages that have nothing but a form. */
import { sayUnanswered } from "./unanswered.ts";

sayUnanswered();
