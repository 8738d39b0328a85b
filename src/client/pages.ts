/** The script of the list of pages: it undoes deletions. */
import { FRAME_SCRIPT_TEXTS } from "../dashboard/script-texts.ts";
import { announce } from "./announce.ts";
import { signedPost } from "./signed-post.ts";

const language = document.documentElement.lang === "en" ? "en" : "ar";
const texts = FRAME_SCRIPT_TEXTS[language];

/** Why a deletion could not be undone, by the status of the answer. */
const REASONS: Readonly<Record<number, string>> = {
  403: texts.undo_no_room,
  404: texts.undo_too_late,
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
    try {
      const { ok, status } = await signedPost(path);
      // 401: the page then links to sign-in.
      if (ok || status === 401) return location.reload();
      say(REASONS[status] ?? texts.undo_failed);
      button.disabled = status === 404;
    } catch {
      say(texts.undo_failed);
      button.disabled = false;
    }
  };
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-undelete]")) {
  offerUndo(button, button.dataset.undelete ?? "");
}
