import { announce } from "./announce.ts";
import { call, request } from "./call.ts";
import { isOwn, type OwnAnswer } from "./own-answer.ts";

const failed = document.querySelector<HTMLElement>("[data-failed]")?.dataset.failed ?? "";

function send(form: HTMLFormElement): Promise<OwnAnswer | null> {
  const { action = "", method = "POST", body } = form.dataset;
  const fields = body ?? JSON.stringify(Object.fromEntries(valuesOf(form)));
  return call(action, method, method === "DELETE" ? null : fields);
}

/** JSON has numbers for what is typed as a number. */
function valuesOf(form: HTMLFormElement): [string, FormDataEntryValue | number][] {
  const isNumber = (name: string) =>
    form.querySelector(`input[type="number"][name="${name}"]`) !== null;
  return [...new FormData(form)].map(([name, value]) => [
    name,
    isNumber(name) ? Number(value) : value,
  ]);
}

/** The link is not shown again. False where the answer has none. */
function showLink(form: HTMLFormElement, answer: OwnAnswer | null): boolean {
  const made = form.querySelector<HTMLElement>("[data-made]");
  const field = made?.querySelector("input");
  if (!made || !field || !answer?.ok || typeof answer.body.link !== "string") return false;
  field.value = answer.body.link;
  for (const { dataset } of made.querySelectorAll<HTMLElement>("[data-copy]")) {
    dataset.copy = answer.body.link;
  }
  made.hidden = false;
  field.focus();
  field.select();
  return true;
}

/** Renews the list of links only: a whole new page would not show the new one again. */
async function listLinks(): Promise<void> {
  try {
    const answer = await request(location.href);
    const html = await answer.text();
    const listed = new DOMParser().parseFromString(html, "text/html").querySelector("[data-links]");
    if (isOwn(answer) && listed !== null) {
      document.querySelector("[data-links]")?.replaceWith(listed);
    }
  } catch {
    // The list from before stays.
  }
}

async function submit(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector("button");
  if (button !== null) button.disabled = true;
  const answer = await send(form);
  const isShown = showLink(form, answer);
  // 404: the session is over, and the page says so.
  if (!isShown && (answer?.ok || answer?.status === 404)) return location.reload();
  if (button !== null) button.disabled = false;
  form.querySelector("[role=alert]")?.remove();
  if (isShown) return listLinks();
  announce(failed);
  const said = document.createElement("p");
  said.setAttribute("role", "alert");
  said.textContent = failed;
  form.append(said);
}

// Not a listener of each form, because some come later.
document.addEventListener("submit", (event) => {
  if (!(event.target instanceof HTMLFormElement) || !event.target.dataset.action) return;
  event.preventDefault();
  void submit(event.target);
});
