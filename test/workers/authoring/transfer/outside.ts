/**
 * The Internet, for the workshop under test: `test/vitest.config.ts` runs this in Node. All hosts answer the same; a path
 * says how.
 */
import { readFileSync } from "node:fs";
import { sample } from "../pictures/picture-samples.ts";

const HTML = { "Content-Type": "text/html; charset=utf-8" };
const MIB = 1_048_576;

const link = (title: string, address: string) => `<a href="${address}">${title}</a>`;
const file = (name: string) =>
  readFileSync(new URL(`pages/${name}`, import.meta.url).pathname, "utf8");

/** A body in pieces, which a reader may leave at any moment. */
function pieces(next: (n: number) => Uint8Array | null | "error"): ReadableStream<Uint8Array> {
  let n = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = next(n);
      n += 1;
      if (piece === null) return new Promise<void>(() => undefined);
      if (piece === "error") controller.error(new Error("the connection broke"));
      else controller.enqueue(piece);
      return undefined;
    },
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

const ANSWERS: Readonly<Record<string, (rest: string, request: Request) => Response>> = {
  page: () =>
    new Response(
      `<h1>سلمى</h1><img class=avatar src=/picture>${link("متجر", "https://shop.example/")}`,
      {
        headers: HTML,
      },
    ),
  file: (name) => new Response(file(name), { headers: HTML }),
  status: (status) =>
    new Response(link("x", "https://x.example/"), { status: Number(status), headers: HTML }),
  to: (address) => moved(decodeURIComponent(address)),
  hops: (n) => moved(n === "1" ? "/page" : `/hops/${Number(n) - 1}`),
  type: (type) => new Response("x", { headers: { "Content-Type": decodeURIComponent(type) } }),
  /** Says whose the request is. */
  headers: (_, { headers }) => {
    const names = ["user-agent", "cookie", "referer", "authorization", "accept"];
    const links = names.map((name) =>
      link(`${name}: ${headers.get(name)}`, `https://${name}.example/`),
    );
    return new Response(links.join(""), { headers: HTML });
  },
  windows: () =>
    new Response(
      new Uint8Array([
        ...bytes(`<meta charset=windows-1256>${link("", "https://x.example/")}<h1>`),
        0xe3,
        0xd1,
      ]),
      { headers: { "Content-Type": "text/html" } },
    ),
  /** Exactly 1 MiB, or a byte more, with a link at its begin or none. */
  bytes: (rest) => {
    const [n = "", begin = ""] = rest.split("/");
    const first = begin === "" ? "" : link(begin, "https://x.example/");
    return new Response(first + " ".repeat(MIB + Number(n) - first.length), { headers: HTML });
  },
  /** 200 MiB of spaces, compressed to 0.2. */
  bomb: () => {
    const spaces = new Uint8Array(MIB).fill(0x20);
    const body = pieces((n) => (n < 200 ? spaces : "error"));
    return new Response(body, { headers: { ...HTML, "Content-Encoding": "gzip" } });
  },
  /** Begins, and never ends. */
  drip: () =>
    new Response(
      pieces((n) => (n === 0 ? bytes("<a href=") : null)),
      { headers: HTML },
    ),
  silent: () =>
    new Response(
      pieces(() => null),
      { headers: HTML },
    ),
  picture: () => new Response(sample("jpegPhoto"), { headers: { "Content-Type": "text/plain" } }),
  /** A picture by its type alone. */
  drawing: () => new Response("<svg/>", { headers: { "Content-Type": "image/png" } }),
  /** A page whose picture is at the address. */
  pictured: (address) =>
    new Response(
      `<meta property="og:image" content="${decodeURIComponent(address)}">${link("a", "https://x.example/")}`,
      { headers: HTML },
    ),
};

function moved(to: string): Response {
  return new Response(null, { status: 302, headers: { Location: to } });
}

export function outside(request: Request): Response {
  const [, name = "", rest = ""] = /^\/(\w+)\/?(.*)$/.exec(new URL(request.url).pathname) ?? [];
  return ANSWERS[name]?.(rest, request) ?? new Response(null, { status: 404 });
}
