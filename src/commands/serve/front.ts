/**
 * Takes the place of the platform's edge on a machine of one's own: says who a client is, and
 * refuses what is more than the service can do. A proxy in front of it has cache and TLS.
 */
import { randomUUID } from "node:crypto";
import {
  Agent,
  request as ask,
  createServer,
  type IncomingHttpHeaders,
  IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ERRORS } from "../../http/api-error.ts";
import type { TrustedProxies } from "./client-address.ts";

/**
 * Requests in the service at once. It answers some 1,500 a second on two cores, so the last of
 * these waits a sixth of a second; a client that is refused knows it at once, and may ask again.
 */
export const IN_FLIGHT_MAX = 256;
const RETRY_AFTER_S = 1;
/** Connections that wait; the system bounds it. Others wait for a retransmission, 13 s or more. */
const BACKLOG = 65_535;
/** A smaller body is read before the service is asked: slow clients take no place in it. */
const BUFFERED_BYTES_MAX = 65_536;
/** Longer than proxies' 60 s (nginx): the side that reuses a connection must close it. */
const KEEP_ALIVE_MS = 75_000;
const IDLE_CHECK_MS = 50;
/** workerd closes an idle connection after 15 s; what is sent then gets no answer. */
const IDLE_MS = 10_000;
/** Enough for a large upload over a slow line. */
const REQUEST_MS = 600_000;

/** Headers of one connection (RFC 9110 section 7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);
/** Only the platform, Miniflare or a trusted proxy may say these. */
const NOT_FROM_OUTSIDE = /^(?:cf-|mf-|x-forwarded-|forwarded$|x-real-ip$|true-client-ip$)/;
const HOST = /^[\w.:[\]-]{1,255}$/;

export interface FrontOptions {
  hostname: string;
  port: number;
  /** The service's socket, which may be closed for a while. */
  service: string;
  /** The socket and the paths of the files that browsers load. */
  files_socket: string;
  files: readonly string[];
  trusted: TrustedProxies;
}

export interface Front {
  port: number;
  /** Takes no new request. Resolves when those that run are answered or `grace_ms` is over. */
  close(grace_ms: number): Promise<void>;
}

/** @throws with the system's code, as `EADDRINUSE`, where it cannot listen */
export async function startFront({
  hostname,
  port,
  service,
  files_socket,
  files,
  trusted,
}: FrontOptions): Promise<Front> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: IN_FLIGHT_MAX, timeout: IDLE_MS });
  const paths = new Set(files);
  let in_flight = 0;
  let closing = false;
  const upgraded = new Set<Duplex>();

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = read(request, trusted);
    if (asked === null) {
      response.writeHead(400).end();
      return;
    }
    const body = await bodyOf(request);
    if (closing || in_flight >= IN_FLIGHT_MAX) {
      refuse(request, response, closing);
      return;
    }
    const upstream = ask({
      ...{ agent, path: asked.url, method: request.method, headers: asked.headers },
      socketPath: paths.has(asked.pathname) ? files_socket : service,
    });
    in_flight += 1;
    let isWaiting = true;
    // A slow reader takes no place, because the service has done its work.
    const answered = () => {
      if (isWaiting) in_flight -= 1;
      isWaiting = false;
    };
    response.once("close", () => {
      answered();
      upstream.destroy();
    });
    upstream.once("response", (answer) => {
      answered();
      response.writeHead(answer.statusCode ?? 0, endToEnd(answer.rawHeaders));
      answer.pipe(response);
      answer.once("close", () => {
        if (!answer.complete) response.destroy();
      });
    });
    upstream.on("error", () => {
      answered();
      if (!response.headersSent) refuse(request, response, closing);
    });
    if (body instanceof IncomingMessage) body.pipe(upstream);
    else upstream.end(body);
  };

  /** A WebSocket gets the service's answer, then bytes pass both ways. */
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const asked = read(request, trusted);
    if (asked === null || closing) {
      socket.destroy();
      return;
    }
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket)).on("error", () => socket.destroy());
    const upstream = ask({
      ...{ socketPath: service, path: asked.url, method: request.method },
      headers: { ...asked.headers, connection: "upgrade", upgrade: request.headers.upgrade },
    });
    socket.once("close", () => upstream.destroy());
    upstream.once("upgrade", (response, other, first) => {
      socket.write(headOf(response));
      join(socket, other, head);
      join(other, socket, first);
    });
    upstream.once("response", (response) => {
      socket.write(headOf(response));
      response.pipe(socket);
    });
    upstream.once("error", () => socket.destroy());
    upstream.end();
  };

  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MS },
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  server.on("upgrade", (request, socket, head) => {
    upgrade(request, socket, head).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen({ host: hostname, port, backlog: BACKLOG }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(grace_ms) {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of upgraded) socket.destroy();
      // Connections whose answer began before stay open otherwise.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const over = setTimeout(() => server.closeAllConnections(), grace_ms);
      await closed;
      clearInterval(idle);
      clearTimeout(over);
      agent.destroy();
    },
  };
}

/** The requested address, and the headers for the service; null without a usable host or path. */
function read(request: IncomingMessage, trusted: TrustedProxies) {
  const { headers, socket, url = "" } = request;
  const { host = "" } = headers;
  const path = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]+(?=\/)/i, "");
  if (!HOST.test(host) || !path.startsWith("/")) return null;
  const peer = socket.remoteAddress ?? "";
  const client = trusted.clientOf(peer, textOf(headers["x-forwarded-for"]));
  const isSecure = trusted.believes(peer) && textOf(headers["x-forwarded-proto"]) === "https";
  return {
    url: `${isSecure ? "https" : "http"}://${host}${path}`,
    pathname: path.replace(/\?.*/s, ""),
    headers: { ...forService(headers), "cf-connecting-ip": client },
  };
}

function textOf(header: string | string[] | undefined): string {
  return `${header ?? ""}`;
}

function forService(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(
    ([name]) => !HOP_BY_HOP.has(name) && !NOT_FROM_OUTSIDE.test(name),
  );
  return Object.fromEntries(kept);
}

/** Null without a body. A large one, or one of unknown size, is passed on while it arrives. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | IncomingMessage | null> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === "0")) return null;
  if (encoding !== undefined || Number(length) > BUFFERED_BYTES_MAX) return request;
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Takes names and values by turns; leaves out what belongs to one connection. */
function endToEnd(raw: readonly string[]): string[] {
  return raw.filter((_, i) => !HOP_BY_HOP.has((raw[i - (i % 2)] ?? "").toLowerCase()));
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : [],
  );
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, "", ""].join("\r\n");
}

function join(from: Duplex, to: Duplex, first: Buffer): void {
  to.write(first);
  from.pipe(to);
  from.once("close", () => to.destroy()).on("error", () => to.destroy());
}

/** 503, as JSON or as a page that asks again by itself. */
function refuse(request: IncomingMessage, response: ServerResponse, closing: boolean): void {
  const { status, ar, en } = ERRORS.DEPENDENCY_DOWN;
  const isPage = (request.headers.accept ?? "").includes("text/html");
  response.writeHead(status, {
    "Content-Type": `${isPage ? "text/html" : "application/json"}; charset=utf-8`,
    "Cache-Control": "no-store",
    "Retry-After": RETRY_AFTER_S,
    ...(closing && { Connection: "close" }),
  });
  const details = { request_id: randomUUID() };
  const envelope = { ok: false, error: ar, message_en: en, code: "DEPENDENCY_DOWN", details };
  response.end(isPage ? pageOf(ar, en) : JSON.stringify(envelope));
}

function pageOf(ar: string, en: string): string {
  return `<!DOCTYPE html><html lang="ar" dir="rtl"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${2 * RETRY_AFTER_S}"><title>صلة · Sila</title><p>${ar}</p><p lang="en" dir="ltr">${en}</p></html>`;
}
