/** The script of the operators' pages: forms call the API with the token of the page. */
import { announce } from "./announce.ts";
import { call } from "./call.ts";

const failed = document.querySelector<HTMLElement>("[data-failed]")?.dataset.failed ?? "";

async function send(form: HTMLFormElement): Promise<boolean> {
  const { action = "", method = "POST", body } = form.dataset;
  const fields = body ?? JSON.stringify(Object.fromEntries(new FormData(form)));
  const answer = await call(action, method, method === "DELETE" ? null : fields);
  // 404: the session is over, and the page says so.
  return answer?.ok || answer?.status === 404;
}

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-action]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button !== null) button.disabled = true;
    if (await send(form)) return location.reload();
    if (button !== null) button.disabled = false;
    announce(failed);
    form.querySelector("[role=alert]")?.remove();
    const said = document.createElement("p");
    said.setAttribute("role", "alert");
    said.textContent = failed;
    form.append(said);
  });
}
