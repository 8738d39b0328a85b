/** The button that shares the address is hidden until {@link offerSharing} shows it. */

const SAID_MS = 8000;

export function offerSharing(): void {
  const button = document.querySelector<HTMLElement>(".share-page");
  const status = button?.previousElementSibling;
  // Over http a browser has neither.
  if (!status || !(navigator.share || navigator.clipboard)) return;
  // The campaign of the address through which this visitor came is left out.
  const url = location.origin + location.pathname;
  button.hidden = false;
  button.onclick = () => {
    // It rejects too when the visitor closes the dialog.
    if (navigator.share) navigator.share({ title: document.title, url }).catch(() => {});
    else {
      const say = (text = "") => {
        status.textContent = text;
      };
      navigator.clipboard
        .writeText(url)
        // Refused: at least the address can be read and selected.
        .then(
          () => button.dataset.copied,
          () => url,
        )
        .then((text) => {
          say(text);
          setTimeout(say, SAID_MS);
        });
    }
  };
}
