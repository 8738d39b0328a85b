/**
 * A window of fewer lines has no room for bars that stay: at 200 % text they would leave a sixth of a
 * phone. In root ems, and not as a media query, which goes by the browser's text size alone and misses
 * what enlarges the text of the page.
 */
const LOW_REM = 34;

/** Marks the document `is-low` while it is so. Answers what ends that. */
export function watchHeight(): () => void {
  const root = document.documentElement;
  const measure = () => {
    const rem_px = Number.parseFloat(getComputedStyle(root).fontSize);
    root.classList.toggle("is-low", window.innerHeight < LOW_REM * rem_px);
  };
  measure();
  // A larger text changes the height of the page, and not that of the window.
  const observer = new ResizeObserver(measure);
  observer.observe(document.body);
  window.addEventListener("resize", measure);
  return () => {
    observer.disconnect();
    window.removeEventListener("resize", measure);
  };
}
