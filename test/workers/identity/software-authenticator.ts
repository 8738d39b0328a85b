/**
 * An authenticator in software, with one ES256 passkey for each registration, and the browser around it: it answers
 * options as `navigator.credentials` does, in JSON. Each answer can be made wrong.
 */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import { utf8 } from "../../../src/http/bytes.ts";

/** Flags of the authenticator data (WebAuthn 6.1). */
const [PRESENT, VERIFIED, BACKUP_ELIGIBLE, BACKED_UP, ATTESTED] = [0x01, 0x04, 0x08, 0x10, 0x40];
/** Of no known provider. */
const AAGUID = "51c4a1e0-0000-4000-8000-000000000001";

/** As `src/identity/base64url.ts`, for Node too. */
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

interface Passkey {
  id: string;
  rp_id: string;
  user_handle: string;
  keys: CryptoKeyPair;
}

export interface Misbehaviour {
  origin?: string;
  rp_id?: string;
  challenge?: string;
  /** Of the client data: `webauthn.create` or `webauthn.get`. */
  type?: string;
  is_present?: boolean;
  is_verified?: boolean;
  /** False by default. */
  is_synced?: boolean;
  /** The counter in this answer; without it, each answer's is one higher than the last. */
  counter?: number;
  /** Further members of the client data, such as `crossOrigin`. */
  client_data?: Record<string, unknown>;
  /** The whole text of the client data. */
  client_data_text?: string;
  /** Of a registration. */
  aaguid?: string;
  attestation?: Map<string, string | Map<string, string | number | Uint8Array>>;
  /** The id beside a registration, not the one in it. */
  id?: string;
  /** Of an assertion; null leaves it out. */
  user_handle?: string | null;
  /** Of an assertion: the signature is made by another key. */
  is_other_key?: boolean;
}

export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #passkeys: Passkey[] = [];
  /** False for one that does not count, as those of synced passkeys. */
  readonly #counts: boolean;
  readonly #id_bytes: number;
  #counter = 0;

  private constructor(origin: string, counts: boolean, id_bytes: number) {
    this.#origin = origin;
    this.#counts = counts;
    this.#id_bytes = id_bytes;
  }

  static async create({
    origin,
    counts = true,
    id_bytes = 16,
  }: {
    origin: string;
    counts?: boolean;
    /** Of its passkeys. */
    id_bytes?: number;
  }): Promise<SoftwareAuthenticator> {
    return new SoftwareAuthenticator(origin, counts, id_bytes);
  }

  /** The ids of its passkeys, oldest first. */
  get ids(): string[] {
    return this.#passkeys.map(({ id }) => id);
  }

  /** Makes a passkey, as `startRegistration` does. Throws where it has one that the options exclude. */
  async register(options: PublicKeyCredentialCreationOptionsJSON, wrong: Misbehaviour = {}) {
    if (options.excludeCredentials?.some(({ id }) => this.ids.includes(id)) === true) {
      throw new Error("InvalidStateError: the authenticator was previously registered");
    }
    const credential_id = crypto.getRandomValues(new Uint8Array(this.#id_bytes));
    const id = base64url(credential_id);
    const keys = await newKeys();
    const rp_id = options.rp.id ?? new URL(this.#origin).hostname;
    this.#passkeys.push({ id, rp_id, user_handle: options.user.id, keys });

    const aaguid = Buffer.from((wrong.aaguid ?? AAGUID).replaceAll("-", ""), "hex");
    const length = [this.#id_bytes >> 8, this.#id_bytes & 0xff];
    const attested = [aaguid, length, credential_id, await coseOf(keys)];
    const authData = await this.#authenticatorData(rp_id, wrong, attested);
    const attestation = new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ...(wrong.attestation ?? []),
      ["authData", authData],
    ]);
    const clientDataJSON = this.#clientData("webauthn.create", options.challenge, wrong);
    return {
      id: wrong.id ?? id,
      rawId: wrong.id ?? id,
      type: "public-key",
      authenticatorAttachment: "platform",
      clientExtensionResults: { credProps: { rk: true } },
      response: {
        clientDataJSON: base64url(clientDataJSON),
        attestationObject: base64url(isoCBOR.encode(attestation as never)),
        transports: ["internal", "hybrid"],
        publicKeyAlgorithm: -7,
        publicKey: base64url(new Uint8Array(await spkiOf(keys))),
        authenticatorData: base64url(authData),
      },
    };
  }

  /** Signs with its newest passkey of the relying party, as `startAuthentication` does. Throws where it has none. */
  async signIn(options: PublicKeyCredentialRequestOptionsJSON, wrong: Misbehaviour = {}) {
    const rp_id = options.rpId ?? new URL(this.#origin).hostname;
    const passkey = this.#passkeys.findLast((one) => one.rp_id === rp_id);
    if (passkey === undefined) throw new Error("NotAllowedError: no passkey");
    const clientDataJSON = this.#clientData("webauthn.get", options.challenge, wrong);
    const authenticatorData = await this.#authenticatorData(rp_id, wrong);
    const { privateKey } = wrong.is_other_key === true ? await newKeys() : passkey.keys;
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", clientDataJSON));
    const signed = joined([authenticatorData, hash]);
    const by = { name: "ECDSA", hash: "SHA-256" };
    const signature = new Uint8Array(await crypto.subtle.sign(by, privateKey, signed));
    const userHandle = wrong.user_handle === undefined ? passkey.user_handle : wrong.user_handle;
    return {
      id: wrong.id ?? passkey.id,
      rawId: wrong.id ?? passkey.id,
      type: "public-key",
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(clientDataJSON),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(derOf(signature)),
        ...(userHandle === null ? {} : { userHandle }),
      },
    };
  }

  /** As Chrome writes it. */
  #clientData(type: string, challenge: string, wrong: Misbehaviour): Uint8Array<ArrayBuffer> {
    const data = {
      type: wrong.type ?? type,
      challenge: wrong.challenge ?? challenge,
      origin: wrong.origin ?? this.#origin,
      crossOrigin: false,
      ...wrong.client_data,
    };
    return utf8(wrong.client_data_text ?? JSON.stringify(data));
  }

  async #authenticatorData(
    rp_id: string,
    { is_present = true, is_verified = true, is_synced = false, ...wrong }: Misbehaviour,
    attested: readonly (Uint8Array | number[])[] = [],
  ): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#counts) this.#counter += 1;
    const flags =
      (is_present ? PRESENT : 0) |
      (is_verified ? VERIFIED : 0) |
      (is_synced ? BACKUP_ELIGIBLE | BACKED_UP : 0) |
      (attested.length > 0 ? ATTESTED : 0);
    const counter = new Uint8Array(4);
    new DataView(counter.buffer).setUint32(0, wrong.counter ?? this.#counter);
    const hash = await crypto.subtle.digest("SHA-256", utf8(wrong.rp_id ?? rp_id));
    return joined([new Uint8Array(hash), [flags], counter, ...attested]);
  }
}

async function newKeys(): Promise<CryptoKeyPair> {
  const kind = { name: "ECDSA", namedCurve: "P-256" };
  return (await crypto.subtle.generateKey(kind, true, ["sign", "verify"])) as CryptoKeyPair;
}

async function spkiOf({ publicKey }: CryptoKeyPair): Promise<ArrayBuffer> {
  return (await crypto.subtle.exportKey("spki", publicKey)) as ArrayBuffer;
}

/** The public key as COSE: EC2 (2), ES256 (-7), P-256 (1), x and y. */
async function coseOf({ publicKey }: CryptoKeyPair): Promise<Uint8Array> {
  const point = new Uint8Array((await crypto.subtle.exportKey("raw", publicKey)) as ArrayBuffer);
  const [x, y] = [point.slice(1, 33), point.slice(33)];
  const key = new Map<number, number | Uint8Array>();
  return isoCBOR.encode(key.set(1, 2).set(3, -7).set(-1, 1).set(-2, x).set(-3, y));
}

/** Web Crypto signs as r and s of 32 bytes each, authenticators in DER (WebAuthn 6.5.5). */
function derOf(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const [r, s] = [derInteger(signature.slice(0, 32)), derInteger(signature.slice(32))];
  return joined([[0x30, r.length + s.length], r, s]);
}

function derInteger(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.subarray(first);
  const sign = (digits[0] ?? 0) >= 0x80 ? [0] : [];
  return joined([[0x02, sign.length + digits.length], sign, digits]);
}

function joined(parts: readonly (ArrayLike<number> & Iterable<number>)[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
