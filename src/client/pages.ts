import { FRAME_SCRIPT_TEXTS } from "../dashboard/script-texts.ts";
import { announce } from "./announce.ts";
import { call } from "./call.ts";

const language = document.documentElement.lang === "en" ? "en" : "ar";
const texts = FRAME_SCRIPT_TEXTS[language];

const REASONS: Readonly<Record<string, string>> = {
  PLAN_LIMIT: texts.undo_no_room,
  PAGE_NOT_FOUND: texts.undo_too_late,
};

function offerUndo(button: HTMLButtonElement, path: string): void {
  const words = button.querySelector("[data-words]");
  const say = (said: string) => {
    if (words !== null) words.textContent = said;
    announce(said);
  };
  button.hidden = false;
  button.onclick = async () => {
    button.disabled = true;
    say(texts.undoing);
    const answer = await call(path, "POST");
    // 401: the page then links to sign-in.
    if (answer?.ok || answer?.status === 401) return location.reload();
    say(REASONS[answer?.body.code ?? ""] ?? texts.undo_failed);
    button.disabled = answer?.status === 404;
  };
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-undelete]")) {
  offerUndo(button, button.dataset.undelete ?? "");
}
