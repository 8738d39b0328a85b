/** docs/security.md S48, and what else stands in front of workerd on a machine of one's own: this test is the service. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
  type RequestListener,
  type Server,
} from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TrustedProxies } from "../../../src/commands/serve/client-address.ts";
import { type Front, IN_FLIGHT_MAX, startFront } from "../../../src/commands/serve/front.ts";

const FORGED = {
  "CF-Connecting-IP": "9.9.9.9",
  "CF-IPCountry": "T1",
  "MF-CF-Blob": '{"country":"T1"}',
  Forwarded: "for=9.9.9.9;proto=https",
  "X-Real-IP": "9.9.9.9",
  "True-Client-IP": "9.9.9.9",
  "X-Forwarded-For": "9.9.9.9",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-Host": "evil.example",
};

let folder: string;
let service: Server;
let files: Server;
let front: Front | undefined;
let answer: RequestListener;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sila-front-"));
  [service, files] = [createServer((...args) => answer(...args)), createServer()];
  files.on("request", (request, response) => response.end(`file ${request.url}`));
  await once(service.listen(join(folder, "service")), "listening");
  await once(files.listen(join(folder, "files")), "listening");
  answer = (request, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ url: request.url, headers: request.headers }));
  };
});
afterEach(async () => {
  await front?.close(0);
  front = undefined;
  for (const server of [service, files]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true });
});

async function start(trust_proxy = ""): Promise<string> {
  front = await startFront({
    ...{ hostname: "127.0.0.1", port: 0, files: ["/assets/a.css"] },
    service: join(folder, "service"),
    files_socket: join(folder, "files"),
    trusted: new TrustedProxies(trust_proxy),
  });
  return `http://127.0.0.1:${front.port}`;
}

type Echo = { url: string; headers: IncomingHttpHeaders };

async function echo(origin: string, init: RequestInit = {}, path = "/a?b=c"): Promise<Echo> {
  return (await fetch(origin + path, init)).json() as Promise<Echo>;
}

/** Resolves when so many requests are in the service, which keeps them until `release`. */
function hold(n: number): { held: Promise<void>; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting: (() => void)[] = [];
  answer = (_, response) => {
    waiting.push(() => response.end("held"));
    if (waiting.length === n) resolve();
  };
  const release = () => {
    for (const end of waiting) end();
  };
  return { held: promise, release };
}

test("nobody says who a client is but the socket: CF-*, Forwarded and X-Forwarded-* of outside are removed", async () => {
  const origin = await start();
  const { url, headers } = await echo(origin, { headers: { ...FORGED, "X-Other": "kept" } });
  const { host, ...kept } = headers;
  expect(url).toBe(`http://${host}/a?b=c`);
  expect(kept).toMatchObject({ "cf-connecting-ip": "127.0.0.1", "x-other": "kept" });
  for (const name of Object.keys(FORGED).slice(1))
    expect(kept).not.toHaveProperty(name.toLowerCase());
});

test("a trusted proxy says it, and whether the client spoke TLS", async () => {
  const origin = await start("127.0.0.1");
  const forwarded = { ...FORGED, "X-Forwarded-For": "9.9.9.9, 198.51.100.1" };
  const { url, headers } = await echo(origin, { headers: forwarded });
  expect(url).toBe(`https://${headers.host}/a?b=c`);
  expect(headers["cf-connecting-ip"]).toBe("198.51.100.1");
  expect(headers).not.toHaveProperty("x-forwarded-host");
});

test("paths of files are asked elsewhere, with and without a query", async () => {
  const origin = await start();
  const { host } = new URL(origin);
  for (const path of ["/assets/a.css", "/assets/a.css?x=/"]) {
    expect(await (await fetch(origin + path)).text()).toBe(`file http://${host}${path}`);
  }
  expect((await echo(origin, {}, "/assets/b.css")).url).toBe(`http://${host}/assets/b.css`);
});

test("one more than the service takes at once is refused within a second, as JSON or as a page, and later taken", async () => {
  const origin = await start();
  const { held, release } = hold(IN_FLIGHT_MAX);
  const waiting = Array.from({ length: IN_FLIGHT_MAX }, () => fetch(origin));
  await held;
  const [json, page] = await Promise.all([
    fetch(origin, { method: "POST", body: "{}" }),
    fetch(origin, { headers: { Accept: "text/html" } }),
  ]);
  expect([json.status, page.status]).toEqual([503, 503]);
  expect(json.headers.get("Retry-After")).toBe("1");
  expect(await json.json()).toMatchObject({ ok: false, code: "DEPENDENCY_DOWN" });
  expect(await page.text()).toContain('<html lang="ar" dir="rtl">');
  release();
  expect(await Promise.all(waiting.map(async (one) => (await one).text()))).toEqual(
    waiting.map(() => "held"),
  );
  answer = (_, response) => response.end();
  expect((await fetch(origin)).status).toBe(200);
});

test("a client that sends its body slowly takes no place, nor does one that reads slowly", async () => {
  const origin = await start();
  const slow = Array.from({ length: IN_FLIGHT_MAX }, async () => {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
    return socket;
  });
  const sockets = await Promise.all(slow);
  answer = (_, response) => response.write("begun");
  const reading = await Promise.all(Array.from({ length: IN_FLIGHT_MAX }, () => fetch(origin)));
  expect(reading.every(({ status }) => status === 200)).toBe(true);
  answer = (_, response) => response.end("whole");
  expect(await (await fetch(origin)).text()).toBe("whole");
  for (const socket of sockets) socket.destroy();
  await Promise.all(reading.map(({ body }) => body?.cancel()));
});

test("a large body is passed on while it comes, and an answer's headers are the service's", async () => {
  const origin = await start();
  answer = async (request, response) => {
    const body = await text(request);
    response.writeHead(201, [
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
      ["X-Length", String(body.length)],
    ]);
    response.end();
  };
  const response = await fetch(origin, { method: "PUT", body: "x".repeat(5_000_000) });
  expect(response.status).toBe(201);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(response.headers.get("X-Length")).toBe("5000000");
});

test("a client that hangs up ends the service's request", async () => {
  const origin = await start();
  const gone = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  answer = (_, response) => {
    response.once("close", gone.resolve);
    arrived.resolve();
  };
  const leaving = new AbortController();
  const asked = fetch(origin, { signal: leaving.signal }).catch(() => {});
  await arrived.promise;
  leaving.abort();
  await Promise.all([asked, gone.promise]);
});

test("while the service is away it answers 503, and one that broke off in the middle is not taken for whole", async () => {
  const origin = await start();
  answer = (_, response) => {
    response.writeHead(200, { "Content-Length": "9" });
    response.write("half", () => response.destroy());
  };
  await expect(fetch(origin).then((response) => response.text())).rejects.toThrow();
  service.closeAllConnections();
  await once(service.close(), "close");
  const away = await fetch(origin);
  expect([away.status, away.headers.get("Retry-After")]).toEqual([503, "1"]);
  await once(service.listen(join(folder, "service")), "listening");
  answer = (_, response) => response.end("back");
  expect(await (await fetch(origin)).text()).toBe("back");
});

test("a WebSocket passes, both ways, and a refused one is answered", async () => {
  const origin = await start();
  service.on("upgrade", (request: IncomingMessage, socket: Socket) => {
    if (request.url?.endsWith("/no")) {
      socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    );
    socket.write(`${request.headers["cf-connecting-ip"]} `);
    socket.on("data", (data) => socket.end(`heard ${data}`));
  });
  const upgrade = (path: string) =>
    plainRequest(origin + path, {
      headers: { ...FORGED, Connection: "Upgrade", Upgrade: "websocket" },
    });
  const asked = upgrade("/live");
  asked.end();
  const [, socket, head] = (await once(asked, "upgrade")) as [IncomingMessage, Socket, Buffer];
  socket.write("hello");
  expect(`${head}${await text(socket)}`).toBe("127.0.0.1 heard hello");
  const refused = upgrade("/no");
  refused.end();
  const [response] = (await once(refused, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(401);
  response.resume();
});

test.each([
  ["a host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400"],
  ["a path that is none", "GET x HTTP/1.1\r\nHost: a\r\n\r\n", "400"],
  ["no host", "GET / HTTP/1.1\r\n\r\n", "400"],
  [
    "two lengths",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "400",
  ],
  [
    "a length and chunks",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "400",
  ],
  ["another host's address", "GET http://b.example/x HTTP/1.1\r\nHost: a\r\n\r\n", "200"],
])("a request that proxies read in two ways is refused: %s", async (_, bytes, status) => {
  const origin = await start();
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  socket.write(bytes);
  const [data] = (await once(socket, "data")) as [Buffer];
  expect(`${data}`.slice(9, 12)).toBe(status);
  if (status === "200") expect(`${data}`).toContain('"url":"http://a/x"');
  socket.destroy();
});

test("an end answers what is asked, and takes no more", async () => {
  const origin = await start();
  const { held, release } = hold(1);
  const asked = fetch(origin);
  await held;
  const closed = front?.close(60_000);
  release();
  expect(await (await asked).text()).toBe("held");
  await closed;
  await expect(fetch(origin)).rejects.toThrow();
});
