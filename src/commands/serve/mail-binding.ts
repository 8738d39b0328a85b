/**
 * The binding `MAIL` where Cloudflare's `send_email` does not exist: a Worker that posts each mail
 * as JSON. It has the same method as the real binding, and the same rules for headers.
 */

/** The service is bound to this class of the Worker. */
const NAME = "mail";
const ENTRYPOINT = "Mail";

export const MAIL_BINDING = { name: NAME, entrypoint: ENTRYPOINT } as const;

/** The answer to a posted mail is 201 and `{ id }`. */
export interface MailTarget {
  url: string;
  headers?: Record<string, string>;
  /** Miniflare's service that gets the mails; by default whoever is at the address. */
  service?: { external: { address: string; http: object } };
}

const SCRIPT = `
import { WorkerEntrypoint } from "cloudflare:workers";

// Other headers are set by the platform, which refuses a mail that has one of them.
const ALLOWED = /^(?:X-[A-Za-z0-9-]+|List-Unsubscribe|List-Unsubscribe-Post)$/;

export class ${ENTRYPOINT} extends WorkerEntrypoint {
  async send(mail) {
    for (const [name, value] of Object.entries(mail.headers ?? {})) {
      if (!ALLOWED.test(name)) throw new Error("E_HEADER_NOT_ALLOWED");
      if (/[^\\x20-\\x7e]/.test(value)) throw new Error("E_HEADER_VALUE_INVALID");
    }
    const { SERVICE = globalThis, TARGET } = this.env;
    const response = await SERVICE.fetch(TARGET.url, {
      method: "POST",
      headers: { ...TARGET.headers, "Content-Type": "application/json" },
      body: JSON.stringify(mail),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error("E_DELIVERY_FAILED");
    return { messageId: JSON.parse(text).id };
  }
}

export default {};
`;

/** The options have the shape of Miniflare's version 4. */
export function mailWorker({ service, ...target }: MailTarget, compatibilityDate: string) {
  return {
    name: NAME,
    modules: true,
    script: SCRIPT,
    compatibilityDate,
    bindings: { TARGET: target },
    ...(service !== undefined && { serviceBindings: { SERVICE: service } }),
  };
}
