/**
 * Stands between the browsers and the service, records each request, and breaks answers as networks do:
 * too late, cut in the middle, or not at all after the service has given them.
 */
import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestTo,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { poll } from "./browser-kit.ts";

/** Browsers keep connections that long at most; a shorter time would cut some by chance. */
const KEEP_ALIVE_MS = 120_000;
/** After this time without a request nothing more is expected of a browser. */
const QUIET_MS = 600;

/** What happens to an answer that the service has given. */
export interface Fault {
  delay_ms?: number;
  /**
   * `lose`: the connection ends before the first byte. A browser sends a GET again by itself if the
   * connection had carried another request before. `cut`: it ends in the middle of the answer. `block`: the
   * service does not even get the request.
   */
  end?: "lose" | "cut" | "block";
  /** Replaces the answer by an error without a body. */
  status?: number;
}

export interface Request {
  method: string;
  path: string;
  body: string;
  /** The service's, once it has answered. */
  status: number | null;
  /** Whether the browser got the whole answer. */
  is_delivered: boolean;
  /** Whether it is being answered. */
  is_open: boolean;
  at_ms: number;
}

export interface BreakingProxy {
  origin: string;
  /** Newest last. */
  requests: Request[];
  /** The address from which the service sees everybody. */
  sender: string;
  /** Chooses the fault of each request; asked once for each, before the service is. */
  rule: (request: Request) => Fault | undefined;
  /** Forgets requests and rule, for another sender. */
  reset(sender: string): void;
  /** Waits until no request is open and none has come for a moment. */
  quiet(): Promise<void>;
  close(): void;
}

/** @param service its origin */
export async function startProxy(service: string): Promise<BreakingProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    answer(proxy, new URL(service), agent, request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: BreakingProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    sender: "10.0.0.1",
    rule: () => undefined,
    reset(sender) {
      proxy.requests = [];
      proxy.sender = sender;
      proxy.rule = () => undefined;
    },
    async quiet() {
      const isQuiet = () => {
        const last_ms = proxy.requests.at(-1)?.at_ms ?? 0;
        const isOver = !proxy.requests.some(({ is_open }) => is_open);
        return isOver && performance.now() - last_ms > QUIET_MS;
      };
      if (!(await poll(isQuiet, Boolean))) throw new Error("requests do not end");
    },
    close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
  return proxy;
}

async function answer(
  proxy: BreakingProxy,
  service: URL,
  agent: Agent,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url: path = "/", socket } = incoming;
  const seen: Request = {
    ...{ method, path, body: "", status: null, is_delivered: false },
    ...{ is_open: true, at_ms: performance.now() },
  };
  proxy.requests.push(seen);
  let fault: Fault = {};
  response.once("close", () => {
    seen.is_open = false;
    seen.is_delivered = response.writableFinished && fault.end === undefined;
  });
  const body = await buffer(incoming);
  seen.body = body.toString();
  fault = proxy.rule(seen) ?? {};
  if (fault.end === "block") {
    socket.destroy();
    return;
  }
  const upstream = requestTo(service, {
    ...{ agent, method, path },
    // The browser's Host, so that the service takes our origin for its own.
    headers: { ...incoming.headers, "cf-connecting-ip": proxy.sender },
  });
  // Who closes a tab hangs up on the service too.
  response.once("close", () => upstream.destroy());
  upstream.end(body);
  const [given] = (await once(upstream, "response")) as [IncomingMessage];
  const content = await buffer(given);
  seen.status = given.statusCode ?? null;
  if (fault.delay_ms !== undefined) await pause(fault.delay_ms);
  if (fault.end === "lose") {
    socket.destroy();
    return;
  }
  const { connection: _, "transfer-encoding": __, ...headers } = given.headers;
  response.writeHead(fault.status ?? given.statusCode ?? 502, {
    ...headers,
    "content-length": fault.status === undefined ? content.length : 0,
  });
  if (fault.end === "cut") {
    response.write(content.subarray(0, content.length / 2), () => socket.destroy());
  } else {
    response.end(fault.status === undefined ? content : undefined);
  }
}
