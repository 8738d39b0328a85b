/** Sends the forms of `src/identity/account-page.tsx` as JSON, then loads the page again. */
import "./report-errors.ts";
import { announce } from "./announce.ts";
import { call } from "./call.ts";
import { type Outcome, REFUSALS, register, saidOf, texts, whyImpossible } from "./passkeys.ts";

/** The part of the page and what it says there when it is loaded again. */
const STORED = "sila-account";

const main = document.querySelector("main");

async function ask({ dataset }: HTMLFormElement, fields: Fields): Promise<Outcome> {
  const { action = "", method = "", after } = dataset;
  if (after === "passkey") return register(action, {}, {});
  const answer = await call(action, method, method === "DELETE" ? null : JSON.stringify(fields));
  return answer?.ok ? answer : { ok: false, answer };
}

type Fields = Readonly<Record<string, unknown>>;

/** The page shows by itself that a session is over, or a row gone. */
function isOutdated(outcome: Outcome, method: string | undefined): boolean {
  if (outcome.ok || "problem" in outcome || outcome.answer === null) return false;
  const { status, body } = outcome.answer;
  return body.code === "AUTH_REQUIRED" || (status === 404 && method === "DELETE");
}

async function send(form: HTMLFormElement): Promise<void> {
  const { method, after, part = "", done = "" } = form.dataset;
  const button = form.querySelector("button");
  const words = form.querySelector("[data-words]");
  const problem = form.querySelector("[data-problem]");
  const offered = words?.textContent ?? "";
  if (button === null || button.hasAttribute("aria-disabled")) return;
  // Not `disabled`, which would lose the focus.
  button.setAttribute("aria-disabled", "true");
  if (problem !== null) problem.textContent = "";
  if (words !== null) words.textContent = texts.waiting;
  const fields = Object.fromEntries(new FormData(form));
  const outcome = await ask(form, fields);
  if (outcome.ok && after === "deleted") return showDeleted();
  if (outcome.ok && after === "leave") return location.assign(String(outcome.body.location));
  if (isOutdated(outcome, method)) return location.reload();
  if (outcome.ok && after !== "codes" && after !== "code")
    return loadAgain(part, done, fields.locale);
  button.removeAttribute("aria-disabled");
  if (words !== null) words.textContent = offered;
  if (outcome.ok && after === "code") askForCode(outcome.body.ticket);
  else if (outcome.ok) showCodes(outcome.body.codes);
  else if (problem !== null) {
    const refusals = fields.ticket ? { SIGN_IN_REFUSED: refusedCode(outcome) } : REFUSALS.add;
    problem.textContent = saidOf(outcome, refusals);
  }
}

/** @param locale the chosen language: an address may have another one in it */
function loadAgain(part: string, done: string, locale: unknown): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ part, done }));
  } catch {
    // The page shows what has changed, and cannot say it without the browser's storage.
  }
  const url = new URL(location.href);
  if (typeof locale === "string" && url.searchParams.has("lang")) {
    url.searchParams.set("lang", locale);
  }
  if (url.href === location.href) location.reload();
  else location.assign(url.href);
}

function sayDone(): void {
  try {
    const { part, done } = JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
    sessionStorage.removeItem(STORED);
    const said = document.querySelector(`[data-said="${part}"]`);
    if (said === null) return;
    said.textContent = String(done);
    document.getElementById(part)?.focus({ preventScroll: true });
    announce(String(done));
  } catch {
    // See loadAgain().
  }
}

function showDeleted(): void {
  const deleted = main?.querySelector<HTMLElement>("[data-deleted]");
  if (!main || !deleted) {
    location.reload();
    return;
  }
  for (const child of [...main.children]) {
    if (child !== deleted && !child.matches(".title")) child.remove();
  }
  // The links are of a session that is over.
  document.querySelector(".bar-end")?.remove();
  deleted.hidden = false;
  deleted.querySelector("h2")?.focus();
}

function refusedCode(outcome: Outcome & { ok: false }): string {
  const body = "answer" in outcome && outcome.answer?.ok === false ? outcome.answer.body : null;
  return body?.details.reason === "taken" ? texts.taken_email : texts.bad_mail_code;
}

function askForCode(ticket: unknown): void {
  const part = main?.querySelector<HTMLElement>("[data-email-code]");
  const kept = part?.querySelector<HTMLInputElement>("[name=ticket]");
  const code = part?.querySelector<HTMLInputElement>("[name=code]");
  if (!part || !kept || !code) {
    location.reload();
    return;
  }
  kept.value = String(ticket);
  code.value = "";
  part.hidden = false;
  code.focus();
}

function showCodes(made: unknown): void {
  const shown = main?.querySelector<HTMLElement>("[data-codes]");
  const list = shown?.querySelector("ol");
  if (!main || !shown || !list || !Array.isArray(made)) {
    location.reload();
    return;
  }
  const codes = made.map(String);
  list.replaceChildren(
    ...codes.map((code) => {
      const item = document.createElement("li");
      item.textContent = code;
      return item;
    }),
  );
  main.querySelector("[data-make-codes]")?.remove();
  main.querySelector("[data-codes-left]")?.remove();
  // The printer gets nothing else.
  document.body.classList.add("has-codes");
  shown.parentElement?.classList.add("is-printed");
  shown.hidden = false;
  shown.querySelector<HTMLElement>("[data-codes-shown]")?.focus();
  const title = shown.querySelector("p")?.textContent ?? "";
  offerToKeep(shown, [title, "", ...codes, ""].join("\n"));
}

function offerToKeep(shown: HTMLElement, text: string): void {
  const copy = shown.querySelector<HTMLButtonElement>("[data-copy-codes]");
  const download = shown.querySelector<HTMLButtonElement>("[data-download-codes]");
  const print = shown.querySelector<HTMLButtonElement>("[data-print-codes]");
  if (download !== null) download.onclick = () => downloadCodes(text);
  if (print !== null) print.onclick = () => window.print();
  if (copy === null) return;
  // Absent over http, except on this machine.
  copy.hidden = navigator.clipboard === undefined;
  copy.onclick = () => {
    const { done = "", failed = "" } = copy.dataset;
    const say = (said: string) => {
      copy.textContent = said;
      announce(said);
    };
    navigator.clipboard.writeText(text).then(
      () => say(done),
      () => say(failed),
    );
  };
}

function downloadCodes(text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  link.download = "sila-recovery-codes.txt";
  link.click();
}

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-action]")) {
  const why = form.dataset.after === "passkey" ? whyImpossible() : null;
  const problem = form.querySelector("[data-problem]");
  if (why !== null && problem !== null) problem.textContent = why;
  for (const button of form.querySelectorAll("button")) button.disabled = why !== null;
  form.onsubmit = (event) => {
    event.preventDefault();
    void send(form);
  };
}
sayDone();
