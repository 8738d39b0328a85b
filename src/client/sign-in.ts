/**
 * The script of the pages on which people sign in or make an account (`src/identity/public-frame.tsx`). What the
 * browser and its authenticator do is @simplewebauthn/browser's; what is here is the way to the service and back,
 * and what is said where it fails.
 */
import "./report-errors.ts";
import { SESSION_PATH } from "../http/endpoints.ts";
import { call } from "./call.ts";
import { showWithoutStyle } from "./late-style.ts";
import {
  authenticate,
  language,
  type Outcome,
  register,
  saidOf,
  texts,
  whyImpossible,
} from "./passkeys.ts";
import { whenParsed } from "./when-parsed.ts";

/** Where the server names no other place. */
const AFTERWARDS = "/dashboard";

type Step = "sign-in" | "setup" | "sign-up" | "recover" | "add";

/** What a refused code means, where the answer's own text is for programs. */
const REFUSED: Readonly<Partial<Record<Step, string>>> = {
  "sign-in": texts.unknown,
  setup: texts.bad_setup_code,
  "sign-up": texts.bad_invitation,
  recover: texts.bad_code,
};

class Entry {
  readonly #form: HTMLFormElement;
  readonly #step: Step;
  readonly #button: HTMLButtonElement;
  readonly #words: HTMLElement;
  readonly #offered: string;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#step = form.dataset.step as Step;
    this.#button = this.#find("button");
    this.#words = this.#find("[data-words]");
    this.#offered = this.#words.textContent ?? "";
    this.#find("[data-not-ready]").remove();
    const why = this.#step === "recover" ? null : whyImpossible();
    this.#say(why ?? "");
    this.#button.disabled = why !== null;
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.#send();
    };
  }

  #find<T extends HTMLElement>(selector: string): T {
    const found = this.#form.querySelector<T>(selector);
    if (found === null) throw new Error(`no ${selector}`);
    return found;
  }

  #say(problem: string): void {
    this.#find("[data-problem]").textContent = problem;
  }

  /** Keeps the focus, which a disabled button would lose. */
  #work(words: string | null): void {
    this.#words.textContent = words ?? this.#offered;
    if (words === null) this.#button.removeAttribute("aria-disabled");
    else this.#button.setAttribute("aria-disabled", "true");
  }

  async #send(): Promise<void> {
    if (this.#button.hasAttribute("aria-disabled")) return;
    this.#say("");
    this.#work(texts.waiting);
    const outcome = await this.#ask();
    if (outcome.ok) {
      this.#work(texts.opening);
      await this.#done(outcome);
      return;
    }
    this.#work(null);
    this.#say(saidOf(outcome, REFUSED[this.#step]));
  }

  #ask(): Promise<Outcome> {
    const { action = "" } = this.#form.dataset;
    const fields = this.#fields();
    switch (this.#step) {
      case "sign-in":
        return authenticate(action, fields);
      case "recover":
        return call(action, "POST", JSON.stringify(fields)).then(
          (answer): Outcome => (answer?.ok ? answer : { ok: false, answer }),
        );
      case "add":
        return register(action, {}, {});
      default:
        return register(action, fields, { locale: language });
    }
  }

  /** What is filled in. Of a pasted link, the code in its fragment. */
  #fields(): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const [name, value] of new FormData(this.#form)) {
      const text = String(value).trim();
      const is_code = name === "code" || name === "invitation";
      fields[name] = is_code ? text.slice(text.lastIndexOf("#") + 1) : text;
    }
    return fields;
  }

  async #done({ body }: Outcome & { ok: true }): Promise<void> {
    if (this.#step === "recover") return showSignedIn();
    const { return_to } = body;
    const { next } = this.#form.dataset;
    location.assign(next ?? (typeof return_to === "string" ? return_to : AFTERWARDS));
  }
}

/** After a recovery code: the second part of the page, with the token of the session that has begun. */
async function showSignedIn(): Promise<void> {
  const answer = await call(SESSION_PATH);
  const part = document.querySelector<HTMLElement>("[data-part=signed-in]");
  const token = answer?.ok ? answer.body.csrf_token : null;
  if (part === null || typeof token !== "string") return location.assign("/account");
  const meta = document.createElement("meta");
  meta.name = "csrf-token";
  meta.content = token;
  document.head.append(meta);
  const title = document.querySelector("h1");
  const lede = document.querySelector("[data-lede]");
  if (title !== null) title.textContent = part.dataset.title ?? "";
  if (lede !== null) lede.textContent = part.dataset.lede ?? "";
  document.querySelector("[data-part=code]")?.remove();
  part.hidden = false;
  title?.focus();
}

/**
 * The code of the link that led here. Servers never see a fragment; this takes it out of the address bar, and of the
 * history, too. The link to the page in the other language takes it along.
 */
function takeCode(): void {
  const field = document.querySelector<HTMLInputElement>("[name=code], [name=invitation]");
  const code = decoded(location.hash.slice(1));
  if (field === null || code === "") return;
  history.replaceState(null, "", location.pathname + location.search);
  field.value = code;
  // Nobody types an invitation or changes it.
  if (field.name === "invitation") field.closest<HTMLElement>("div")?.setAttribute("hidden", "");
  const other = document.querySelector<HTMLAnchorElement>("[data-other-language]");
  other?.addEventListener("click", () => {
    other.hash = encodeURIComponent(field.value);
  });
}

/** A text from the address bar may be anything. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

whenParsed(() => {
  takeCode();
  addEventListener("hashchange", takeCode);
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-step]")) new Entry(form);
  // Who goes back to this page finds it as it was left, in some browsers with its buttons at work.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
});
showWithoutStyle();
