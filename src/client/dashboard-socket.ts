/** A WebSocket with a page's live numbers: opened, checked with pings, and reopened. */
import { LIVE_EXPIRED } from "../../objects/page/close-code.ts";

export interface ReceivedUpdate {
  at_ms: number;
  totals: Record<"views" | "clicks" | "bots" | "owner" | "limited", number>;
  links: Map<string, number>;
  /** People of the present day of the page's time zone, which starts at `day_ms`. */
  visitors: { day_ms: number; n: number } | null;
  /** People of the last five minutes, by tens of seconds since each was seen last. */
  present: number[];
  /** Subscribers of the newsletter; null in a message that does not have them. */
  subscribers: number | null;
  /** All tips so far and their points; null in a message that does not have them. */
  tips: { n: number; points: number } | null;
  /** Used download blocks by link; null in a message that does not have them. */
  downloads: Map<string, { uses: number; bytes: number }> | null;
}

export type ConnectionState = "connecting" | "live" | "lost";

interface Watcher {
  changed(message: ReceivedUpdate): void;
  stateChanged(connection: ConnectionState): void;
  /** Called after {@link FAILING_TRIES} failed tries, or one if the last connection had expired. */
  failing(): void;
}

const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 30_000;
const FAILING_TRIES = 3;
/** The first message's deadline: something on the way may hold the connection, or answer it. */
const CONNECT_WITHIN_MS = 10_000;
/**
 * Pings detect a dead connection, both times after the last message: numbers are called live for at
 * most ten seconds that are not. The platform answers them even while the object hibernates, and
 * does not charge for them.
 */
const PING_EVERY_MS = 5_000;
const PONG_WITHIN_MS = 4_000;

export function watch(path: string, watcher: Watcher): void {
  let socket: WebSocket | null = null;
  /** The timer is for the next try, and on a connection for what is due from it. */
  let timer: number | undefined;
  let tries = 0;
  let has_expired = false;

  const open = () => {
    if (socket !== null || document.visibilityState === "hidden") return;
    clearTimeout(timer);
    // Browsers before 2024 accept absolute addresses only.
    const url = new URL(path, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const own = new WebSocket(url);
    socket = own;
    timer = setTimeout(giveUp, CONNECT_WITHIN_MS);
    own.onmessage = ({ data }) => {
      const message = parse(data);
      if (socket !== own || (message === null && data !== "pong")) return;
      restartPing(own);
      if (message === null) return;
      tries = 0;
      has_expired = false;
      watcher.stateChanged("live");
      watcher.changed(message);
    };
    own.onclose = ({ code }) => {
      if (socket !== own) return;
      disconnect();
      has_expired ||= code === LIVE_EXPIRED;
      if (code !== LIVE_EXPIRED) return retryLater();
      open();
      // It stays closed while the tab is hidden.
      if (socket === null) watcher.stateChanged("lost");
    };
  };

  const restartPing = (own: WebSocket) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      own.send("ping");
      timer = setTimeout(giveUp, PONG_WITHIN_MS);
    }, PING_EVERY_MS);
  };

  const giveUp = () => {
    disconnect();
    retryLater();
  };

  const retryLater = () => {
    tries += 1;
    watcher.stateChanged("lost");
    if (has_expired || tries === FAILING_TRIES) watcher.failing();
    const longest = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (tries - 1));
    // Random, so that not all browsers reconnect in the same second after a deploy.
    timer = setTimeout(open, longest * (0.5 + Math.random() / 2));
  };

  const disconnect = () => {
    clearTimeout(timer);
    const own = socket;
    socket = null;
    own?.close();
  };

  const leave = () => {
    disconnect();
    watcher.stateChanged("lost");
  };

  watcher.stateChanged("connecting");
  open();
  addEventListener("online", open);
  // The browser itself would notice the dead connection only minutes later.
  addEventListener("offline", leave);
  document.addEventListener("visibilitychange", open);
  // A page with an open socket is not put into the back/forward cache.
  addEventListener("pagehide", leave);
  addEventListener("pageshow", open);
}

function parse(data: unknown): ReceivedUpdate | null {
  try {
    const { at, totals, visitors, present, subscribers, tips, downloads } = JSON.parse(
      String(data),
    );
    const { views, clicks, bots, owner, limited, links } = totals;
    const numbers = { views, clicks, bots, owner, limited };
    const entries = Object.entries(links).map(([link_id, n]) => [link_id, Number(n)] as const);
    const all = [...Object.values(numbers), ...entries.map(([, n]) => n), ...present];
    if (!all.every(Number.isSafeInteger)) return null;
    const today = visitorsOf(visitors);
    return {
      at_ms: Date.parse(at),
      totals: numbers,
      links: new Map(entries),
      visitors: today,
      present,
      subscribers: Number.isSafeInteger(subscribers) ? subscribers : null,
      tips: tipsOf(tips),
      downloads: downloadsOf(downloads),
    };
  } catch {
    return null;
  }
}

function tipsOf(value: unknown): ReceivedUpdate["tips"] {
  const { n, points } = Object(value);
  return Number.isSafeInteger(n) && Number.isSafeInteger(points) ? { n, points } : null;
}

function downloadsOf(value: unknown): ReceivedUpdate["downloads"] {
  if (!Array.isArray(value)) return null;
  const entries = value.map(({ link_id, uses, bytes }) => [link_id, { uses, bytes }] as const);
  const isNumbers = entries.every(([, numbers]) =>
    Object.values(numbers).every(Number.isSafeInteger),
  );
  return isNumbers ? new Map(entries) : null;
}

function visitorsOf(value: unknown): ReceivedUpdate["visitors"] {
  const { day, n } = Object(value);
  const day_ms = Date.parse(String(day));
  return Number.isNaN(day_ms) || !Number.isSafeInteger(n) ? null : { day_ms, n };
}
