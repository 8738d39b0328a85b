/** An OpenID Connect issuer, and GitHub, in place of `fetch`: they do what the standards say, or what a test wants wrong. */
import { vi } from "vitest";

const CLIENT = { id: "our_client", secret: "s3cret/+" };

/** What an ID token says besides, or instead. */
type Claims = Record<string, unknown>;

interface Granted {
  nonce: string | null;
  challenge: string | null;
  redirect_uri: string | null;
}

export class TestIssuer {
  readonly address = `https://issuer-${crypto.randomUUID()}.example/`;
  readonly client = CLIENT;
  claims: Claims = { sub: "s-1", name: "ليلى" };
  /** What GitHub answers to `/user` and `/user/emails`. */
  github: { user: object; emails: object[] } = { user: { id: 7, login: "layla" }, emails: [] };
  /** What it tells of the person besides the ID token; null: it has no such endpoint. */
  userinfo: Claims | null = null;
  answer: ((right: Response) => Response | Promise<Response>) | null = null;
  sign: ((header: Claims, claims: Claims) => Promise<string>) | null = null;
  /** By which it says that it signs. */
  algorithms = ["ES256"];
  readonly #granted = new Map<string, Granted>();
  #keys: CryptoKeyPair;
  #kid = "k1";

  private constructor(keys: CryptoKeyPair) {
    this.#keys = keys;
  }

  static async open(): Promise<TestIssuer> {
    const issuer = new TestIssuer(await newKeys());
    const elsewhere = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input as string, init as RequestInit);
      return (await issuer.#fetch(request)) ?? elsewhere(request);
    });
    return issuer;
  }

  async rotate(): Promise<void> {
    this.#keys = await newKeys();
    this.#kid = "k2";
  }

  /** The person agrees: where the issuer sends their browser. */
  agree(location: string, more: Record<string, string> = {}): URL {
    const asked = new URL(location).searchParams;
    const code = crypto.randomUUID();
    this.#granted.set(code, {
      nonce: asked.get("nonce"),
      challenge: asked.get("code_challenge"),
      redirect_uri: asked.get("redirect_uri"),
    });
    const back = new URL(asked.get("redirect_uri") ?? "");
    const state = asked.get("state") ?? "";
    const answer = { code, state, iss: this.#issuerOf(location), ...more };
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
    return back;
  }

  async signBy({ privateKey }: { privateKey: CryptoKey }, header: Claims, claims: Claims) {
    const input = `${encoded(header)}.${encoded(claims)}`;
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const bytes = new TextEncoder().encode(input);
    const signature = new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, bytes));
    return `${input}.${signature.toBase64({ alphabet: "base64url", omitPadding: true })}`;
  }

  #issuerOf(location: string): string {
    return location.startsWith(this.address) ? this.address : "https://github.com/login/oauth";
  }

  async #fetch(request: Request): Promise<Response | null> {
    switch (request.url) {
      case `${this.address}.well-known/openid-configuration`:
        return Response.json({
          issuer: this.address,
          authorization_endpoint: `${this.address}authorize`,
          token_endpoint: `${this.address}token`,
          jwks_uri: `${this.address}keys`,
          ...(this.userinfo && { userinfo_endpoint: `${this.address}userinfo` }),
          id_token_signing_alg_values_supported: this.algorithms,
          authorization_response_iss_parameter_supported: true,
        });
      case `${this.address}keys`: {
        const jwk = await crypto.subtle.exportKey("jwk", this.#keys.publicKey);
        return Response.json({ keys: [{ ...jwk, kid: this.#kid, alg: "ES256", use: "sig" }] });
      }
      case `${this.address}userinfo`:
        return Response.json(this.userinfo);
      case `${this.address}token`:
      case "https://github.com/login/oauth/access_token": {
        const right = await this.#token(request);
        return this.answer === null ? right : this.answer(right);
      }
      case "https://api.github.com/user":
        return Response.json(this.github.user);
      case "https://api.github.com/user/emails":
        return Response.json(this.github.emails);
    }
    return null;
  }

  async #token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const granted = this.#granted.get(form.get("code") ?? "");
    const basic = request.headers.get("Authorization");
    const [id, secret] =
      basic === null
        ? [form.get("client_id"), form.get("client_secret")]
        : atob(basic.slice("Basic ".length)).split(":").map(unescaped);
    const verifier = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
    const challenge = digest.toBase64({ alphabet: "base64url", omitPadding: true });
    const isRight =
      id === CLIENT.id &&
      secret === CLIENT.secret &&
      granted?.challenge === challenge &&
      granted.redirect_uri === form.get("redirect_uri");
    if (!isRight) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const now_s = Math.floor(Date.now() / 1_000);
    const claims = {
      ...{ iss: this.address, aud: CLIENT.id, iat: now_s, exp: now_s + 60, nonce: granted.nonce },
      ...this.claims,
    };
    // GitHub's accounts have no ID token.
    if (!request.url.startsWith(this.address)) {
      return Response.json({ access_token: "at", token_type: "bearer" });
    }
    const header = { alg: "ES256", kid: this.#kid };
    const id_token = await (this.sign?.(header, claims) ?? this.signBy(this.#keys, header, claims));
    return Response.json({ access_token: "at", token_type: "bearer", id_token });
  }
}

export async function newKeys(): Promise<CryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
}

export function encoded(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function unescaped(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
