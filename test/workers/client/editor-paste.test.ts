/** What a typed line is, in the editor's field for new links; pastes are in `test/plain/client/pastes.ts`. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTopLevel } from "../../../src/client/editor/links/domains.ts";
import { type Line, readPaste } from "../../../src/client/editor/links/paste.ts";
import { inAscii, phoneOf } from "../../../src/client/editor/links/phone.ts";
import { likelyCountry, numberIn } from "../../../src/client/editor/links/phone-numbers.ts";
import { isProfile, SERVICES } from "../../../src/client/editor/links/services.ts";
import { addressOf, telOf, whatsappOf } from "../../../src/client/editor/links/targets.ts";
import { NO_TOOLS, type Tools } from "../../../src/client/editor/links/tools.ts";
import { parseLinkAddress } from "../../../src/pages/document/link-address.ts";
import { cases } from "../kit/cases.ts";

const SAUDI: Tools = { numberIn, isTopLevel, country: "SA" };

/** A line in one string: `link https://… | label`, `phone +9665… | label`. */
function said({ found }: Line): string {
  const label = "label" in found && found.label !== "" ? ` | ${found.label}` : "";
  switch (found.is) {
    case "link":
      return `${found.is_profile ? "profile" : "link"} ${found.address}${label}`;
    case "phone": {
      const { number, extension } = found.phone;
      return `${found.way ?? "phone"} ${number}${extension === "" ? "" : `x${extension}`}${label}`;
    }
    case "handle":
      return `handle ${found.handle}${found.address === null ? "" : ` or ${found.address}`}${label}`;
    default:
      return `${found.is} ${found.text}`;
  }
}

const read = (text: string) => readPaste(text, SAUDI).map(said);

describe("a line with several addresses", () => {
  it.each([
    [
      "https://a.example | https://b.example",
      ["link https://a.example/", "link https://b.example/"],
    ],
    [
      "متجري https://a.example، دروسي https://b.example",
      ["link https://a.example/ | متجري", "link https://b.example/ | دروسي"],
    ],
    [
      "https://a.example متجري https://b.example دروسي",
      ["link https://a.example/ | متجري", "link https://b.example/ | دروسي"],
    ],
    [
      "a https://a.example b https://b.example c",
      ["link https://a.example/ | a", "link https://b.example/ | b", "words c"],
    ],
  ])("%j is as many links", (line, found) => {
    expect(read(line)).toEqual(found);
  });

  it("is one where the addresses are parts of each other", () => {
    expect(read("https://a.example/?to=https://b.example")).toHaveLength(1);
    expect(read("[https://a.example](https://a.example)")).toHaveLength(1);
  });
});

describe("a line", () => {
  it.each([
    // Web addresses, with and without a scheme.
    ["https://shop.example.com/a?b=1#c", "link https://shop.example.com/a?b=1#c"],
    ["shop.example.com", "handle shop.example.com or https://shop.example.com/"],
    ["www.example.com/متجر", "link https://www.example.com/%D9%85%D8%AA%D8%AC%D8%B1"],
    ["example.com:8080/x", "link https://example.com:8080/x"],
    ["متجري.السعودية", "link https://xn--pgbep1f2a.xn--mgberp4a5d4ar/"],
    ["«shop.example.com»", "handle shop.example.com or https://shop.example.com/"],
    ["https://ar.wikipedia.org/wiki/X_(Y)", "link https://ar.wikipedia.org/wiki/X_(Y)"],
    ["\u2067https://shop.example.com\u2069", "link https://shop.example.com/"],
    ["• shop.example.com", "handle shop.example.com or https://shop.example.com/"],
    ["shop.example.com/a", "link https://shop.example.com/a"],
    ["salma.attar", "handle salma.attar"],
    ["salma.attar/a", "words salma.attar/a"],
    ["soundcloud.com", "link https://soundcloud.com/"],
    // Profiles.
    ["https://www.instagram.com/layan.h/", "profile https://www.instagram.com/layan.h/ | @layan.h"],
    ["https://instagram.com/p/Cx1", "link https://instagram.com/p/Cx1"],
    ["wa.me/966501234567", "profile https://wa.me/966501234567 | +966 50 123 4567"],
    ["x.com/layan/status/1", "link https://x.com/layan/status/1"],
    // A service and a handle.
    ["Instagram: layan.h", "profile https://www.instagram.com/layan.h | @layan.h"],
    ["snap: layan.co", "profile https://www.snapchat.com/add/layan.co | @layan.co"],
    ["TikTok videos", "words TikTok videos"],
    ["انستقرام ليان", "words انستقرام ليان"],
    ["تويتر\t@layan", "profile https://x.com/layan | @layan"],
    // Handles alone.
    ["@layan", "handle layan"],
    ["＠layan", "handle layan"],
    ["@ليان", "handle ليان"],
    ["تابعوني @layan", "handle layan | تابعوني"],
    // Numbers.
    ["+966 50 123 4567", "phone +966501234567"],
    ["٠٥٠ ١٢٣ ٤٥٦٧", "phone +966501234567"],
    ["966501234567+", "phone +966501234567"],
    ["+44 (0)20 7946 0958", "phone +442079460958"],
    ["+966 11 123 4567 ext. 12", "phone +966111234567x12"],
    ["tel:+966-50-123-4567", "link tel:+966501234567 | +966 50 123 4567"],
    ["اتصل بنا ٠٥٠١٢٣٤٥٦٧", "link tel:+966501234567 | +966 50 123 4567"],
    ["للحجز: 0501234567", "phone +966501234567 | للحجز"],
    ["واتساب: ٠٥٠١٢٣٤٥٦٧", "profile https://wa.me/966501234567 | +966 50 123 4567"],
    ["sms:+966501234567", "link sms:+966501234567 | +966 50 123 4567"],
    // Mailboxes.
    ["layan@example.com", "link mailto:layan@example.com | layan@example.com"],
    ["البريد الإلكتروني: layan@example.com", "link mailto:layan@example.com | layan@example.com"],
    ["راسلنا layan@example.com", "link mailto:layan@example.com | راسلنا"],
    // A label and an address.
    ["متجري: shop.example.com", "link https://shop.example.com/ | متجري"],
    ["https://shop.example.com متجري", "link https://shop.example.com/ | متجري"],
    ["متجري | https://shop.example.com/a:b", "link https://shop.example.com/a:b | متجري"],
    ["https://shop.example.com\tالمتجر\t12", "link https://shop.example.com/ | المتجر"],
    ["[متجري](https://shop.example.com)", "link https://shop.example.com/ | متجري"],
    ["زوروا متجرنا في shop.example.com", "link https://shop.example.com/ | زوروا متجرنا"],
    // Words.
    ["أعمالي", "words أعمالي"],
    ["أهلا.مرحبا", "words أهلا.مرحبا"],
    ["2024-05-01", "words 2024-05-01"],
    ["Made with Node.js", "words Made with Node.js"],
    ["Opening hours: 9:00 to 17:00", "words Opening hours: 9:00 to 17:00"],
    // What no page may lead to (docs/security.md S10).
    ["javascript:alert(1)", "refused javascript:alert(1)"],
    ["java\u200bscript:alert(1)", "refused javascript:alert(1)"],
    ["data:text/html,<script>", "refused data:text/html,<script>"],
    ["https://user:password@shop.example.com", "refused https://user:password@shop.example.com"],
    ["ftp://files.example.com", "refused ftp://files.example.com"],
  ])("%j is: %s", (line, what) => {
    expect(read(line)).toEqual([what]);
  });

  it("is read for itself, and empty ones are nothing", () => {
    const text = "\r\nأعمالي\r\n\r\n @layan \u2028shop.example.com\n\u200f\n٠٥٠١٢٣٤٥٦٧\n";
    expect(read(text)).toEqual([
      "words أعمالي",
      "handle layan",
      "handle shop.example.com or https://shop.example.com/",
      "phone +966501234567",
    ]);
  });
});

describe("a number without a country", () => {
  const written = (country: string | null) => {
    const phone = phoneOf("٠١٠ ١٢٣٤ ٥٦٧٨", { ...SAUDI, country });
    return phone && [telOf(phone), whatsappOf(phone)];
  };

  it("cannot be called on WhatsApp where nobody knows the country", () => {
    expect(written(null)).toEqual(["tel:01012345678", null]);
  });

  it("is of the country where such numbers are", () => {
    expect(written("EG")).toEqual(["tel:+201012345678", "https://wa.me/201012345678"]);
    expect(written("AE")).toBeNull();
  });

  it.each([
    ["Africa/Cairo", ["en-US"], "EG"],
    ["Asia/Calcutta", [], "IN"],
    ["UTC", ["ar", "ar-SA", "en-US"], "SA"],
    ["UTC", ["ar", "not a language", "en-001"], null],
  ])("in %s for a reader of %j is of: %s", (time_zone, languages, country) => {
    expect(likelyCountry(time_zone, languages)).toBe(country);
  });
});

describe("the field of an address", () => {
  it.each([
    ["shop.example.com", "https://shop.example.com/"],
    ["٠٥٠١٢٣٤٥٦٧", "tel:+966501234567"],
    ["@layan", null],
    ["متجري", null],
    ["javascript:alert(1)", null],
  ])("takes %j for %j", (text, address) => {
    expect(addressOf(text, SAUDI)).toBe(address);
  });
});

describe("any text", () => {
  const scheme = fc.constantFrom(
    ..."javascript: vbscript: data:text/html, blob: file:// https:// HTTP: mailto: tel: sms: //".split(
      " ",
    ),
  );
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    scheme,
    fc.constantFrom(
      ..."\u202e \u2066 \u0000 \t @ : . / \u200b shop.example.com ٠٥٠١٢٣٤٥٦٧ instagram متجري [ ]( ) alert(1)".split(
        " ",
      ),
    ),
    fc.webUrl(),
    fc.emailAddress(),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));

  it("becomes addresses only that a page may link to, in the spelling that is stored (S10)", () => {
    fc.assert(
      fc.property(text, fc.constantFrom(NO_TOOLS, SAUDI), (any, tools) => {
        const addresses = readPaste(any, tools).flatMap(({ found }) => {
          if (found.is === "link" || found.is === "handle") return [found.address];
          return found.is === "phone" ? [telOf(found.phone), whatsappOf(found.phone)] : [];
        });
        for (const address of addresses) {
          if (address !== null) expect(parseLinkAddress(address)).toBe(address);
        }
      }),
      { numRuns: cases(3_000) },
    );
  });

  it("has labels without control characters, and what stays in the field is read as the same", () => {
    fc.assert(
      fc.property(text, (any) => {
        for (const line of readPaste(any, SAUDI)) {
          const words = "label" in line.found ? line.found.label : line.found.text;
          expect(words).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
          expect(readPaste(line.text, SAUDI).length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("is read in time proportional to its length", () => {
    for (const unit of [" ", "\t", ..."a 1 [ : @ - + a.".split(" "), ". ", "( ", "0 ", "ا "]) {
      // In quadratic time this would take an hour.
      readPaste(unit.repeat(1_000_000), SAUDI);
    }
  });
});

describe("a number", () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{9,11}$/);
  const separators = fc.array(fc.constantFrom("", "", " ", "-", "\u00a0", ".", ") "), {
    minLength: 14,
    maxLength: 14,
  });
  const scripts = fc.constantFrom(0x30, 0x660, 0x6f0, 0xff10);

  it("is the same in any digits and with any separators", () => {
    fc.assert(
      fc.property(digits, separators, scripts, (number, between, zero) => {
        const spelled = [...number]
          .map((digit, i) => String.fromCodePoint(zero + Number(digit)) + between[i])
          .join("")
          .trim();
        expect(phoneOf(`+${spelled}`, NO_TOOLS)?.number).toBe(`+${number}`);
      }),
    );
  });

  it("keeps its length when its digits are made Latin", () => {
    fc.assert(
      fc.property(fc.string(), (any) => {
        expect(inAscii(any)).toHaveLength(any.length);
      }),
    );
  });
});

describe("a handle", () => {
  it("is a profile on every service that is offered for it", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9]{4,20}$/), (handle) => {
        for (const { profile } of SERVICES) {
          const address = parseLinkAddress(profile + handle);
          expect(address).not.toBeNull();
          expect(isProfile(address ?? "")).toBe(true);
        }
      }),
    );
  });
});
