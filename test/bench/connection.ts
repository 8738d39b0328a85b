/**
 * One keep-alive HTTP/1.1 connection with one request at a time. It parses only what workerd answers: a
 * client that parsed more would cost more CPU than the Worker that it measures.
 */
import { connect, type Socket } from "node:net";

const HEAD_END = "\r\n\r\n";

export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answered: ((head: string) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (bytes) => this.#receive(bytes));
    this.#socket.on("error", (error) => this.#failed?.(error));
    this.#socket.on("close", () => this.#failed?.(new Error("the server closed a connection")));
  }

  /** Calls `answered` with status line and headers once the body is complete; it may send the next one. */
  send(request: string, answered: (head: string) => void, failed: (error: Error) => void): void {
    this.#answered = answered;
    this.#failed = failed;
    this.#socket.write(request, "latin1");
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const head_end = this.#received.indexOf(HEAD_END);
    if (head_end < 0) return;
    const head = this.#received.toString("latin1", 0, head_end);
    if (!isWhole(head, this.#received, head_end + HEAD_END.length)) return;
    this.#received = Buffer.alloc(0);
    const answered = this.#answered;
    this.#answered = null;
    answered?.(head);
  }
}

/**
 * Whether the body that starts at `from` is complete. Nothing follows it, because requests are not
 * pipelined.
 */
function isWhole(head: string, received: Buffer, from: number): boolean {
  const length = headerOf(head, "content-length");
  if (length !== null) return received.length >= from + Number(length);
  if (headerOf(head, "transfer-encoding") !== "chunked") return true;
  // A chunk ends in CR LF, so only the empty last one can end in this.
  return (
    received.length >= from + 5 &&
    received.toString("latin1", received.length - 5) === "0\r\n\r\n" &&
    isLast(received)
  );
}

/** The five bytes are the last chunk, on a line of its own, and not content of the chunk before. */
function isLast(received: Buffer): boolean {
  return received.at(-6) === 0x0a;
}

/** A header's value; `name` in lower case. */
export function headerOf(head: string, name: string): string | null {
  return new RegExp(`\\r\\n${name}: ([^\\r]*)`, "i").exec(head)?.[1] ?? null;
}
