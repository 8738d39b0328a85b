/**
 * Marks shown notifications as read, once somebody can see them. A GET must not do that, because
 * browsers send one ahead of a visit that may never come.
 */
import { FRAME_SCRIPT_TEXTS, UNREAD } from "../dashboard/script-texts.ts";
import { languageOf, parseReaderLocale } from "../views/numbering.ts";
import { formatNumber, inForm } from "../views/numbers.ts";
import { announce } from "./announce.ts";
import { call } from "./call.ts";

const READ_PATH = "/api/me/notifications/read";

const main = document.querySelector<HTMLElement>("main[data-locale]");
const locale = parseReaderLocale(main?.dataset.locale);

/** Returns how many are unread then; null where the service does not say so. */
async function markRead(which: { ids: string[] } | { all: true }): Promise<number | null> {
  const answer = await call(READ_PATH, "POST", JSON.stringify(which));
  const unread = answer?.ok ? answer.body.unread : null;
  return typeof unread === "number" ? unread : null;
}

function showUnread(unread: number): void {
  const [, shown, said] = document.querySelectorAll<HTMLElement>("[data-bell] > span");
  if (shown === undefined || said === undefined) return;
  shown.hidden = unread === 0;
  shown.textContent = formatNumber(locale, unread);
  said.textContent = unread === 0 ? "" : ` (${inForm(locale, UNREAD[languageOf(locale)], unread)})`;
}

function offerReadAll(button: HTMLButtonElement | null, unread: number): void {
  if (button === null) return;
  const texts = FRAME_SCRIPT_TEXTS[languageOf(locale)];
  button.hidden = unread === 0;
  button.onclick = async () => {
    button.disabled = true;
    const left = await markRead({ all: true });
    button.disabled = false;
    if (left === null) {
      button.textContent = texts.not_read;
      announce(texts.not_read);
      return;
    }
    button.hidden = left === 0;
    showUnread(left);
    for (const mark of document.querySelectorAll<HTMLElement>(".fresh")) mark.hidden = true;
    announce(texts.all_read);
  };
}

async function markShown(): Promise<void> {
  const shown = [...document.querySelectorAll<HTMLElement>("[data-unread]")];
  const ids = shown.flatMap(({ dataset }) => dataset.unread ?? []);
  if (ids.length === 0) return;
  const unread = await markRead({ ids });
  if (unread === null) return;
  showUnread(unread);
  offerReadAll(document.querySelector("[data-read-all]"), unread);
}

if (document.visibilityState === "visible") markShown();
else document.addEventListener("visibilitychange", () => markShown(), { once: true });
