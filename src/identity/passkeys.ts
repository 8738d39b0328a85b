/**
 * Passkeys by WebAuthn level 3 (https://www.w3.org/TR/webauthn-3/): what a browser is asked, and whether its answer is
 * right. Nothing is stored here.
 *
 * - Credentials are discoverable, so that signing in asks for no name.
 * - The user must be verified by a PIN, a finger or a face, at registration and at each sign-in: a sign-in needs
 *   nothing but the passkey, and a lost security key could be used by its finder. `preferred` would accept a key
 *   without a PIN. Chrome and Windows have the user set one when such a key is registered; other browsers may refuse
 *   the key until it has one. A U2F key, which can have none, cannot store a discoverable credential either.
 * - Attestation is neither requested nor read: verification parses certificates, and requests the revocation list at an
 *   address that a stranger's certificate names.
 */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { COSEALG, isoCBOR } from "@simplewebauthn/server/helpers";
import * as z from "zod/mini";
import { utf8 } from "../http/bytes.ts";
import { base64url, fromBase64url } from "./base64url.ts";
import {
  ATTESTATION_CHARS_MAX,
  AUTHENTICATOR_DATA_CHARS_MAX,
  CHALLENGE_MS,
  CLIENT_DATA_CHARS_MAX,
  CREDENTIAL_ID_CHARS_MAX,
  SIGNATURE_CHARS_MAX,
  TRANSPORT_CHARS_MAX,
  TRANSPORTS_MAX,
  USER_HANDLE_CHARS_MAX,
} from "./limits.ts";
import type { Passkey } from "./passkeys-store.ts";

export interface RelyingParty {
  /** A host without its port: a passkey works for one host only. */
  id: string;
  /** `location.origin` of the pages. */
  origin: string;
  name: string;
}

const ALGORITHMS = [COSEALG.ES256, COSEALG.EdDSA, COSEALG.RS256];

const Transport = z.string().check(z.regex(new RegExp(`^[a-z0-9-]{1,${TRANSPORT_CHARS_MAX}}$`)));

/** The JSON of `navigator.credentials.create`; other members are ignored. */
export const WebAuthnRegistration = z.object({
  ...credential(),
  response: z.object({
    clientDataJSON: base64urlText(CLIENT_DATA_CHARS_MAX),
    attestationObject: base64urlText(ATTESTATION_CHARS_MAX),
    transports: z._default(z.array(Transport).check(z.maxLength(TRANSPORTS_MAX)), []),
  }),
});
export type WebAuthnRegistration = z.infer<typeof WebAuthnRegistration>;

/** The JSON of `navigator.credentials.get`; other members are ignored. */
export const WebAuthnAssertion = z.object({
  ...credential(),
  response: z.object({
    clientDataJSON: base64urlText(CLIENT_DATA_CHARS_MAX),
    authenticatorData: base64urlText(AUTHENTICATOR_DATA_CHARS_MAX),
    signature: base64urlText(SIGNATURE_CHARS_MAX),
    userHandle: z.nullish(base64urlText(USER_HANDLE_CHARS_MAX)),
  }),
});
export type WebAuthnAssertion = z.infer<typeof WebAuthnAssertion>;

function credential() {
  const id = base64urlText(CREDENTIAL_ID_CHARS_MAX);
  return { id, rawId: id, type: z.literal("public-key") };
}

function base64urlText(chars_max: number) {
  return z.string().check(z.regex(new RegExp(`^[A-Za-z0-9_-]{1,${chars_max}}$`), "base64url"));
}

/** What a browser signs. A page in a frame of another origin is refused: its user cannot see where they are. */
const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.optional(z.literal(false)),
  topOrigin: z.optional(z.undefined()),
});

/** Strings of a JSON text; one with a colon is a member's name. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

function readClientData(response: { clientDataJSON: string }): z.infer<typeof ClientData> | null {
  try {
    const bytes = fromBase64url(response.clientDataJSON);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const data = ClientData.parse(JSON.parse(text));
    const names = [...text.matchAll(STRINGS)]
      .filter(([, colon]) => colon !== undefined)
      .map(([name, colon = ""]) => JSON.parse(name.slice(0, name.length - colon.length)));
    // Parsers differ in which of two equal members they take.
    return new Set(names).size === names.length ? data : null;
  } catch {
    return null;
  }
}

/** The challenge that a browser claims to answer; `''`, which no key makes, if it cannot be read. */
export function challengeOf({ response }: WebAuthnRegistration | WebAuthnAssertion): string {
  return readClientData(response)?.challenge ?? "";
}

/** @param known the user's passkeys; their authenticators make no second one */
export function registrationOptions(
  rp: RelyingParty,
  challenge: string,
  {
    user,
    known,
  }: { user: { id: string; name: string }; known: readonly Pick<Passkey, "id" | "transports">[] },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return generateRegistrationOptions({
    rpName: rp.name,
    rpID: rp.id,
    userID: utf8(user.id),
    userName: user.name,
    userDisplayName: user.name,
    challenge: fromBase64url(challenge),
    timeout: CHALLENGE_MS,
    attestationType: "none",
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

export function signInOptions(
  rp: RelyingParty,
  challenge: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: rp.id,
    challenge: fromBase64url(challenge),
    timeout: CHALLENGE_MS,
    userVerification: "required",
  });
}

export interface RegisteredPasskey
  extends Pick<Passkey, "id" | "public_key" | "counter" | "transports" | "is_synced"> {
  provider: string | null;
}

/** Null where anything is wrong. Never throws for what a browser sent. */
export async function verifyRegistration(
  rp: RelyingParty,
  challenge: string,
  registration: WebAuthnRegistration,
): Promise<RegisteredPasskey | null> {
  const { response } = registration;
  if (readClientData(response) === null) return null;
  try {
    const attestationObject = withoutStatement(response.attestationObject);
    const { registrationInfo: made } = await verifyRegistrationResponse({
      response: {
        ...registration,
        response: { ...response, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    // The library takes the id that the authenticator signed, and does not compare it with the other.
    if (made === undefined || made.credential.id !== registration.id) return null;
    return {
      id: made.credential.id,
      public_key: base64url(made.credential.publicKey),
      counter: made.credential.counter,
      transports: response.transports,
      is_synced: made.credentialBackedUp,
      provider: PROVIDERS[made.aaguid] ?? null,
    };
  } catch {
    return null;
  }
}

/**
 * The passkey's new state. `cloned` if only the counter is wrong, which must grow: two authenticators have
 * the key. Never throws for what a browser sent.
 */
export async function verifySignIn(
  rp: RelyingParty,
  challenge: string,
  assertion: WebAuthnAssertion,
  passkey: Pick<Passkey, "id" | "user_id" | "public_key" | "counter">,
): Promise<Pick<Passkey, "counter" | "is_synced"> | "refused" | "cloned"> {
  const { userHandle, ...response } = assertion.response;
  if (assertion.id !== passkey.id || readClientData(response) === null) return "refused";
  if (userHandle != null && userHandle !== base64url(utf8(passkey.user_id))) return "refused";
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      // The library would compare the counter before the signature, and a stranger could report any passkey as cloned.
      credential: { id: passkey.id, publicKey: fromBase64url(passkey.public_key), counter: 0 },
      requireUserVerification: true,
    });
    if (!verified) return "refused";
    const { newCounter: counter, credentialBackedUp: is_synced } = authenticationInfo;
    const grows = counter > passkey.counter || (counter === 0 && passkey.counter === 0);
    return grows ? { counter, is_synced } : "cloned";
  } catch {
    return "refused";
  }
}

/** An attestation object without attestation. Throws for anything else. */
function withoutStatement(attestation_object: string): string {
  const attestation = isoCBOR.decodeFirst<unknown>(fromBase64url(attestation_object));
  const authData = attestation instanceof Map ? attestation.get("authData") : undefined;
  if (!(authData instanceof Uint8Array)) throw new TypeError("not an attestation object");
  const none = new Map<string, string | Uint8Array | Map<string, string>>();
  none.set("fmt", "none").set("attStmt", new Map()).set("authData", authData);
  return base64url(isoCBOR.encode(none));
}

/** https://github.com/passkeydeveloper/passkey-authenticator-aaguids has them. Not attested, so good for names only. */
const PROVIDERS: Readonly<Record<string, string>> = {
  "fbfc3007-154e-4ecc-8c0b-6e020557d7bd": "Apple Passwords",
  "dd4ec289-e01d-41c9-bb89-70fa845d4bf2": "Apple Passwords",
  "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4": "Google Password Manager",
  "08987058-cadc-4b81-b6e1-30de50dcbe96": "Windows Hello",
  "9ddd1817-af5a-4672-a2b9-3e3dd95000a9": "Windows Hello",
  "6028b017-b1d4-4c02-b4b3-afcdafc96bb2": "Windows Hello",
  "d3452668-01fd-4c12-926c-83a4204853aa": "Microsoft Password Manager",
  "53414d53-554e-4700-0000-000000000000": "Samsung Pass",
  "adce0002-35bc-c60a-648b-0b25f1f05503": "Chrome on Mac",
  "771b48fd-d3d4-4f74-9232-fc157ab0507a": "Edge on Mac",
  "bada5566-a7aa-401f-bd96-45619a55120d": "1Password",
  "d548826e-79b4-db40-a3d8-11116f7e8349": "Bitwarden",
  "531126d6-e717-415c-9320-3d9aa6981239": "Dashlane",
  "0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6": "Keeper",
  "b78a0a55-6ef8-d246-a042-ba0f6d55050c": "LastPass",
  "b84e4048-15dc-4dd0-8640-f4f60813c8af": "NordPass",
  "50726f74-6f6e-5061-7373-50726f746f6e": "Proton Pass",
  "fdb141b2-5d84-443e-8a35-4698c205a502": "KeePassXC",
};
