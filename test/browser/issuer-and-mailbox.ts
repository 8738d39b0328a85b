/** What a sign-in may need outside the service, on this machine: a mailbox, and an issuer of OpenID Connect. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Outside extends AsyncDisposable {
  origin: string;
  /** Whom the issuer signs in from now on, as its ID token says; null: the person turns back. */
  person: Record<string, unknown> | null;
  mailTo(address: string, n?: number): { text: string } | null;
}

const CLIENT = { id: "sila", secret: "secret" };

export function settingsOf({ origin }: Outside) {
  return {
    ...{ MAIL_FROM: "sila@example.com", MAIL_PER_DAY: "1000" },
    ...{ OIDC_ISSUER: origin, OIDC_NAME: "Example ID" },
    ...{ OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
  };
}

export async function startOutside(): Promise<Outside> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const mails: { to: string; text: string }[] = [];
  const nonces = new Map<string, string | null>();

  async function idToken(nonce: string | null | undefined): Promise<string> {
    const now_s = Math.floor(Date.now() / 1_000);
    const times = { iat: now_s, exp: now_s + 60 };
    const claims = { iss: outside.origin, aud: CLIENT.id, ...times, nonce, ...outside.person };
    const input = [{ alg: "ES256" }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const signature = await crypto.subtle.sign(algorithm, keys.privateKey, Buffer.from(input));
    return `${input}.${Buffer.from(signature).toString("base64url")}`;
  }

  function sentBack(asked: URLSearchParams): string {
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("state", asked.get("state") ?? "");
    if (outside.person === null) back.searchParams.set("error", "access_denied");
    else {
      const code = crypto.randomUUID();
      nonces.set(code, asked.get("nonce"));
      back.searchParams.set("code", code);
    }
    return back.href;
  }

  async function answer(path: string, query: URLSearchParams, body: string): Promise<object | URL> {
    switch (path) {
      case "/api/mails":
        mails.unshift(JSON.parse(body));
        return { id: crypto.randomUUID() };
      case "/.well-known/openid-configuration":
        return {
          issuer: outside.origin,
          authorization_endpoint: `${outside.origin}/authorize`,
          token_endpoint: `${outside.origin}/token`,
          jwks_uri: `${outside.origin}/keys`,
          id_token_signing_alg_values_supported: ["ES256"],
        };
      case "/keys":
        return { keys: [await crypto.subtle.exportKey("jwk", keys.publicKey)] };
      case "/authorize":
        return new URL(sentBack(query));
      case "/token": {
        const code = new URLSearchParams(body).get("code") ?? "";
        const id_token = await idToken(nonces.get(code));
        return { access_token: "at", token_type: "bearer", id_token };
      }
      default:
        throw new Error(`nothing is at ${path}`);
    }
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    const given = await answer(pathname, searchParams, await text(request));
    if (given instanceof URL) response.writeHead(302, { Location: given.href }).end();
    else {
      const status = pathname === "/api/mails" ? 201 : 200;
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(given));
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const outside: Outside = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    person: null,
    mailTo(address, n = 1) {
      const to = mails.filter((mail) => mail.to === address);
      return to.length === n ? (to[0] ?? null) : null;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return outside;
}
