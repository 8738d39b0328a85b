/** Lists what a page elsewhere has. What stays ticked goes into the new page. */
import { IMPORT_PATH, READ_PAGE_PATH } from "../http/endpoints.ts";
import { parseUrl } from "../pages/document/link-address.ts";
import type { Locale } from "../views/locale.ts";
import { parseReaderLocale } from "../views/numbering.ts";
import { formatNumber } from "../views/numbers.ts";
import type { Answer, Api, Refusal } from "./api.ts";
import type { BroughtPicture } from "./brought-picture.ts";

interface ReadLink {
  kind?: "link" | "heading" | "social";
  label: string;
  url: string | null;
}

/** The answer of `POST /api/me/pages/read` (docs/contract.md section 10). */
interface ReadPage {
  name: string;
  bio: string;
  picture: BroughtPicture | null;
  links: readonly ReadLink[];
  left_out: number;
}

type Words = Readonly<Partial<Record<Locale, string>>>;

interface ImportedPage {
  name: Words;
  bio: Words;
  links: readonly { kind: string; label: Words; url: string | null }[];
}

/** The ticked part, as `POST /api/me/pages` takes it. */
export interface Brought {
  bio: Words;
  links: readonly { kind: string; label: Words; url: string | null }[];
  picture: BroughtPicture | null;
}

type Part = { bio: string } | { picture: BroughtPicture } | { link: ReadLink };

export class Bring {
  readonly #root: HTMLDetailsElement;
  readonly #api: Pick<Api, "call">;
  readonly #locale: Locale;
  readonly #onName: (name: string) => void;
  readonly #parts = new Map<HTMLInputElement, Part>();
  #is_reading = false;

  constructor(
    root: HTMLDetailsElement,
    api: Pick<Api, "call">,
    locale: Locale,
    onName: (name: string) => void,
  ) {
    this.#root = root;
    this.#api = api;
    this.#locale = locale;
    this.#onName = onName;
    const address = this.#find<HTMLInputElement>("#bring-address");
    const read = () => {
      if (address.value.trim() !== "") void this.#read(this.#ask(address.value));
    };
    this.#find<HTMLButtonElement>("[data-read]").onclick = read;
    address.onkeydown = (event) => {
      // Enter would make the page.
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      read();
    };
    const file = this.#find<HTMLInputElement>("input[type=file]");
    file.onchange = () => {
      const [chosen] = file.files ?? [];
      if (chosen !== undefined) void this.#read(this.#upload(chosen));
      file.value = "";
    };
  }

  get chosen(): Brought {
    const parts = [...this.#parts].filter(([{ checked }]) => checked).map(([, part]) => part);
    const bio = parts.flatMap((part) => ("bio" in part ? [part.bio] : []))[0];
    return {
      bio: bio === undefined ? {} : { [this.#locale]: bio },
      picture: parts.flatMap((part) => ("picture" in part ? [part.picture] : []))[0] ?? null,
      links: parts.flatMap((part) => {
        if (!("link" in part)) return [];
        const { kind = "link", label, url } = part.link;
        return [{ kind, label: { [this.#locale]: label }, url }];
      }),
    };
  }

  #find<T extends HTMLElement>(selector: string): T {
    const found = this.#root.querySelector<T>(selector);
    if (found === null) throw new Error(`no ${selector}`);
    return found;
  }

  #ask(address: string): Promise<Answer<ReadPage>> {
    return this.#api.call(READ_PAGE_PATH, { method: "POST", json: { address } });
  }

  /** The import's dry run reads a saved page in the same way. */
  async #upload(file: File): Promise<Answer<ReadPage>> {
    const answer = await this.#api.call<{ page: ImportedPage; refused_total: number }>(
      `${IMPORT_PATH}?dry_run=1`,
      { method: "POST", body: file, headers: { "Content-Type": "text/html" } },
    );
    if (!answer.ok) return answer;
    const { page, refused_total } = answer.body;
    const inLocale = (words: Words) => words[this.#locale] ?? words.ar ?? words.en ?? "";
    const links = page.links.map(({ kind, label, url }) => ({
      kind: kind as NonNullable<ReadLink["kind"]>,
      label: inLocale(label),
      url,
    }));
    const [name, bio] = [inLocale(page.name), inLocale(page.bio)];
    return { ...answer, body: { name, bio, picture: null, links, left_out: refused_total } };
  }

  async #read(asked: Promise<Answer<ReadPage>>): Promise<void> {
    if (this.#is_reading) return;
    this.#is_reading = true;
    const { reading = "", found = "", leftOut = "" } = this.#root.dataset;
    this.#say(reading, "hint");
    const answer = await asked;
    this.#is_reading = false;
    if (!answer.ok) {
      this.#say(this.#whyNot(answer), "error");
      // A page of this service has nothing to save.
      this.#find(".bring-file").hidden =
        answer.code !== "PAGE_UNREADABLE" || answer.details.reason === "own_page";
      return;
    }
    const { name, left_out } = answer.body;
    const number = formatNumber(parseReaderLocale(this.#root.dataset.reader), left_out);
    const left = left_out === 0 ? "" : ` ${leftOut.replace("{n}", number)}`;
    this.#say(found + left, "hint");
    this.#find(".bring-file").hidden = true;
    this.#list(answer.body);
    this.#onName(name);
  }

  #whyNot({ status, message, details }: Refusal): string {
    if (status === 0) return this.#root.dataset.noAnswer ?? "";
    const why = this.#locale === "ar" ? details.text : details.text_en;
    return typeof why === "string" ? `${why} ${message}` : message;
  }

  #say(text: string, kind: "hint" | "error"): void {
    const state = this.#find("#bring-state");
    state.textContent = text;
    state.className = kind;
  }

  #list({ bio, picture, links }: ReadPage): void {
    const { picture: named = "" } = this.#root.dataset;
    this.#parts.clear();
    const rows = [
      ...(picture === null ? [] : [this.#row({ picture }, named, "")]),
      ...(bio === "" ? [] : [this.#row({ bio }, bio, "")]),
      ...links.map((link) => this.#row({ link }, link.label, placeOf(link.url))),
    ];
    this.#find(".brought").replaceChildren(...rows);
  }

  #row(part: Part, text: string, place: string): HTMLLIElement {
    const tick = document.createElement("input");
    tick.type = "checkbox";
    tick.checked = true;
    this.#parts.set(tick, part);
    const label = document.createElement("label");
    label.append(tick, isolated("span", text || place));
    if ("link" in part && part.link.kind === "heading") label.className = "is-heading";
    if (text !== "" && place !== "") label.append(isolated("small", place));
    const row = document.createElement("li");
    row.append(label);
    return row;
  }
}

/** Words of either script begin where the list's do. */
function isolated(name: "span" | "small", text: string): HTMLElement {
  const words = document.createElement("bdi");
  words.textContent = text;
  const element = document.createElement(name);
  element.append(words);
  return element;
}

function placeOf(address: string | null): string {
  if (address === null) return "";
  const url = parseUrl(address);
  return (url?.host || url?.pathname || address).replace(/^www\./, "");
}
