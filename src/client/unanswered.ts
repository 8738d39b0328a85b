/**
 * Says beside a form that its answer did not come (`src/views/unanswered-note.tsx`). Browsers say
 * nothing where a network answers a form with a redirect to its own page, which our policy forbids,
 * or with an empty answer; and whoever goes back from its page finds the form as it was.
 */

/** An answer of the service takes less on most networks. */
const WAIT_MS = 8000;

export function sayUnanswered(): void {
  const notes = document.querySelectorAll<HTMLElement>("[data-unanswered]");
  let sent: unknown;
  const show = () => {
    notes.forEach((note, n) => {
      note.hidden = n !== sent;
    });
  };
  notes.forEach((note, n) => {
    const form = note.closest("form");
    form?.addEventListener("submit", () => {
      sent = n;
      // Serves the way back to this page. A GET has sent nothing.
      if (form.method === "post") history.replaceState(n, "");
      setTimeout(show, WAIT_MS);
    });
  });
  document.addEventListener("securitypolicyviolation", show);
  addEventListener("pageshow", () => {
    sent = history.state;
    show();
  });
}
