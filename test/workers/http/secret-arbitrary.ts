/** Identities and credentials in the forms in which messages contain them, by fast-check. */
import fc from "fast-check";
import { generator, integer, type Random } from "../../random.ts";
import { ipv4, ipv6, spellings } from "../kit/address-arbitrary.ts";

/** A word that is in no other text here. */
const word = stringOf([..."abcdefghijkmnopqrstuvwxyz"], 2, 5).map((end) => `Secret${end}`);
const alphanumeric = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"];

/** Not `fc.string`, which makes names of JavaScript members too, and these may be in the text around. */
function stringOf(characters: readonly string[], minLength: number, maxLength: number) {
  return fc
    .array(fc.constantFrom(...characters), { minLength, maxLength })
    .map((chosen) => chosen.join(""));
}

/** The text, and those parts of it of which none may remain. */
export interface Secret {
  written: string;
  parts: string[];
}

const whole = (written: string): Secret => ({ written, parts: [written] });
/** Words with separators, each of them too identifying to be kept. */
const wordsBetween = (characters: readonly string[]) =>
  fc
    .array(fc.tuple(word, stringOf(characters, 0, 3)), { minLength: 1, maxLength: 4 })
    .map((pieces) => ({
      written: pieces.flat().join(""),
      parts: pieces.map(([part]) => part),
    }));

/** Domains in other scripts, the second one with combining marks. */
const FOREIGN = ["مثال.إختبار", "उदाहरण.परीक्षा"];
const host = fc.constantFrom(
  "sila.example",
  "a.b.example:8787",
  "localhost:8787",
  ...FOREIGN,
  "[2001:db8::7]",
);
const base64url = [...alphanumeric, "-", "_"];

export const SECRETS: Record<string, fc.Arbitrary<Secret>> = {
  "a mailbox": fc
    .tuple(
      wordsBetween(["+", ".", "_", "-", "'", "1", "٢", "é", "!", "="]),
      fc.constantFrom("@", "@", "%40", "\uff20", "\ufe6b"),
      fc.constantFrom(
        ...["example.com", "mail.example.co.uk", "xn--mgbh0fb.example", "localhost", ...FOREIGN],
      ),
    )
    .map(([{ written, parts }, at, domain]) => ({ written: `${written}${at}${domain}`, parts })),
  "a mailbox with a quoted name": fc
    .tuple(word, word, fc.constantFrom("example.com", "localhost"))
    .map(([first, last, domain]) => ({
      written: `"${first} ${last}"@${domain}`,
      parts: [first, last],
    })),
  "a secret beside its name": fc
    .tuple(
      fc.constantFrom(
        "password",
        "Passwd",
        "API key",
        "api_key",
        "client_secret",
        "secret_key",
        "token",
        "كلمة المرور",
      ),
      fc.constantFrom(": ", "=", " = ", '": "', "': '", '\\":\\"', ": `"),
      word,
    )
    .map(([name, between, secret]) => ({ written: `${name}${between}${secret}`, parts: [secret] })),
  "a bearer token": fc
    .tuple(
      fc.constantFrom("Bearer", "bearer", "BEARER", "Basic"),
      fc.constantFrom(" ", "  "),
      stringOf([...base64url, ".", "~", "+", "/"], 7, 60),
      fc.constantFrom("", "=", "=="),
    )
    .map(([scheme, space, token, end]) => ({
      written: `${scheme}${space}x${token}${end}`,
      parts: [token],
    })),
  "a JSON web token": fc
    .array(stringOf(base64url, 8, 80), { minLength: 2, maxLength: 4 })
    .map(([header = "", ...rest]) => ({
      written: [`eyJ${header}`, ...rest].join("."),
      parts: [header, ...rest],
    })),
  "a token": fc
    .tuple(
      fc.constantFrom("", "sk_live_", "ghp_", "session-"),
      fc.nat(),
      fc.integer({ min: 24, max: 64 }),
    )
    .map(([kind, seed, chars]) => {
      const secret = token(chars, generator(seed));
      return { written: kind + secret, parts: [secret] };
    }),
  "a number of nine or more digits": stringOf([..."0123456789"], 9, 20).map(whole),
  "an IPv4 address": ipv4.map((address) => whole(dotted(address))),
  "a mapped IPv4 address": ipv4
    .chain(spellings)
    .filter((spelled) => /[1-9]/.test(spelled))
    .map(whole),
  "an IPv6 address": ipv6
    .chain(spellings)
    .filter((spelled) => /[1-9]/.test(spelled))
    .map(whole),
  "the query of an address": fc
    .tuple(host, fc.constantFrom("/", "", "/a/b.js", "/wiki/A_(b)"), query())
    .map(([at, path, { written, parts }]) => ({
      written: `https://${at}${path}${written}`,
      parts,
    })),
  "the query of a path": query().map(({ written, parts }) => ({
    written: `/api/x${written}`,
    parts,
  })),
  "the fragment of an address": fc
    .tuple(host, fc.constantFrom("/", "", "/a/b.js"), wordsBetween([..."=&-._~!'()*/?"]))
    .map(([at, path, { written, parts }]) => ({
      written: `https://${at}${path}#${written}`,
      parts,
    })),
  "the userinfo of an address": fc
    .tuple(
      fc.constantFrom("https", "wss", "postgres", "ftp"),
      wordsBetween([..."-._~!$&'()*+,;=:", "%40"]),
      host,
    )
    .map(([scheme, { written, parts }, at]) => ({
      written: `${scheme}://${written}@${at}/x`,
      parts,
    })),
};

/** Letters and digits as in generated tokens, some of each. */
function token(chars: number, random: Random): string {
  const drawn = Array.from(
    { length: chars - 2 },
    () => alphanumeric[integer(alphanumeric.length, random)],
  );
  return `a${drawn.join("")}0`;
}

function dotted(address: readonly number[]): string {
  return address
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}

/** A query, or a query and a fragment, as left by `encodeURIComponent`, with brackets. */
function query(): fc.Arbitrary<Secret> {
  return fc
    .tuple(
      wordsBetween([..."-._~!'()*=&+:/@,", "%20", "?"]),
      wordsBetween([..."=&-._~!'()*"]),
      fc.boolean(),
    )
    .map(([search, hash, with_hash]) => ({
      written: `?${search.written}${with_hash ? `#${hash.written}` : ""}`,
      parts: [...search.parts, ...(with_hash ? hash.parts : [])],
    }));
}
