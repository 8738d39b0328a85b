/** S29: addresses, and what goes into a mail. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { composeMail, type MailParts } from "../../../objects/blocks/newsletter/compose-mail.ts";
import {
  MAILBOX_PER_DAY,
  MAILBOX_PER_HOUR,
  mailsSent,
  takeAccountMail,
  takeMail,
  takeMailTo,
} from "../../../objects/mail/mail-budget.ts";
import { mailboxOf } from "../../../objects/mail/mailbox.ts";
import { parseEmail } from "../../../src/http/email-address.ts";

describe("S29: an address", () => {
  test("has 64 characters before the @ and 254 in all, and not one more", () => {
    const local = "a".repeat(64);
    expect(parseEmail(`${local}@example.com`)).toBe(`${local}@example.com`);
    expect(parseEmail(`a${local}@example.com`)).toBeNull();
    const domain = (length: number) => `${`${"b".repeat(59)}.`.repeat(3)}${"c".repeat(length)}.com`;
    const longest = `${"a".repeat(64)}@${domain(254 - 65 - 180 - 4)}`;
    expect(longest).toHaveLength(254);
    expect(parseEmail(longest)).toBe(longest);
    expect(parseEmail(longest.replace("@", "@d"))).toBeNull();
  });

  test("has its domain in ASCII and in lower case", () => {
    expect(parseEmail("Sara.K+news@EXAMPLE.com")).toBe("Sara.K+news@example.com");
    expect(parseEmail("sara@موقع.وزارة-الاتصالات.مصر")).toMatch(/^sara@xn--[a-z0-9.-]+$/);
    // In ASCII it would be too long.
    expect(parseEmail(`sara@${"ب".repeat(63)}.com`)).toBeNull();
  });

  test.each([
    ...["sara", "@example.com", "sara@", "sara@localhost", "sara@[127.0.0.1]", "sara@0x7f.1"],
    ...["sara@example.com:25", "sara@example.com/x", "sara@user@example.com", "sara@example.c"],
    ...["sara@exa mple.com", "sara@-example.com", "sara@%65xample.com", "سارة@example.com"],
    "sara@example.com\r\nBcc: all@example.com",
    "sara\r\nBcc: all@example.com@example.com",
    ...['"sara k"@example.com', "sara..k@example.com", "sara.@example.com"],
    ...["sara@example.com, other@example.com", "Sara <sara@example.com>"],
    // What a spreadsheet would take for a formula.
    ...["=1+1|cmd@example.com", "+sara@example.com", "-sara@example.com"],
  ])("is not %j", (text) => {
    expect(parseEmail(text)).toBeNull();
  });
});

describe("S29: a mailbox", () => {
  const mailbox = (raw: string) => mailboxOf(parseEmail(raw) ?? "");

  const ONE = [
    ["Sara@Example.COM", "sara@example.com"],
    ["sara+a+b@example.com", "sara@example.com"],
    ["sara+@example.com", "sara@example.com"],
    ["s.ara@gmail.com", "sara@gmail.com"],
    ["S.A.R.A+x.y@GoogleMail.com", "sara@gmail.com"],
    // The domain as it is stored: full-width letters, and a name in another script.
    ["sara+a@ｇｍａｉｌ．ｃｏｍ", "sara@gmail.com"],
    ["sara@بريد.example", "sara@xn--ngbof4h.example"],
  ] as const;
  test.each(ONE)("of %s is %s", (raw, expected) => {
    expect(mailbox(raw)).toBe(expected);
    expect(mailboxOf(expected)).toBe(expected);
  });

  const TWO = [
    // Other providers deliver to different people.
    ["s.ara@example.com", "sara@example.com"],
    ["s.ara@xgmail.com", "sara@xgmail.com"],
    ["s.ara@gmail.com.example", "sara@gmail.com.example"],
    ["sara@mail.example.com", "sara@example.com"],
    ["sara-a@example.com", "sara@example.com"],
  ] as const;
  test.each(TWO)("of %s is not that of %s", (one, other) => {
    expect(mailbox(one)).not.toBe(mailbox(other));
  });
});

const PARTS: MailParts = {
  kind: "confirm",
  locale: "en",
  mail_id: "m1",
  from: "news@sila.example",
  to: "sara@example.com",
  site: "https://sila.example",
  page_name: "Layan",
  token: "demo.abc",
};

describe("S29: a mail", () => {
  test.each(["confirm", "welcome"] as const)("of kind %s can be left by one click", (kind) => {
    for (const locale of ["ar", "en"] as const) {
      const { headers, text, html, subject } = composeMail({ ...PARTS, kind, locale });
      expect(headers).toEqual({
        "X-Sila-Mail-Id": "m1",
        "List-Unsubscribe": "<https://sila.example/newsletter/unsubscribe?token=demo.abc>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      });
      expect(subject).toContain("\u2068Layan\u2069");
      const leave = "https://sila.example/newsletter/unsubscribe?token=demo.abc";
      for (const body of [text, html]) expect(body).toContain(leave);
      expect(html).toContain(`lang="${locale}"`);
      expect(/\p{Script=Arabic}/u.test(text)).toBe(locale === "ar");
    }
  });

  test.each([
    ["\u202eLayan\r\nBcc: all\r\n\r\n<script>", "Layan Bcc: all <script>"],
    ["x".repeat(100), "x".repeat(80)],
    // What mail programs make a link of.
    ["You won, see evil.example", "sila.example"],
    ["http://evil", "sila.example"],
    ["ask me@evil", "sila.example"],
    ["", "sila.example"],
  ])("shows the name %j of a page as %j on one line", (page_name, shown) => {
    const { subject, text, html } = composeMail({ ...PARTS, page_name });
    expect(subject).toBe(`Confirm your subscription to \u2068${shown}\u2069`);
    expect(text).toContain(`\u2068${shown}\u2069`);
    expect(html).not.toContain("<script>");
    expect(Object.values(composeMail({ ...PARTS, page_name }).headers).join("")).not.toMatch(
      /[\r\n]/,
    );
  });
});

const freshBudget = () => env.LIMITER.getByName(`mail-${crypto.randomUUID()}`);

test("one page gets a quarter of the day's mails at most, floods leave one to each page that sent none, and all together get no more than all", async () => {
  const limiter = freshBudget();
  const sent: Record<string, number> = {};
  for (const page_id of "abcdefghij") {
    for (let n = 0; n < 5; n += 1) {
      const { admitted, reset_ms } = await takeMail(limiter, page_id, 14);
      if (admitted) sent[page_id] = (sent[page_id] ?? 0) + 1;
      else expect(reset_ms).toBeGreaterThan(86_000_000);
    }
  }
  expect(sent).toEqual({ a: 3, b: 3, c: 2, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 });
  // However small the budget is, a page gets one.
  const small = freshBudget();
  expect((await takeMail(small, "a", 1)).admitted).toBe(true);
  expect((await takeMail(small, "a", 1)).admitted).toBe(false);
});

test("a refused mail takes nothing from its page or from all, also when many ask at once", async () => {
  const limiter = freshBudget();
  await Promise.all(["b", "c", "d"].map((page_id) => takeMail(limiter, page_id, 4)));
  const asked = await Promise.all(Array.from({ length: 20 }, () => takeMail(limiter, "a", 4)));
  expect(asked.filter(({ admitted }) => admitted)).toHaveLength(1);
  expect(await mailsSent(limiter)).toBe(4);
  // With a larger budget the page may have a third of the nine that are left, and then of the eight.
  const later = await Promise.all(Array.from({ length: 20 }, () => takeMail(limiter, "a", 13)));
  expect(later.filter(({ admitted }) => admitted)).toHaveLength(1);
  expect(await mailsSent(limiter)).toBe(5);
});

test("mails of accounts take nothing from newsletters, and one mailbox not all of them", async () => {
  const limiter = freshBudget();
  const asked = await Promise.all(
    Array.from({ length: 8 }, () => takeAccountMail(limiter, "one mailbox", 8)),
  );
  expect(asked.filter(({ admitted }) => admitted)).toHaveLength(2);
  expect((await takeAccountMail(limiter, "another", 8)).admitted).toBe(true);
  expect(await mailsSent(limiter)).toBe(0);
});

test("a mail is charged to its mailbox and to the day's budget, or where one refuses to none", async () => {
  const budget = freshBudget();
  const mailbox = freshBudget();
  const take = (mail_id: string, per_day = 100) =>
    takeMailTo(mailbox, mail_id, () => takeMail(budget, `page of ${mail_id}`, per_day));
  // Nothing of the day is left: the mailbox keeps all its mails.
  for (let n = 0; n < 2 * MAILBOX_PER_DAY; n += 1) {
    expect(await take(`refused-${n}`, 0)).toMatchObject({ admitted: false });
  }
  for (let n = 0; n < MAILBOX_PER_HOUR; n += 1) {
    expect(await take(`${n}`)).toMatchObject({ admitted: true });
  }
  const full = await take("one more");
  expect(full).toMatchObject({ admitted: false, refused_by: "mailbox" });
  expect(full.reset_ms).toBeGreaterThan(3_590_000);
  expect(full.reset_ms).toBeLessThanOrEqual(3_600_000);
  expect(await mailsSent(budget)).toBe(MAILBOX_PER_HOUR);
  // A mail whose answer was lost is charged to its mailbox once.
  expect(await take("0")).toMatchObject({ admitted: true });
});
