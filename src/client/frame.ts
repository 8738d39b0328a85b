/** Signing out, menus, and copying of addresses. Pages are complete without this script. */
import "./report-errors.ts";
import { FRAME_SCRIPT_TEXTS } from "../dashboard/script-texts.ts";
import { LOGOUT_PATH } from "../http/endpoints.ts";
import { announce } from "./announce.ts";
import { call } from "./call.ts";
import { showWithoutStyle } from "./late-style.ts";
import { whenParsed } from "./when-parsed.ts";

const language = document.documentElement.lang === "en" ? "en" : "ar";
const texts = FRAME_SCRIPT_TEXTS[language];

function offerSignOut(button: HTMLButtonElement): void {
  const words = button.textContent;
  button.hidden = false;
  button.onclick = async () => {
    button.disabled = true;
    button.textContent = texts.signing_out;
    const answer = await call(LOGOUT_PATH, "POST");
    // 401: signed out already.
    if (answer?.ok || answer?.status === 401) return location.assign("/");
    button.disabled = false;
    button.textContent = texts.sign_out_failed;
    announce(texts.sign_out_failed);
    button.onblur = () => {
      button.textContent = words;
    };
  };
}

function offerCopy(button: HTMLButtonElement): void {
  const words = button.querySelector("[data-words]");
  const offered = words?.textContent ?? "";
  const { copied = "", failed = "" } = button.dataset;
  const show = (shown: string) => {
    if (words !== null) words.textContent = shown;
  };
  const say = (said: string) => {
    show(said);
    announce(said);
  };
  button.hidden = false;
  button.onclick = () => {
    navigator.clipboard.writeText(button.dataset.copy ?? "").then(
      () => say(copied),
      () => say(failed),
    );
  };
  button.onblur = () => show(offered);
}

function closeMenus(): void {
  const menus = document.querySelectorAll<HTMLDetailsElement>("details[data-menu]");
  const close = (is_left: (menu: HTMLElement) => boolean) => {
    for (const menu of menus) if (menu.open && is_left(menu)) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => {
    close((menu) => !(target instanceof Node && menu.contains(target)));
  });
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    for (const menu of menus) {
      if (menu.open && target instanceof Node && menu.contains(target)) {
        menu.querySelector("summary")?.focus();
      }
    }
    close(() => true);
  });
}

whenParsed(() => {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-sign-out]")) {
    offerSignOut(button);
  }
  // Absent over http, except on this machine.
  if (navigator.clipboard !== undefined) {
    for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
      offerCopy(button);
    }
  }
  closeMenus();
});
showWithoutStyle();
