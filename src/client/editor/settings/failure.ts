import type { Refusal } from "../../api.ts";
import type { Unsaved } from "../send-change.ts";
import { SETTINGS_TEXTS } from "./settings-texts.ts";

export function failureOf(answer: Refusal | Unsaved): string {
  if (answer.code === "UNSAVED") return SETTINGS_TEXTS.not_saved;
  return answer.message || SETTINGS_TEXTS.no_answer;
}
