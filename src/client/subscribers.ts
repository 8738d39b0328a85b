/** The live number, and a deletion after a question. A link shows the newest subscribers. */

import { SUBSCRIBERS, SUBSCRIBERS_SCRIPT_TEXTS } from "../dashboard/subscribers-script-texts.ts";
import { languageOf, parseReaderLocale } from "../views/numbering.ts";
import { inForm } from "../views/numbers.ts";
import { announce } from "./announce.ts";
import { call } from "./call.ts";
import { watch } from "./dashboard-socket.ts";

const main = document.querySelector<HTMLElement>("main[data-page]");
const locale = parseReaderLocale(main?.dataset.locale);
const language = languageOf(locale);
const texts = SUBSCRIBERS_SCRIPT_TEXTS[language];

function showNumber(page: HTMLElement, n: number): void {
  const number = page.querySelector<HTMLElement>("[data-subscribers]");
  const fresh = page.querySelector<HTMLElement>("[data-fresh]");
  if (number === null || number.dataset.subscribers === String(n)) return;
  if (fresh !== null) fresh.hidden &&= n < Number(number.dataset.subscribers);
  number.dataset.subscribers = String(n);
  number.textContent = inForm(locale, SUBSCRIBERS[language], n);
}

function offerRemoval(button: HTMLButtonElement, sure: HTMLDialogElement): void {
  const words = button.textContent;
  const { remove: path = "", email = "" } = button.dataset;
  const failed = () => {
    button.disabled = false;
    button.textContent = words;
    announce(texts.failed);
  };
  const removed = () => {
    const row = button.closest("tr");
    const next = row?.nextElementSibling ?? row?.previousElementSibling;
    row?.remove();
    (next?.querySelector("button") ?? main)?.focus();
    announce(texts.removed);
  };
  button.hidden = false;
  button.onclick = () => {
    const shown = sure.querySelector("[data-sure-email]");
    if (shown !== null) shown.textContent = email;
    sure.returnValue = "no";
    sure.onclose = async () => {
      if (sure.returnValue !== "yes") return button.focus();
      button.disabled = true;
      button.textContent = texts.removing;
      // 401: the page then links to sign-in. 404: deleted already, or the subscriber has left.
      const answer = await call(path, "DELETE");
      if (answer?.status === 401) location.reload();
      else if (answer?.ok || answer?.status === 404) removed();
      else failed();
    };
    sure.showModal();
  };
}

function start(page: HTMLElement): void {
  const sure = page.querySelector<HTMLDialogElement>("[data-sure]");
  // Browsers of before 2022 have no dialog.
  if (typeof sure?.showModal === "function") {
    for (const button of page.querySelectorAll<HTMLButtonElement>("[data-remove]")) {
      offerRemoval(button, sure);
    }
  }
  watch(`/api/me/pages/${encodeURIComponent(page.dataset.page ?? "")}/live`, {
    changed({ subscribers }) {
      if (subscribers !== null) showNumber(page, subscribers);
    },
    stateChanged() {},
    failing() {},
  });
}

if (main !== null) start(main);
