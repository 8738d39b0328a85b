/** Passkeys: challenges, what is accepted of a browser, and what is stored (docs/security.md S41). */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { base64url, fromBase64url } from "../../../src/identity/base64url.ts";
import { challengeEnd, makeChallenge } from "../../../src/identity/challenges.ts";
import {
  ATTESTATION_CHARS_MAX,
  CHALLENGE_MS,
  CLOCK_SKEW_MS,
  PASSKEYS_MAX,
} from "../../../src/identity/limits.ts";
import {
  challengeOf,
  type RelyingParty,
  registrationOptions,
  signInOptions,
  verifyRegistration,
  verifySignIn,
  WebAuthnAssertion,
  WebAuthnRegistration,
} from "../../../src/identity/passkeys.ts";
import {
  addPasskey,
  deletePasskey,
  deletePasskeys,
  findPasskey,
  listPasskeys,
  notePasskeyUse,
  type Passkey,
  renamePasskey,
} from "../../../src/identity/passkeys-store.ts";
import { deleteExpiredUsed, isUseRefused, use } from "../../../src/identity/used-store.ts";
import { addUser, requireWayIn } from "../../../src/identity/users-store.ts";
import { randomSecret, secretOf } from "../../secret.ts";
import { cases, seedOfTheDay } from "../kit/cases.ts";
import chromium from "./chromium-passkeys.json";
import { type Misbehaviour, SoftwareAuthenticator } from "./software-authenticator.ts";

const NOW = Date.UTC(2026, 10, 27);
const KEY = secretOf(randomSecret());
const RP: RelyingParty = { id: "sila.example", origin: "https://sila.example", name: "Sila" };
const OWNER = {
  ...({ name: "ليان", email: null, locale: "ar" } as const),
  ...({ plan: "free", is_operator: false } as const),
};
const USER = { id: "u_0123456789abcdefghijkl", name: "ليان" };

const challenge = (purpose = "sign-in") => makeChallenge(KEY, purpose, NOW);
const newDevice = (counts = true) => SoftwareAuthenticator.create({ origin: RP.origin, counts });

/** What the service makes of a registration of this device. */
async function registered(device: SoftwareAuthenticator, wrong: Misbehaviour = {}) {
  const asked = challenge();
  const options = await registrationOptions(RP, asked, { user: USER, known: [] });
  const answer = WebAuthnRegistration.parse(await device.register(options, wrong));
  return verifyRegistration(RP, asked, answer);
}

async function newPasskey(device: SoftwareAuthenticator): Promise<Passkey> {
  const made = await registered(device);
  if (made === null) throw new Error("the registration was refused");
  const { provider: _, ...stored } = made;
  return { ...stored, user_id: USER.id, name: "key", created_at: NOW, used_at: null };
}

/** What the service makes of a sign-in by this device with this passkey. */
async function signedIn(device: SoftwareAuthenticator, passkey: Passkey, wrong: Misbehaviour = {}) {
  const asked = challenge();
  const answer = WebAuthnAssertion.parse(
    await device.signIn(await signInOptions(RP, asked), wrong),
  );
  return verifySignIn(RP, asked, answer, passkey);
}

describe("a challenge", () => {
  test("counts for five minutes, for its purpose, with the key that made it", () => {
    const made = challenge("add u_1");
    const end = NOW + CHALLENGE_MS;
    expect(made).toHaveLength(54);
    expect(challengeEnd(KEY, "add u_1", made, NOW)).toBe(end);
    expect(challengeEnd(KEY, "add u_1", made, end - 1)).toBe(end);
    expect(challengeEnd(KEY, "add u_1", made, end)).toBeNull();
    expect(challengeEnd(KEY, "add u_2", made, NOW)).toBeNull();
    expect(challengeEnd(secretOf(randomSecret()), "add u_1", made, NOW)).toBeNull();
    expect(challenge("add u_1")).not.toBe(made);
  });

  test("of another isolate's clock counts as long as this one is a minute ahead at most", () => {
    const made = challenge();
    expect(challengeEnd(KEY, "sign-in", made, NOW - CLOCK_SKEW_MS)).toBe(NOW + CHALLENGE_MS);
    expect(challengeEnd(KEY, "sign-in", made, NOW - CLOCK_SKEW_MS - 1)).toBeNull();
  });

  test("with any character changed is refused, also where it decodes to the same bytes", () => {
    const made = challenge();
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let i = 0; i < made.length; i += 1) {
      for (const digit of digits) {
        const other = made.slice(0, i) + digit + made.slice(i + 1);
        const expected = other === made ? NOW + CHALLENGE_MS : null;
        expect(challengeEnd(KEY, "sign-in", other, NOW), other).toBe(expected);
      }
    }
    for (const other of ["", `${made}=`, ` ${made}`, made.slice(1), `${made}${made}`]) {
      expect(challengeEnd(KEY, "sign-in", other, NOW)).toBeNull();
    }
  });

  test("is used once: a second batch with it changes nothing", async () => {
    const made = challenge();
    const user_id = "u_used";
    const with_passkey = async (id: string) => {
      const passkey = { ...(await newPasskey(await newDevice())), id, user_id };
      return env.DB.batch([
        addPasskey(env.DB, passkey),
        use(env.DB, "challenge", made, "u_1", NOW + CHALLENGE_MS),
      ]);
    };
    await with_passkey("used-1");
    const refused = await with_passkey("used-2").catch((error: unknown) => error);
    expect(isUseRefused(refused)).toBe(true);
    expect((await listPasskeys(env.DB, user_id)).map(({ id }) => id)).toEqual(["used-1"]);
    // Forgotten only when no clock takes it any more.
    await deleteExpiredUsed(env.DB, NOW + CHALLENGE_MS + CLOCK_SKEW_MS - 1).run();
    await expect(use(env.DB, "challenge", made, "u_1", 0).run()).rejects.toThrow("UNIQUE");
    await deleteExpiredUsed(env.DB, NOW + CHALLENGE_MS + CLOCK_SKEW_MS).run();
    await use(env.DB, "challenge", made, "u_1", 0).run();
  });
});

describe("a registration", () => {
  test("asks for a discoverable passkey of a verified user, with no attestation", async () => {
    const known = [{ id: "AAAA", transports: ["usb"] }];
    expect(await registrationOptions(RP, challenge(), { user: USER, known })).toMatchObject({
      rp: { id: "sila.example", name: "Sila" },
      user: { id: btoa(USER.id).replaceAll("=", ""), name: "ليان", displayName: "ليان" },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [{ id: "AAAA", transports: ["usb"], type: "public-key" }],
      pubKeyCredParams: [{ alg: -7 }, { alg: -8 }, { alg: -257 }],
      timeout: CHALLENGE_MS,
    });
  });

  test("gives what is stored of a passkey, and the name of its provider", async () => {
    const device = await newDevice();
    expect(await registered(device, { counter: 7 })).toEqual({
      id: device.ids[0],
      public_key: expect.stringMatching(/^[\w-]{103}$/),
      counter: 7,
      transports: ["internal", "hybrid"],
      is_synced: false,
      provider: null,
    });
    const aaguid = "bada5566-a7aa-401f-bd96-45619a55120d";
    expect(await registered(device, { aaguid, is_synced: true })).toMatchObject({
      is_synced: true,
      provider: "1Password",
    });
  });

  test("of an authenticator that attests unasked is taken, and its certificates are not read", async () => {
    const unread = new Map([["x5c", "no certificate"]]);
    const attestation = new Map<string, string | typeof unread>([
      ["fmt", "packed"],
      ["attStmt", unread],
    ]);
    expect(await registered(await newDevice(), { attestation })).not.toBeNull();
  });

  test("that is wrong in anything is refused", async () => {
    const device = await newDevice();
    for (const [wrong, why] of [...WRONG, [{ id: "AAAA" }, "another id"] as const]) {
      expect(await registered(device, wrong), why).toBeNull();
    }
  });
});

/** What neither a registration nor a sign-in may have. */
const WRONG: readonly (readonly [wrong: Misbehaviour, why: string])[] = [
  [{ origin: "https://sila.example.evil.example" }, "another origin"],
  [{ origin: "http://sila.example" }, "without TLS"],
  [{ origin: "https://sila.example:8443" }, "another port"],
  [{ origin: "https://www.sila.example" }, "a subdomain"],
  [{ origin: "https://SILA.example" }, "another spelling"],
  [{ rp_id: "example" }, "another RP ID"],
  [{ challenge: challenge() }, "another challenge"],
  [{ type: "payment.get" }, "another type"],
  [{ is_verified: false }, "not verified"],
  [{ is_present: false }, "not present"],
  [{ client_data: { crossOrigin: true } }, "in a frame of another origin"],
  [{ client_data: { crossOrigin: "false" } }, "crossOrigin as a text"],
  [{ client_data: { topOrigin: "https://evil.example" } }, "with a top origin"],
  [{ client_data: { crossOrigin: true, topOrigin: RP.origin } }, "in a frame of a frame"],
  [{ client_data: { origin: [RP.origin] } }, "a list of origins"],
  [{ client_data: { tokenBinding: "x" } }, "a token binding of no form"],
  [{ client_data_text: "null" }, "null"],
  [{ client_data_text: "[]" }, "a list"],
  [{ client_data_text: "{" }, "no JSON"],
  [{ client_data_text: "\ufeff{}" }, "a byte order mark"],
];

describe("a sign-in", () => {
  let device: SoftwareAuthenticator;
  let passkey: Passkey;

  beforeAll(async () => {
    device = await newDevice();
    passkey = await newPasskey(device);
  });

  test("asks any passkey of this host, and to verify its user", async () => {
    const asked = challenge();
    expect(JSON.parse(JSON.stringify(await signInOptions(RP, asked)))).toEqual({
      rpId: "sila.example",
      challenge: asked,
      timeout: CHALLENGE_MS,
      userVerification: "required",
    });
  });

  test("gives the new counter, and whether the passkey is synced by now", async () => {
    const counter = passkey.counter + 10;
    expect(await signedIn(device, passkey, { counter })).toEqual({ counter, is_synced: false });
    expect(await signedIn(device, passkey, { counter, is_synced: true })).toEqual({
      counter,
      is_synced: true,
    });
    expect(await signedIn(device, passkey, { user_handle: null, counter })).toMatchObject({
      counter,
    });
  });

  test("that is wrong in anything is refused", async () => {
    const more: [Misbehaviour, string][] = [
      [{ type: "webauthn.create" }, "the answer to a registration"],
      [{ is_other_key: true }, "another key"],
      [{ is_other_key: true, counter: 0 }, "another key, which looks cloned"],
      [{ id: "AAAA" }, "another passkey's id"],
      [{ user_handle: btoa("u_another") }, "another owner"],
    ];
    for (const [wrong, why] of [...WRONG, ...more]) {
      expect(await signedIn(device, passkey, wrong), why).toBe("refused");
    }
  });

  test("by another's passkey is refused, also with this one's id", async () => {
    const other = await newDevice();
    await newPasskey(other);
    expect(await signedIn(other, passkey, { id: passkey.id })).toBe("refused");
  });

  test("whose counter does not grow is one of a clone, unless the authenticator does not count", async () => {
    const seen = { ...passkey, counter: 5 };
    for (const counter of [0, 4, 5]) {
      expect(await signedIn(device, seen, { counter }), `${counter}`).toBe("cloned");
    }
    expect(await signedIn(device, seen, { counter: 6 })).toMatchObject({ counter: 6 });
    const uncounted = await newDevice(false);
    expect(await signedIn(uncounted, await newPasskey(uncounted))).toMatchObject({ counter: 0 });
  });
});

/** `chromium-passkeys.json` is what Chromium 147 answered with its virtual authenticator, to two fixed challenges. */
describe("a registration and a sign-in by Chromium", () => {
  const challenges = { made: btoa("registration"), signed: btoa("sign-in").replaceAll("=", "") };

  test.each(Object.entries(chromium))("are accepted: %s", async (_, { origin, ...answers }) => {
    const rp = { id: "localhost", origin, name: "Sila" };
    const registration = WebAuthnRegistration.parse(answers.registration);
    const made = await verifyRegistration(rp, challengeOf(registration), registration);
    expect(challengeOf(registration)).toBe(challenges.made);
    if (made === null) throw new Error("the registration was refused");
    const assertion = WebAuthnAssertion.parse(answers.assertion);
    const passkey = { ...made, user_id: USER.id };
    expect(await verifySignIn(rp, challenges.signed, assertion, passkey)).toEqual({
      counter: made.counter + 1,
      is_synced: false,
    });
    expect(await verifySignIn(rp, challenges.made, assertion, passkey)).toBe("refused");
  });
});

describe("client data", () => {
  test("with a member twice is refused, also where one of them is escaped", async () => {
    const device = await newDevice();
    const asked = challenge();
    const good = `"origin":"${RP.origin}"`;
    const answer = async (first: string, second: string) => {
      const client_data_text = `{"type":"webauthn.create","challenge":"${asked}",${first},${second}}`;
      const options = await registrationOptions(RP, asked, { user: USER, known: [] });
      const made = await device.register(options, { client_data_text });
      return verifyRegistration(RP, asked, WebAuthnRegistration.parse(made));
    };
    expect(await answer(good, '"other":"\\"origin\\":"')).not.toBeNull();
    expect(await answer('"origin":"https://evil.example"', good)).toBeNull();
    expect(await answer('"\\u006frigin":"https://evil.example"', good)).toBeNull();
    expect(await answer('"origin" :"https://evil.example"', good)).toBeNull();
  });

  test("says which challenge is answered, or none where it cannot be read", async () => {
    const device = await newDevice();
    const options = await registrationOptions(RP, challenge(), { user: USER, known: [] });
    const made = await device.register(options);
    expect(challengeOf(WebAuthnRegistration.parse(made))).toBe(options.challenge);
    const broken = { ...made, response: { ...made.response, clientDataJSON: "A" } };
    expect(challengeOf(WebAuthnRegistration.parse(broken))).toBe("");
  });
});

describe("hostile answers", () => {
  const RUNS = cases(2_000);

  test("of any form are refused, and none throws", async () => {
    const device = await newDevice();
    const passkey = await newPasskey(device);
    const asked = challenge();
    const options = await registrationOptions(RP, asked, { user: USER, known: [] });
    const registration = (await (await newDevice()).register(options)) as Json;
    const assertion = (await device.signIn(await signInOptions(RP, asked))) as Json;
    const ways = new Set<string>();
    await fc.assert(
      fc.asyncProperty(damage(registration), damage(assertion), async (made, signed) => {
        const parsed = WebAuthnRegistration.safeParse(made);
        if (parsed.success) {
          challengeOf(parsed.data);
          ways.add(`registered: ${(await verifyRegistration(RP, asked, parsed.data)) !== null}`);
        }
        const read = WebAuthnAssertion.safeParse(signed);
        if (!read.success) return void ways.add("unread");
        const found = await verifySignIn(RP, asked, read.data, passkey);
        // Other spellings of the same bytes stay signed.
        if (found !== "refused") expect(meaning(signed)).toBe(meaning(assertion));
        ways.add(`signed in: ${found !== "refused"}`);
      }),
      { numRuns: RUNS, seed: seedOfTheDay() },
    );
    const both = ["registered: false", "registered: true", "signed in: false", "signed in: true"];
    expect([...ways].sort()).toEqual([...both, "unread"]);
  });

  test("of CBOR that nests, lies about its lengths or never ends are refused", async () => {
    const device = await newDevice();
    const asked = challenge();
    const options = await registrationOptions(RP, asked, { user: USER, known: [] });
    const made = await device.register(options);
    const bytes_max = (ATTESTATION_CHARS_MAX / 4) * 3;
    const bombs = [
      new Uint8Array(bytes_max).fill(0x81),
      new Uint8Array(bytes_max).fill(0xa1),
      new Uint8Array(bytes_max).fill(0xc1),
      new Uint8Array(bytes_max).fill(0x9f),
      Uint8Array.of(0x9b, ...Array(8).fill(0xff)),
      Uint8Array.of(0x5b, ...Array(8).fill(0xff)),
      Uint8Array.of(0xbb, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff),
    ];
    for (const bomb of bombs) {
      const attestationObject = base64url(bomb);
      const answer = { ...made, response: { ...made.response, attestationObject } };
      const parsed = WebAuthnRegistration.parse(answer);
      expect(await verifyRegistration(RP, asked, parsed)).toBeNull();
    }
    const longer = { ...made.response, attestationObject: "A".repeat(ATTESTATION_CHARS_MAX + 1) };
    expect(WebAuthnRegistration.safeParse({ ...made, response: longer }).success).toBe(false);
  });
});

type Json = Record<string, unknown> & { response: Record<string, unknown> };

/** The answer with one member replaced by anything, or with one byte of it flipped. */
function damage(answer: Json): fc.Arbitrary<unknown> {
  const junk = fc.oneof(
    fc.jsonValue(),
    fc.stringMatching(/^[A-Za-z0-9_-]{0,400}$/),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => base64url(bytes)),
  );
  const flipped = (text: unknown) =>
    typeof text !== "string" || text.length % 4 === 1
      ? fc.constant(text)
      : fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(([at, by]) => {
          const bytes = fromBase64url(text);
          const i = at % bytes.length;
          bytes[i] = (bytes[i] ?? 0) ^ by;
          return base64url(bytes);
        });
  const outer = fc.constantFrom(...Object.keys(answer));
  const inner = fc.constantFrom(...Object.keys(answer.response));
  const put = (name: string, value: unknown) => ({
    ...answer,
    response: { ...answer.response, [name]: value },
  });
  return fc.oneof(
    fc.jsonValue(),
    fc.tuple(outer, junk).map(([name, value]) => ({ ...answer, [name]: value })),
    fc.tuple(inner, junk).map(([name, value]) => put(name, value)),
    inner.chain((name) => flipped(answer.response[name]).map((value) => put(name, value))),
  );
}

const Signed = z.object({
  id: z.string(),
  response: z.object({
    clientDataJSON: z.string(),
    authenticatorData: z.string(),
  }),
});

/** What of an assertion is signed, or decides whose it is. */
function meaning(answer: unknown): string {
  const { id, response } = Signed.parse(answer);
  const bytes = (text: string) => fromBase64url(text).toHex();
  return [id, bytes(response.clientDataJSON), bytes(response.authenticatorData)].join(" ");
}

describe("of a user's passkeys", () => {
  const row = (user_id: string, id: string, counter = 0): Passkey => ({
    ...{ id, user_id, public_key: "AAAA", counter, transports: ["usb"], name: "مفتاح" },
    ...{ is_synced: false, created_at: NOW, used_at: null },
  });
  const add = (passkey: Passkey) => addPasskey(env.DB, passkey).run();
  const ids = async (user_id: string) => (await listPasskeys(env.DB, user_id)).map(({ id }) => id);

  test("each is found, listed oldest first, and renamed by its owner alone", async () => {
    const [first, second] = [row("u_a", "a2"), { ...row("u_a", "a1"), created_at: NOW + 1 }];
    await add(second);
    await add(first);
    expect(await listPasskeys(env.DB, "u_a")).toEqual([first, second]);
    await renamePasskey(env.DB, { id: "a1", user_id: "u_b", name: "x" }).run();
    expect(await findPasskey(env.DB, "a1")).toEqual(second);
    await renamePasskey(env.DB, { id: "a1", user_id: "u_a", name: "x" }).run();
    expect(await findPasskey(env.DB, "a1")).toEqual({ ...second, name: "x" });
    expect(await findPasskey(env.DB, "A1")).toBeNull();
  });

  test("none is added with the id of another user's", async () => {
    await add(row("u_c", "c1"));
    const refused = await add(row("u_d", "c1")).catch((error: unknown) => error);
    expect(isUseRefused(refused)).toBe(true);
    expect(await findPasskey(env.DB, "c1")).toMatchObject({ user_id: "u_c" });
  });

  test(`there are ${PASSKEYS_MAX} at most`, async () => {
    for (let n = 1; n <= PASSKEYS_MAX; n += 1) await add(row("u_e", `e${n}`));
    const refused = await add(row("u_e", "one-more")).catch((error: unknown) => error);
    expect(isUseRefused(refused)).toBe(true);
  });

  test("the last cannot be deleted, also where two at once delete the last two", async () => {
    for (const id of ["u_f", "u_g"]) await addUser(env.DB, { ...OWNER, id }, NOW).run();
    await add(row("u_f", "f1"));
    await add(row("u_f", "f2"));
    const remove = (id: string, user_id = "u_f") =>
      env.DB.batch([
        deletePasskey(env.DB, { id, user_id }),
        requireWayIn(env.DB, user_id, { has_mail: false, issuers: [] }),
      ]);
    await add(row("u_g", "g1"));
    await remove("f1", "u_g");
    expect(await ids("u_f")).toHaveLength(2);
    const removed = await Promise.allSettled([remove("f1"), remove("f2")]);
    const [refused, ...more] = removed.filter((one) => one.status === "rejected");
    expect([isUseRefused(refused?.reason), more]).toEqual([true, []]);
    expect(await ids("u_f")).toHaveLength(1);
    await deletePasskeys(env.DB, "u_f").run();
    expect(await ids("u_f")).toEqual([]);
    expect(await ids("u_g")).toEqual(["g1"]);
  });

  test("of two sign-ins with one counter, one passes, and of those without any both", async () => {
    await add(row("u_h", "h1", 3));
    await add(row("u_h", "h0"));
    const use = (id: string, counter: number, used_at = NOW) =>
      notePasskeyUse(env.DB, { id, counter, is_synced: true, used_at })
        .run()
        .then(
          () => "passed",
          (error: unknown) => (isUseRefused(error) ? "refused" : error),
        );
    expect((await Promise.all([use("h1", 4), use("h1", 4)])).sort()).toEqual(["passed", "refused"]);
    expect(await use("h1", 3)).toBe("refused");
    expect(await use("h1", 0)).toBe("refused");
    expect(await use("h1", 5, NOW + 1)).toBe("passed");
    expect(await findPasskey(env.DB, "h1")).toEqual({
      ...row("u_h", "h1", 5),
      is_synced: true,
      used_at: NOW + 1,
    });
    expect(await Promise.all([use("h0", 0), use("h0", 0)])).toEqual(["passed", "passed"]);
    expect(await use("h0", 1)).toBe("passed");
  });

  test("one that was deleted signs nobody in", async () => {
    const note = notePasskeyUse(env.DB, { id: "gone", counter: 1, is_synced: false, used_at: NOW });
    const failed = await env.DB.batch([
      use(env.DB, "challenge", "of gone", "u_1", NOW),
      note,
    ]).catch((error: unknown) => error);
    expect(isUseRefused(failed)).toBe(true);
    expect(await findPasskey(env.DB, "gone")).toBeNull();
    await use(env.DB, "challenge", "of gone", "u_1", NOW).run();
  });
});
