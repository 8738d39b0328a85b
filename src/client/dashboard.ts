/**
 * The dashboard's script. The page is complete without it, except for the chart, the live numbers,
 * the mark "exact" and signing out.
 */
import "./report-errors.ts";
import { CSRF_HEADER, LOGOUT_PATH, SESSION_PATH } from "../http/endpoints.ts";
import { SCRIPT_TEXTS } from "../stats/dashboard/script-texts.ts";
import { chartOf } from "./dashboard-chart.ts";
import { exactMark } from "./dashboard-exact.ts";
import { liveNumbers } from "./dashboard-live.ts";
import { watch } from "./dashboard-socket.ts";

const main = document.querySelector<HTMLElement>("main.dashboard");
const locale = main?.dataset.locale === "en" ? "en" : "ar";
const texts = SCRIPT_TEXTS[locale];

function offerSignOut(button: HTMLButtonElement): void {
  const words = button.textContent;
  const token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
  button.hidden = false;
  button.onclick = () => {
    button.disabled = true;
    button.textContent = texts.signing_out;
    const failed = () => {
      button.disabled = false;
      button.textContent = texts.sign_out_failed;
      button.onblur = () => {
        button.textContent = words;
      };
    };
    fetch(LOGOUT_PATH, { method: "POST", headers: { [CSRF_HEADER]: token } }).then(
      // 401: signed out already.
      ({ ok, status }) => (ok || status === 401 ? location.assign("/") : failed()),
      failed,
    );
  };
}

/** A socket does not report why it failed. Without a session the reloaded page links to sign-in. */
function reloadIfSignedOut(): void {
  fetch(SESSION_PATH)
    .then((response) => response.json())
    .then(({ authenticated }) => authenticated === false && location.reload())
    .catch(() => {});
}

/** Shows that another period is loading, which takes a moment. */
function sayLoading(page: HTMLElement): void {
  const words = page.querySelector("[data-loading]");
  const set = (is_loading: boolean) => {
    page.classList.toggle("is-loading", is_loading);
    if (words !== null) words.textContent = is_loading ? texts.loading : "";
  };
  for (const link of page.querySelectorAll<HTMLElement>(".tabs a")) {
    link.addEventListener("click", ({ ctrlKey, metaKey, shiftKey }) => {
      if (!ctrlKey && !metaKey && !shiftKey) set(true);
    });
  }
  page.querySelector(".custom form")?.addEventListener("submit", () => set(true));
  // Back on this page from the back/forward cache.
  addEventListener("pageshow", () => set(false));
}

/** Closes a menu at a click outside it, and at Escape. */
function closeMenus(): void {
  const menus = document.querySelectorAll<HTMLDetailsElement>("details.switcher, details.exact");
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

function start(page: HTMLElement): void {
  const { page: page_id, day, tz } = page.dataset;
  sayLoading(page);
  closeMenus();
  if (page_id === undefined) return;
  const api = `/api/me/pages/${encodeURIComponent(page_id)}`;
  const chart = chartOf(page, locale);
  const check = exactMark(page, locale, `${api}/audit`);
  if (day === undefined || tz === undefined) return;
  const numbers = liveNumbers(page, locale, { day, tz });
  watch(`${api}/live`, {
    changed(message) {
      if (!numbers.move(message)) return;
      chart?.redraw();
      check?.();
    },
    stateChanged: numbers.stateChanged,
    failing: reloadIfSignedOut,
  });
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-sign-out]")) {
  offerSignOut(button);
}
if (main !== null) start(main);
