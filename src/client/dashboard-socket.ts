/** The line on which a page's numbers come: opened, watched, and opened again. */
import { LIVE_EXPIRED } from "../../objects/page/close-code.ts";

/** Lifetime numbers; of the links, in a change, those that changed. */
export interface LiveUpdate {
  at_ms: number;
  totals: Record<"views" | "clicks" | "bots" | "owner" | "limited", number>;
  links: Map<string, number>;
}

export type ConnectionState = "connecting" | "live" | "lost";

export interface Watcher {
  changed(message: LiveUpdate): void;
  stateChanged(connection: ConnectionState): void;
  /** After {@link FAILING_TRIES} in a row did not come through, or the one we were asked to make. */
  failing(): void;
}

const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 30_000;
const FAILING_TRIES = 3;
/** A line that died in silence is found out by asking: the platform answers `pong` for a sleeping object. */
const PING_EVERY_MS = 25_000;
const PONG_WITHIN_MS = 10_000;

export function watch(path: string, watcher: Watcher): void {
  let socket: WebSocket | null = null;
  let timer: number | undefined;
  let tries = 0;
  let pulse: number | undefined;
  let was_sent_away = false;

  const open = () => {
    clearTimeout(timer);
    if (socket !== null || document.visibilityState === "hidden") return;
    // Not by a relative address, which browsers take since 2024 only.
    const url = new URL(path, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const own = new WebSocket(url);
    socket = own;
    own.onmessage = ({ data }) => {
      beat(own);
      const message = parse(data);
      if (message === null || socket !== own) return;
      tries = 0;
      was_sent_away = false;
      watcher.stateChanged("live");
      watcher.changed(message);
    };
    own.onclose = ({ code }) => {
      if (socket !== own) return;
      clearTimeout(pulse);
      socket = null;
      was_sent_away ||= code === LIVE_EXPIRED;
      if (code === LIVE_EXPIRED) open();
      else lose();
    };
  };

  /** Something was heard: all is well, until a ping remains unanswered. */
  const beat = (own: WebSocket) => {
    clearTimeout(pulse);
    pulse = setTimeout(() => {
      own.send("ping");
      pulse = setTimeout(() => {
        if (socket !== own) return;
        hangUp();
        lose();
      }, PONG_WITHIN_MS);
    }, PING_EVERY_MS);
  };

  const lose = () => {
    tries += 1;
    watcher.stateChanged("lost");
    if (was_sent_away || tries === FAILING_TRIES) watcher.failing();
    const longest = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (tries - 1));
    // So that a deploy does not bring all of them back in the same second.
    timer = setTimeout(open, longest * (0.5 + Math.random() / 2));
  };

  const hangUp = () => {
    clearTimeout(timer);
    clearTimeout(pulse);
    const own = socket;
    socket = null;
    own?.close();
  };

  watcher.stateChanged("connecting");
  open();
  addEventListener("online", open);
  addEventListener("offline", () => {
    // A dead line closes minutes later.
    hangUp();
    watcher.stateChanged("lost");
  });
  document.addEventListener("visibilitychange", open);
  // A page with an open socket is not kept for going back to.
  addEventListener("pagehide", hangUp);
  addEventListener("pageshow", open);
}

/** Null for what is no message of ours. */
function parse(data: unknown): LiveUpdate | null {
  try {
    const { at, totals } = JSON.parse(String(data));
    const { views, clicks, bots, owner, limited, links } = totals;
    const numbers = { views, clicks, bots, owner, limited };
    const entries = Object.entries(links).map(([link_id, n]) => [link_id, Number(n)] as const);
    const all = [...Object.values(numbers), ...entries.map(([, n]) => n)];
    if (!all.every(Number.isSafeInteger)) return null;
    return { at_ms: Date.parse(at), totals: numbers, links: new Map(entries) };
  } catch {
    return null;
  }
}
