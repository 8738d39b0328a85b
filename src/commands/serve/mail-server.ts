/** Gives mails that the service posts to a socket to the operator's mail server (RFC 5321). */
import { createServer, type IncomingMessage, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { createTransport, type Transporter } from "nodemailer";
import type { ComposedMail } from "../../../objects/mail/mail.ts";

/** Less than an object waits for a mail; a mail that failed is sent again. */
const CONNECT_MS = 10_000;
const IDLE_MS = 15_000;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/**
 * @param setting SMTP_URL: `smtps://user:password@host:465`, or `smtp://…:587`, which must offer
 * STARTTLS unless the server is on this machine
 * @throws where it is no such address
 */
export function smtpTransport(setting: string): Transporter {
  const url = URL.parse(setting);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    throw new Error("is not smtps://user:password@host:465 or smtp://…:587");
  }
  const isSecure = url.protocol === "smtps:";
  return createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (isSecure ? 465 : 587)),
    secure: isSecure,
    requireTLS: !isSecure && !LOOPBACK.test(url.hostname),
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: IDLE_MS },
    ...(url.username !== "" && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
  });
}

/** Sends what is posted to this socket: 201 `{id}`, or 502. */
export function serveMails(transport: Transporter, socket: string): Promise<Server> {
  const send = async (request: IncomingMessage): Promise<string> => {
    const { from, ...mail } = (await json(request)) as ComposedMail;
    const sender = { address: from.email, name: from.name };
    const { messageId } = await transport.sendMail({ ...mail, from: sender });
    return messageId;
  };
  const server = createServer((request, response) => {
    send(request).then(
      (id) => response.writeHead(201).end(JSON.stringify({ id })),
      (error: { code?: string; responseCode?: number }) => {
        // The server's own words may name the reader, and no log has an address.
        const { code = "unknown", responseCode: status } = error;
        console.error(JSON.stringify({ event: "smtp_failed", code, status }));
        response.writeHead(502).end();
      },
    );
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(socket, () => resolve(server));
  });
}
