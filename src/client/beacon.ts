/**
 * The page script: sends a beacon for each view, and for clicks on links that do not go through our
 * redirect (mailto, tel, sms). One view per page load; one event id per event, also when it is sent
 * again. The address of any other counted link gets the id of the tap while it is followed. It
 * cancels no event and delays nothing, even if it fails. Last, it offers to share the page, and
 * shows a page without its style where that stalls: the script is `async`, because a deferred one
 * would wait for the style, too.
 */
import "./report-errors.ts";
import { REFERRER_CHARS_MAX, UTM_CHARS_MAX } from "../counting/limits.ts";
import { BEACON_PATH, DOWNLOAD_PATH, TAP_PARAMETER } from "../http/endpoints.ts";
import { showWithoutStyle } from "./late-style.ts";
import { isOwn } from "./own-answer.ts";
import { offerSharing } from "./share.ts";
import { makeTaps } from "./taps.ts";
import { sayUnanswered } from "./unanswered.ts";
import { whenParsed } from "./when-parsed.ts";

declare global {
  interface Document {
    /** Only Chromium has these. */
    readonly prerendering?: boolean;
    onprerenderingchange?: () => void;
  }
}

/** The pause doubles with each failed try, up to the longest. */
const PAUSE_S = 2;
const PAUSE_MAX_S = 60;
/** A try that has no answer by then has failed. */
const ANSWER_MAX_MS = 30_000;
/** The service detects a repeated event id for an hour; after that a retry could count twice. */
const RETRY_MAX_MS = 3_000_000;

/** The `<script>` is still the current one while the script runs. */
const page_id = document.currentScript?.dataset.page;
const query = new URLSearchParams(location.search);

/** A translating extension may set another language, which the service would refuse. */
const language = /^(?:ar|en)$/.exec(document.documentElement.lang)?.[0];

/** Undefined for an empty value, so that JSON leaves it out. */
const bounded = (value: string | null, max: number) => value?.slice(0, max) || undefined;
const utm = (name: string) => bounded(query.get(`utm_${name}`), UTM_CHARS_MAX);

/** 128 random bits in the id alphabet. Older browsers and http have no `randomUUID`. */
const newId = (): string =>
  crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-");

function record(link_id?: string, event_id = newId()): void {
  const body = JSON.stringify({
    page_id,
    link_id,
    event_id,
    referrer: bounded(document.referrer, REFERRER_CHARS_MAX),
    utm_source: utm("source"),
    utm_medium: utm("medium"),
    utm_campaign: utm("campaign"),
    language,
  });
  // Without keepalive a fetch ends with its page, often right after a click. `sendBeacon` continues
  // after the page, but cannot be retried, because it reports no result; some browsers disable it.
  if (!("keepalive" in Request.prototype) && navigator.sendBeacon?.(BEACON_PATH, body)) return;
  post(body, Date.now() + RETRY_MAX_MS);
}

/** The time at which a failed event is given up, by the event's body. */
const waiting = new Map<string, number>();
let pause_s = PAUSE_S;
let timer: ReturnType<typeof setTimeout>;

/**
 * Sends the event again unless the service itself counts or refuses it: what a captive portal or a
 * carrier answers says nothing. A string body is sent as text/plain, which needs no CORS preflight.
 */
function post(body: string, until_ms: number): void {
  const settle = (response?: Response) => {
    const own = response && isOwn(response) ? response : null;
    const status = own?.status ?? 0;
    let wait_s = PAUSE_S;
    // Counted, or refused for good. 400 says that the event did not arrive whole: the script sends no other.
    if (status === 202 || (status > 400 && status < 429)) pause_s = PAUSE_S;
    else {
      waiting.set(body, until_ms);
      wait_s = Math.max(pause_s, Number(own?.headers.get("Retry-After")) || 0);
      pause_s = Math.min(2 * pause_s, PAUSE_MAX_S);
    }
    // All events have one timer, also after a success: together they must not use up the sender's limit.
    clearTimeout(timer);
    timer = setTimeout(retry, wait_s * 1000);
  };
  const stalled = new AbortController();
  setTimeout(() => stalled.abort(), ANSWER_MAX_MS);
  fetch(BEACON_PATH, { method: "POST", body, keepalive: true, signal: stalled.signal }).then(
    (response) => {
      // An unread body keeps its connection open, and the page never becomes idle.
      response.text().catch(() => {});
      settle(response);
    },
    () => settle(),
  );
}

/** Sends the event whose last try is the longest ago. */
function retry(): void {
  for (const [body, until_ms] of waiting) {
    waiting.delete(body);
    if (Date.now() < until_ms) {
      post(body, until_ms);
      break;
    }
  }
}

const taps = makeTaps<HTMLAnchorElement>(newId);

// Comes first, so that links are counted even if counting the view throws. `click` is the main
// mouse button and the keyboard, `auxclick` the middle and the right button; the right one only
// opens a menu.
whenParsed(() => {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(
    `[data-link],[href^="/r/"],[href^="${DOWNLOAD_PATH}/"]`,
  )) {
    const { href, search, dataset } = link;
    link.onclick = link.onauxclick = ({ button, timeStamp }) => {
      if (button > 1) return;
      const id = taps.idOf(link, timeStamp);
      if (dataset.link) record(dataset.link, id);
      else {
        link.search = `${search && `${search}&`}${TAP_PARAMETER}=${id}`;
        // The browser reads the address right after this event. Nobody should copy or share the id.
        setTimeout(() => {
          link.href = href;
        });
      }
    };
  }
});

// A prerendered page is viewed when it is activated, if ever.
if (document.prerendering) document.onprerenderingchange = () => record();
else record();

// A page that comes back from the back/forward cache is not loaded again, but is another view.
window.onpageshow = (event) => {
  if (!event.persisted) return;
  taps.forget();
  record();
};
window.ononline = window.onpagehide = retry;

whenParsed(offerSharing);
whenParsed(sayUnanswered);
showWithoutStyle();
