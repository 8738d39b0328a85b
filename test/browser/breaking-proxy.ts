/** Between browsers and service: records each request, and delays, loses, cuts or replaces it or its answer. */
import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestTo,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { freshAddress, poll } from "./browser-kit.ts";

/** Browsers keep connections that long at most; a shorter time would cut some by chance. */
const KEEP_ALIVE_MS = 120_000;
/** After this time without a request nothing more is expected of a browser. */
const QUIET_MS = 600;

export interface Fault {
  delay_ms?: number;
  held_until?: Promise<unknown>;
  foreign?: Foreign;
  /** Of `foreign` and `stall`: the service gets the request, and does what it says, all the same. */
  is_processed?: true;
  /**
   * `block`: the connection ends, and the service does not even get the request. `stall`: so too, but the connection
   * stays open, and nothing comes. `lose`: the connection ends before the first byte of the answer. A browser sends
   * a GET again by itself if the connection had carried another request before. `cut`: it ends in the middle of the
   * answer. `shorten`: the same without a Content-Length, so that the half looks whole. `empty`: the headers come,
   * and say that there is no body.
   */
  end?: "block" | "stall" | "lose" | "cut" | "shorten" | "empty";
  /** Of a WebSocket: from then on nothing comes through, and both sides think that it is open. */
  silent_after?: Promise<unknown>;
}

export interface Foreign {
  status: number;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

export interface Request {
  method: string;
  path: string;
  body: string;
  status: number | null;
  /** Whether the browser got the service's whole answer. */
  is_delivered: boolean;
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
  reset(sender: string): void;
  quiet(): Promise<void>;
  close(): void;
}

export async function startProxy(service: string): Promise<BreakingProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) => {
    answer({ proxy, service, agent, incoming, seen: note(incoming) }, response).catch(() =>
      incoming.socket.destroy(),
    );
  });
  const sockets = new Set<Duplex>();
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex) => {
    sockets.add(socket.once("close", () => sockets.delete(socket)));
    connect({ proxy, service, incoming, seen: note(incoming) }, socket).catch(() =>
      socket.destroy(),
    );
  });
  const note = ({ method = "GET", url: path = "/" }: IncomingMessage): Request => {
    const seen: Request = {
      ...{ method, path, body: "", status: null, is_delivered: false },
      ...{ is_open: true, at_ms: performance.now() },
    };
    proxy.requests.push(seen);
    return seen;
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: BreakingProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    sender: freshAddress(),
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
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
  return proxy;
}

interface Passing {
  proxy: BreakingProxy;
  service: string;
  incoming: IncomingMessage;
  seen: Request;
}

async function answer(
  passing: Passing & { agent: Agent },
  response: ServerResponse,
): Promise<void> {
  const { proxy, incoming, seen } = passing;
  let fault: Fault = {};
  response.once("close", () => {
    seen.is_open = false;
    const isWhole = fault.end === undefined && fault.foreign === undefined;
    seen.is_delivered = response.writableFinished && isWhole;
  });
  const body = await buffer(incoming);
  seen.body = body.toString();
  fault = proxy.rule(seen) ?? {};
  const { delay_ms, held_until, foreign, end } = fault;
  const isHeard = fault.is_processed || (foreign === undefined && end !== "stall");
  const given = end === "block" || !isHeard ? null : await ask(passing, body, response);
  if (delay_ms !== undefined) await pause(delay_ms);
  await held_until;
  if (end === "stall") return;
  if (foreign !== undefined) response.writeHead(foreign.status, foreign.headers).end(foreign.body);
  else if (given === null || end === "lose") incoming.socket.destroy();
  else if (end === "cut" || end === "shorten") giveHalf(response, given, end);
  else give(response, given, end === "empty" ? Buffer.alloc(0) : given.content);
}

interface Given {
  status: number;
  headers: OutgoingHttpHeaders;
  content: Buffer;
}

async function ask(
  { incoming, agent, ...passing }: Passing & { agent: Agent },
  body: Buffer,
  response: ServerResponse,
): Promise<Given> {
  const upstream = requestTo(passing.service + passing.seen.path, {
    ...{ agent, method: passing.seen.method },
    headers: headersOf({ incoming, ...passing }),
  });
  // Who closes a tab hangs up on the service too.
  response.once("close", () => upstream.destroy());
  upstream.end(body);
  const [given] = (await once(upstream, "response")) as [IncomingMessage];
  const content = await buffer(given);
  const { connection: _, "transfer-encoding": __, ...headers } = given.headers;
  const { statusCode: status = 502 } = given;
  passing.seen.status = status;
  return { status, headers, content };
}

/** With the browser's Host, so that the service takes our origin for its own. */
function headersOf({ proxy, incoming }: Passing): OutgoingHttpHeaders {
  return { ...incoming.headers, "cf-connecting-ip": proxy.sender };
}

function give(response: ServerResponse, { status, headers }: Given, content: Buffer): void {
  response.writeHead(status, { ...headers, "content-length": content.length }).end(content);
}

function giveHalf(response: ServerResponse, given: Given, how: "cut" | "shorten"): void {
  const { status, headers, content } = given;
  const half = content.subarray(0, content.length / 2);
  if (how === "cut") {
    response.writeHead(status, { ...headers, "content-length": content.length });
    response.write(half, () => response.socket?.destroy());
    return;
  }
  const { "content-length": _, ...unmeasured } = headers;
  response.useChunkedEncodingByDefault = false;
  response.writeHead(status, { ...unmeasured, connection: "close" }).end(half);
}

async function connect(passing: Passing, socket: Duplex): Promise<void> {
  const { proxy, service, seen } = passing;
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    seen.is_open = false;
  });
  const fault = proxy.rule(seen) ?? {};
  if (fault.end === "stall") return;
  if (fault.end === "block") {
    socket.destroy();
    return;
  }
  const upstream = requestTo(service + seen.path, { headers: headersOf(passing) });
  socket.once("close", () => upstream.destroy());
  upstream.end();
  // A refusal is an answer as others are.
  const [given, far, head] = (await Promise.race([
    once(upstream, "upgrade"),
    once(upstream, "response"),
  ])) as [IncomingMessage, Duplex | undefined, Buffer | undefined];
  seen.status = given.statusCode ?? 502;
  if (fault.delay_ms !== undefined) await pause(fault.delay_ms);
  await fault.held_until;
  const lines = given.rawHeaders.flatMap((name, i, all) =>
    i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : [],
  );
  socket.write([`HTTP/1.1 ${seen.status} ${given.statusMessage}`, ...lines, "", ""].join("\r\n"));
  if (far === undefined) {
    socket.end(await buffer(given));
    return;
  }
  far.on("error", () => socket.destroy()).once("close", () => socket.destroy());
  socket.once("close", () => far.destroy());
  socket.write(head ?? "");
  socket.pipe(far);
  far.pipe(socket);
  if (fault.silent_after === undefined) return;
  await fault.silent_after;
  socket.unpipe(far).resume();
  far.unpipe(socket).resume();
}
