/**
 * The page script: tells the counting service of each view, and of clicks on the links that do not
 * pass our redirect (mailto, tel, sms). What it owes the counts: one view per page load, one
 * event id per event however often it is sent. What it owes the visitor: nothing it does can be
 * noticed, least of all when it fails; it cancels no event and holds nothing up.
 */
import "./report-errors.ts";
import { BEACON_PATH } from "../http/endpoints.ts";
import { REFERRER_CHARS_MAX, UTM_CHARS_MAX } from "../http/limits.ts";

declare global {
  interface Document {
    /** Chromium only, so far. */
    readonly prerendering?: boolean;
    onprerenderingchange?: () => void;
  }
}

/** When a refusal says nothing of when to come back. */
const RETRY_DEFAULT_S = 2;
/** The service remembers an event id for an hour; sent later, the event might count twice. */
const RETRY_MAX_S = 3000;

/** In an attribute of our own tag; the script is `defer`, so it is still the current one. */
const page_id = document.currentScript?.dataset.page;
const query = new URLSearchParams(location.search);

/** An empty value becomes undefined, which JSON leaves out. */
const bounded = (value: string | null, max: number) => value?.slice(0, max) || undefined;
const utm = (name: string) => bounded(query.get(`utm_${name}`), UTM_CHARS_MAX);

/** Counts one event: a click on `link_id`, or without it a view. */
function record(link_id?: string): void {
  const body = JSON.stringify({
    page_id,
    link_id,
    // 128 random bits in the id alphabet; `randomUUID` is missing on plain http.
    event_id: crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-"),
    referrer: bounded(document.referrer, REFERRER_CHARS_MAX),
    utm_source: utm("source"),
    utm_medium: utm("medium"),
    utm_campaign: utm("campaign"),
  });
  // Without keepalive a fetch ends with its page, often right after a click. A beacon outlives the page but
  // cannot be retried, because the browser does not report how it went; some browsers have it switched off.
  if (!("keepalive" in Request.prototype) && navigator.sendBeacon?.(BEACON_PATH, body)) return;
  post(body, true);
}

/** A string body goes as text/plain, so the browser asks no permission first. */
function post(body: string, mayRetry?: boolean): void {
  const retry = (seconds: number) => {
    if (mayRetry && seconds < RETRY_MAX_S) setTimeout(post, seconds * 1000, body);
  };
  fetch(BEACON_PATH, { method: "POST", body, keepalive: true }).then(
    (response) => {
      const { status, headers } = response;
      // An answer left unread keeps its connection, and for the browser the page never goes quiet.
      response.text().catch(() => {});
      if (status === 429 || status > 499) {
        retry(Number(headers.get("Retry-After")) || RETRY_DEFAULT_S);
      }
    },
    () => retry(RETRY_DEFAULT_S),
  );
}

// `click` is the mouse and the keyboard, `auxclick` the middle button (and the right one, which
// opens a menu and follows nothing). The script is `defer`, so every link is there by now.
for (const link of document.querySelectorAll<HTMLElement>("[data-link]")) {
  link.onclick = link.onauxclick = ({ button }) => {
    if (button < 2) record(link.dataset.link);
  };
}

// A page drawn ahead of time is viewed when, and if, somebody turns to it.
if (document.prerendering) document.onprerenderingchange = () => record();
else record();

// Back and forward bring the page back as it was, without loading it: that is another view.
window.onpageshow = (event) => {
  if (event.persisted) record();
};
