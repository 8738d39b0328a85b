/** Proposes an address from a name, says whether it is free, and makes the page as a draft. */
import "./report-errors.ts";
import { handleMeant, slugMeant } from "../pages/document/typed-slug.ts";
import type { Locale } from "../views/locale.ts";
import { Api, type Refusal, signInAddress } from "./api.ts";
import { Bring } from "./bring.ts";
import { keepPicture } from "./brought-picture.ts";

/** Counted from the last key. A sender has 60 requests in a minute. */
const ASK_AFTER_MS = 500;
/** The reader may leave or reload the page, or the session may end. */
const STORED = "sila-start";

interface Proposal {
  slug: string;
  free?: boolean;
  suggestions: readonly string[];
}

interface Made {
  page_id: string;
  slug: string;
}

class Start {
  readonly #form: HTMLFormElement;
  readonly #api: Api;
  readonly #name: HTMLInputElement;
  readonly #slug: HTMLInputElement;
  readonly #bring: Bring;
  /** The creator wrote an address; the name no longer changes it. */
  #is_own_slug: boolean;
  #asked = 0;
  /** Answers by path: a text that is typed again is not asked about again. */
  readonly #answers = new Map<string, Proposal>();
  /** Pages that were asked for without an answer may have been made. */
  readonly #unanswered = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(form: HTMLFormElement, api: Api) {
    this.#form = form;
    this.#api = api;
    this.#name = form.elements.namedItem("name") as HTMLInputElement;
    this.#slug = form.elements.namedItem("slug") as HTMLInputElement;
    this.#bring = new Bring(this.#find(".bring"), api, this.#locale, (name) => this.#brought(name));
    this.#restore();
    this.#is_own_slug = this.#slug.value !== "";
    this.#button.disabled = false;
    this.#find(".without-script").remove();
    this.#name.oninput = () => this.#typed(this.#is_own_slug ? null : () => this.#propose());
    this.#slug.onblur = () => {
      this.#slug.value = slugMeant(this.#slug.value);
    };
    this.#slug.oninput = () => {
      this.#is_own_slug = this.#slug.value !== "";
      this.#typed(this.#is_own_slug ? () => this.#check() : () => this.#propose());
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.#make();
    };
    if (this.#is_own_slug) void this.#check();
    else if (this.#name.value !== "") void this.#propose();
  }

  get #locale(): Locale {
    return document.documentElement.lang === "en" ? "en" : "ar";
  }

  get #button(): HTMLButtonElement {
    return this.#find("button[type=submit]");
  }

  #find<T extends HTMLElement>(selector: string): T {
    const found = this.#form.querySelector<T>(selector);
    if (found === null) throw new Error(`no ${selector}`);
    return found;
  }

  #typed(ask: (() => Promise<void>) | null): void {
    this.#store();
    this.#say("[data-problem]", "");
    clearTimeout(this.#timer);
    if (ask !== null) this.#timer = setTimeout(() => void ask(), ASK_AFTER_MS);
  }

  async #propose(): Promise<void> {
    const name = this.#name.value.trim();
    if (name === "") return;
    const answer = await this.#ask(`/api/me/slugs?${new URLSearchParams({ name })}`);
    if (answer === null || answer === "impossible" || this.#is_own_slug) return;
    this.#slug.value = answer.slug;
    // A free address needs no others, which would only ask for a choice, but that in the other script.
    this.#judge(this.#form.dataset.free, otherScript(answer));
  }

  async #check(): Promise<void> {
    const typed = this.#slug.value;
    const slug = slugMeant(typed);
    if (slug === "") return;
    this.#say("#slug-state", this.#form.dataset.checking ?? "");
    const answer = await this.#ask(checkPath(slug));
    if (answer === null) return;
    const { free, taken, impossible } = this.#form.dataset;
    if (answer === "impossible") {
      this.#judge(impossible, [], "wrong");
      await this.#offer(slug);
      return;
    }
    if (this.#slug.value === typed) this.#spell(answer.slug);
    if (answer.free) {
      this.#judge(free);
      if (ARABIC.test(slug)) await this.#offerLatin(typed);
    } else if (!(await this.#openMade(slug))) this.#judge(taken, answer.suggestions, "wrong");
  }

  /** Offers addresses made of a text that cannot be one. */
  async #offer(text: string): Promise<void> {
    if (!/\p{L}/u.test(text)) return;
    const answer = await this.#ask(`/api/me/slugs?${new URLSearchParams({ name: text })}`);
    if (answer === null || answer === "impossible") return;
    this.#suggest([answer.slug, ...answer.suggestions]);
  }

  /** The free address of a name that was typed where the address belongs. */
  async #offerLatin(name: string): Promise<void> {
    const answer = await this.#ask(`/api/me/slugs?${new URLSearchParams({ name })}`);
    if (answer === null || answer === "impossible" || this.#slug.value !== slugMeant(name)) return;
    const latin = [answer.slug, ...answer.suggestions].find((slug) => !ARABIC.test(slug));
    this.#suggest(latin === undefined ? [] : [latin]);
  }

  /** The service's spelling, unless a word begins, whose space is no dash yet, or an address is typed. */
  #spell(slug: string): void {
    const { value, selectionStart: caret } = this.#slug;
    if (value === slug || /\s$/.test(value)) return;
    if (document.activeElement === this.#slug && handleMeant(value) !== null) return;
    this.#slug.value = slug;
    if (document.activeElement === this.#slug && caret !== null && caret < value.length) {
      this.#slug.setSelectionRange(caret, caret);
    }
    this.#store();
  }

  #judge(text = "", suggestions: readonly string[] = [], is: "right" | "wrong" = "right"): void {
    this.#say("#slug-state", text);
    this.#find("#slug-state").className = is === "wrong" ? "error" : "hint";
    this.#slug.setAttribute("aria-invalid", is === "wrong" ? "true" : "false");
    this.#suggest(suggestions);
  }

  /** Null without a current answer, "impossible" for a text that cannot be an address. */
  async #ask(path: string): Promise<Proposal | "impossible" | null> {
    this.#asked += 1;
    const asked = this.#asked;
    const known = this.#answers.get(path);
    if (known !== undefined) return known;
    const answer = await this.#api.call<Proposal>(path);
    if (answer.ok) this.#answers.set(path, answer.body);
    if (asked !== this.#asked) return null;
    if (answer.ok) return answer.body;
    if (answer.status === 400) return "impossible";
    this.#suggest([]);
    this.#say("#slug-state", answer.message);
    return null;
  }

  #suggest(slugs: readonly string[]): void {
    const buttons = slugs.map((slug) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "secondary";
      button.dir = "auto";
      button.textContent = slug;
      button.onclick = () => {
        this.#slug.value = slug;
        this.#is_own_slug = true;
        this.#store();
        void this.#check();
        this.#slug.focus();
      };
      return button;
    });
    this.#find("[data-suggestions]").replaceChildren(...buttons);
  }

  #brought(name: string): void {
    if (this.#name.value.trim() !== "" || name === "") return;
    this.#name.value = name;
    this.#typed(this.#is_own_slug ? null : () => this.#propose());
  }

  async #make(): Promise<void> {
    const locale = this.#locale;
    const slug = slugMeant(this.#slug.value);
    const { bio, links } = this.#bring.chosen;
    clearTimeout(this.#timer);
    this.#button.disabled = true;
    this.#store(slug);
    const answer = await this.#api.call<{ page: Made }>("/api/me/pages", {
      method: "POST",
      json: {
        slug,
        status: "draft",
        locales: [locale],
        name: { [locale]: this.#name.value },
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        bio,
        links,
      },
    });
    if (answer.ok) this.#open(answer.body.page);
    else {
      const may_be_there = answer.code === "SLUG_TAKEN" || answer.code === "PLAN_LIMIT";
      if (!may_be_there || !(await this.#openMade(slug))) this.#refused(answer, slug);
    }
    this.#button.disabled = false;
  }

  /** False if no earlier request, whose answer was lost, made the page. */
  async #openMade(slug: string): Promise<boolean> {
    if (!this.#unanswered.has(slug)) return false;
    const answer = await this.#api.call<{ pages: readonly Made[] }>("/api/me/pages");
    // The service may spell it differently.
    const spelt = this.#answers.get(checkPath(slug))?.slug ?? slug;
    const made = answer.ok && answer.body.pages.find((page) => page.slug === spelt);
    if (made) this.#open(made);
    return Boolean(made);
  }

  #open({ page_id }: Made): void {
    const { picture } = this.#bring.chosen;
    if (picture !== null) keepPicture(page_id, picture);
    try {
      sessionStorage.removeItem(STORED);
    } catch {
      // Without the browser's storage there is nothing to read or to remove.
    }
    const { lang } = document.documentElement;
    location.assign(`/dashboard/pages/${page_id}/edit?lang=${lang}#start`);
  }

  #refused({ status, code, message }: Refusal, slug: string): void {
    if (status === 401) {
      // What is typed is stored, and there again after the sign-in.
      location.assign(signInAddress(location.href));
      return;
    }
    if (status === 0 || status >= 500) this.#unanswered.add(slug);
    this.#store();
    const { noAnswer = "", refused = "" } = this.#form.dataset;
    this.#say("[data-problem]", status === 0 ? noAnswer : message || refused);
    if (code === "SLUG_TAKEN") {
      this.#answers.clear();
      void this.#check();
    }
  }

  #say(selector: string, text: string): void {
    this.#find(selector).textContent = text;
  }

  #store(asked?: string): void {
    const { value } = this.#slug;
    const unanswered = [...this.#unanswered, ...(asked === undefined ? [] : [asked])];
    const is_kept = this.#is_own_slug || unanswered.includes(slugMeant(value));
    const typed = { name: this.#name.value, slug: is_kept ? value : "", unanswered };
    try {
      sessionStorage.setItem(STORED, JSON.stringify(typed));
    } catch {
      // Without the browser's storage, what is typed stays as long as the page.
    }
  }

  #restore(): void {
    try {
      const stored = JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
      const { name = "", slug = "", unanswered = [] } = stored;
      this.#name.value ||= String(name);
      this.#slug.value ||= String(slug);
      for (const each of unanswered) this.#unanswered.add(String(each));
    } catch {
      // Without the browser's storage there is nothing to read or to remove.
    }
  }
}

const ARABIC = /\p{Script=Arabic}/u;

/** An Arabic name has an address in either script. */
function otherScript({ slug, suggestions }: Proposal): string[] {
  const other = suggestions.find((one) => ARABIC.test(one) !== ARABIC.test(slug));
  return other === undefined ? [] : [other];
}

function checkPath(slug: string): string {
  return `/api/me/slugs/${encodeURIComponent(slug)}`;
}

const form = document.getElementById("start");
const token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
if (form instanceof HTMLFormElement) {
  new Start(form, new Api(document.documentElement.lang === "en" ? "en" : "ar", token, null));
}
