import { watch } from "./dashboard-socket.ts";
import { liveTips } from "./tips-live.ts";

const main = document.querySelector<HTMLElement>("main[data-page]");
const page_id = main?.dataset.page;

if (main !== null && page_id !== undefined) {
  watch(`/api/me/pages/${encodeURIComponent(page_id)}/live`, {
    changed: liveTips(main, page_id),
    stateChanged() {},
    failing() {},
  });
}
