/**
 * The pages on which people sign in or make an account have this script
 * (`src/identity/public-frame.tsx`). @simplewebauthn/browser does what the browser and its
 * authenticator do; this is the way to the service and back, and the words where it fails.
 */
import "./report-errors.ts";
import { SESSION_PATH, VERIFY_CODE_PATH } from "../http/endpoints.ts";
import { call } from "./call.ts";
import { showWithoutStyle } from "./late-style.ts";
import {
  authenticate,
  language,
  type Outcome,
  REFUSALS,
  register,
  saidOf,
  texts,
  whyImpossible,
} from "./passkeys.ts";
import { whenParsed } from "./when-parsed.ts";

/** The server may name another place. */
const AFTERWARDS = "/dashboard";

type Step = keyof typeof REFUSALS;

const WITHOUT_PASSKEY: ReadonlySet<Step> = new Set<Step>(["recover", "mail", "issuer"]);

class Entry {
  readonly #form: HTMLFormElement;
  readonly #step: Step;
  readonly #button: HTMLButtonElement;
  readonly #words: HTMLElement;
  readonly #offered: string;
  #next: string;
  #ticket: string | null = null;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#step = form.dataset.step as Step;
    this.#button = this.#find("[type=submit]");
    this.#words = this.#find("[data-words]");
    this.#offered = this.#words.textContent ?? "";
    this.#next = this.#offered;
    this.#find("[data-not-ready]").remove();
    const why = WITHOUT_PASSKEY.has(this.#step) ? null : whyImpossible();
    this.#say(why ?? "");
    this.#button.disabled = why !== null;
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.#send();
    };
    const again = form.querySelector<HTMLButtonElement>("[data-again]");
    if (again !== null) {
      again.onclick = () => {
        this.#ticket = null;
        void this.#send();
      };
    }
    // A code is of the address that it was mailed to.
    const email = form.querySelector<HTMLInputElement>("[name=email]");
    if (email !== null) {
      email.oninput = () => {
        this.#show("name", null);
        this.#show("code", null);
        if (!this.#button.hasAttribute("aria-disabled")) this.#work(null);
      };
    }
  }

  /** Later parts are opened by what they need, and closed without it. */
  #show(later: "code" | "name", ticket: string | null): void {
    const part = this.#find<HTMLFieldSetElement>(`[data-later=${later}]`);
    this.#ticket = ticket;
    this.#next = ticket === null ? this.#offered : texts.go_on;
    part.hidden = ticket === null;
    part.disabled = ticket === null;
    if (ticket !== null) part.querySelector("input")?.focus();
  }

  /** The answer may ask for the code that was mailed, or the name of a new account. */
  #asksMore({ ticket, name_needed }: Readonly<Record<string, unknown>>): boolean {
    if (typeof ticket === "string") this.#show("code", ticket);
    else if (name_needed === true) this.#show("name", this.#ticket);
    else return false;
    return true;
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
    this.#words.textContent = words ?? this.#next;
    if (words === null) this.#button.removeAttribute("aria-disabled");
    else this.#button.setAttribute("aria-disabled", "true");
  }

  async #send(): Promise<void> {
    if (this.#button.hasAttribute("aria-disabled")) return;
    this.#say("");
    this.#work(WITHOUT_PASSKEY.has(this.#step) ? texts.opening : texts.waiting);
    const outcome = await this.#ask();
    if (outcome.ok && this.#asksMore(outcome.body)) return this.#work(null);
    if (outcome.ok) {
      this.#work(texts.opening);
      await this.#done(outcome);
      return;
    }
    this.#work(null);
    this.#say(saidOf(outcome, REFUSALS[this.#step]));
  }

  #ask(): Promise<Outcome> {
    const { action = "" } = this.#form.dataset;
    const fields = this.#fields();
    switch (this.#step) {
      case "sign-in":
        return authenticate(action, fields);
      case "recover":
        return send(action, fields);
      case "issuer":
        return send(action, { ...withInvitation(fields), locale: language });
      case "mail": {
        const body = { ...withInvitation(fields), locale: language };
        const ticket = this.#ticket;
        return ticket === null ? send(action, body) : send(VERIFY_CODE_PATH, { ...body, ticket });
      }
      case "add":
        return register(action, {}, {});
      default:
        return register(action, fields, { locale: language });
    }
  }

  /** A pasted link counts as the code in its fragment. */
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
    const { next } = this.#form.dataset;
    const named = [next, body.location, body.return_to].find((one) => typeof one === "string");
    location.assign(named ?? AFTERWARDS);
  }
}

async function send(path: string, fields: Readonly<Record<string, string>>): Promise<Outcome> {
  const answer = await call(path, "POST", JSON.stringify(fields));
  return answer?.ok ? answer : { ok: false, answer };
}

/** The invitation that led to this page is for each way of making an account. */
function withInvitation(fields: Record<string, string>): Record<string, string> {
  const field = document.querySelector<HTMLInputElement>("[name=invitation]");
  const text = field?.value.trim() ?? "";
  return text === "" ? fields : { ...fields, invitation: text.slice(text.lastIndexOf("#") + 1) };
}

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
 * The link that led here has a code in its fragment, which servers never see; this takes it out of
 * the address bar, and of the history, too. The link to the page in the other language takes it
 * along.
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
