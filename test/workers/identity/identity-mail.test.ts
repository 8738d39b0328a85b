/** Codes by mail (docs/security.md S46): who gets one, who gets in by it, and who does not. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { BUDGET } from "../../../objects/mail/mail-budget.ts";
import { DAY_MS } from "../../../objects/platform/clock.ts";
import { deleteOldEnded } from "../../../src/identity/ended.ts";
import { MAIL_CODE_TRIES } from "../../../src/identity/limits.ts";
import { freshEmail } from "../blocks/newsletter-kit.ts";
import { dieAt, stopClock } from "../kit/faults.ts";
import { mailsTo, type SentMail } from "../kit/hub-kit.ts";
import { errorOf, ORIGIN } from "../kit/kit.ts";
import { Browser, identityHere, restoredAfter, useOwnAccounts } from "./identity-kit.ts";

useOwnAccounts();

const codeOf = async (response: Response) => [response.status, (await errorOf(response)).code];

const EMAIL = "/api/me/account/email";

/** The first user. */
async function ownerOf(): Promise<Browser> {
  const owner = await Browser.open();
  expect((await owner.setUp()).status).toBe(201);
  return owner;
}

/** The newest of `n` mails to an address, when they have arrived. */
async function mailed(email: string, n = 1): Promise<SentMail> {
  await expect.poll(() => mailsTo(email)).toHaveLength(n);
  return (await mailsTo(email))[0] as SentMail;
}

const digits = ({ text }: SentMail) => /^\d{6}$/m.exec(text)?.[0] ?? "";
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

async function askFor(email: string, more: object = {}, by?: Browser) {
  const browser = by ?? (await Browser.open());
  const answer = await browser.ask("POST", "/api/auth/code", { email, locale: "en", ...more });
  expect(answer.status).toBe(200);
  const { ticket, ...rest } = await answer.json<{ ticket: string }>();
  expect(rest).toEqual({ ok: true });
  return { browser, ticket };
}

function enter(browser: Browser, proof: { ticket: string; code: string }, more: object = {}) {
  return browser.ask("POST", "/api/auth/code/verify", { ...proof, locale: "en", ...more });
}

/** Proves an address on the account page. */
async function addEmail(browser: Browser, email = freshEmail(), mails = 1): Promise<string> {
  const asked = await browser.ask("POST", EMAIL, { email });
  const { ticket } = await asked.json<{ ticket: string }>();
  const code = digits(await mailed(email, mails));
  const proven = await browser.ask("POST", `${EMAIL}/verify`, { ticket, code });
  expect(proven.status).toBe(200);
  return email;
}

const idOf = async (browser: Browser) => (await browser.session()).user?.id;

describe("a code by mail", () => {
  test("signs in whose proven address it is, once, however the address is spelt", async () => {
    identityHere();
    const owner = await ownerOf();
    const email = await addEmail(owner);
    expect((await owner.session()).user).toMatchObject({ email });
    const { browser, ticket } = await askFor(email.toUpperCase());
    const code = digits(await mailed(email, 2));
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`;
    const answers = await Promise.all(
      [1, 2, 3].map(() => enter(browser, { ticket, code: typed }, { return_to: "/dashboard/x" })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const entered = answers.find(({ status }) => status === 200);
    expect(await entered?.json()).toEqual({ ok: true, return_to: `${ORIGIN}/dashboard/x` });
    expect(await idOf(browser)).toBe(await idOf(owner));
    expect((await enter(browser, { ticket, code })).status).toBe(401);
  });

  test("has five tries, also of many at once", async () => {
    identityHere();
    const email = await addEmail(await ownerOf());
    const guess = async (tries: number, n: number) => {
      const { browser, ticket } = await askFor(email);
      const code = digits(await mailed(email, n));
      await Promise.all(
        Array.from({ length: tries }, () => enter(browser, { ticket, code: wrong(code) })),
      );
      return (await enter(browser, { ticket, code })).status;
    };
    expect(await guess(4, 2)).toBe(200);
    expect(await guess(8, 3)).toBe(401);
  });

  test("works for ten minutes, with the ticket of the browser that asked, and for what it was asked for", async () => {
    const owner = await ownerOf();
    const email = await addEmail(owner);
    const { browser, ticket } = await askFor(email);
    const code = digits(await mailed(email, 2));
    const thief = await askFor(email);
    expect(await codeOf(await enter(thief.browser, { ticket: thief.ticket, code }))).toEqual([
      401,
      "SIGN_IN_REFUSED",
    ]);
    const added = await owner.ask("POST", `${EMAIL}/verify`, { ticket, code });
    expect(await codeOf(added)).toEqual([401, "SIGN_IN_REFUSED"]);
    const { results } = await env.DB.prepare("SELECT * FROM auth_mail_codes").all();
    expect(JSON.stringify(results)).not.toMatch(new RegExp(`${ticket}|"${code}"`));
    await env.DB.exec("UPDATE auth_mail_codes SET expires_at = 1");
    expect((await enter(browser, { ticket, code })).status).toBe(401);
    await env.IDENTITY.tidy();
    expect(await env.DB.prepare("SELECT 1 FROM auth_mail_codes").first()).toBeNull();
  });

  test("is mailed to nobody without an account where none may be made, and the answer does not tell", async () => {
    const owner = await ownerOf();
    const known = await addEmail(owner);
    const unknown = freshEmail();
    await Promise.all([askFor(known), askFor(unknown)]);
    await mailed(known, 2);
    expect(await mailsTo(unknown)).toEqual([]);
    const rows = "SELECT COUNT(*) AS n FROM auth_mail_codes WHERE email = ?1";
    for (const email of [known, unknown]) {
      expect(await env.DB.prepare(rows).bind(email).first("n")).toBe(1);
    }
    await env.DB.exec("UPDATE auth_users SET suspended_at = 1");
    await askFor(known);
    expect(await mailsTo(known)).toHaveLength(2);
  });

  test("makes an account where everybody may, with a name that is asked for when the address is proven", async () => {
    await ownerOf();
    Object.assign(env, { SIGN_UP: "open" });
    const email = freshEmail();
    const { browser, ticket } = await askFor(email);
    const code = digits(await mailed(email));
    const first = await enter(browser, { ticket, code });
    expect(await first.json()).toEqual({ ok: true, name_needed: true });
    expect((await browser.session()).authenticated).toBe(false);
    expect((await enter(browser, { ticket, code }, { name: "سالم" })).status).toBe(200);
    expect((await browser.session()).user).toMatchObject({ name: "سالم", email, plan: "free" });
  });

  test("is right with the last try too, and then again with the name", async () => {
    await ownerOf();
    Object.assign(env, { SIGN_UP: "open" });
    const email = freshEmail();
    const { browser, ticket } = await askFor(email);
    const code = digits(await mailed(email));
    for (let n = 1; n < MAIL_CODE_TRIES; n += 1) {
      await enter(browser, { ticket, code: wrong(code) });
    }
    expect((await enter(browser, { ticket, code })).status).toBe(200);
    expect((await enter(browser, { ticket, code }, { name: "سالم" })).status).toBe(200);
  });

  test("is mailed to users, however many are asked for strangers' addresses", async () => {
    const known = await addEmail(await ownerOf());
    const budget = env.LIMITER.getByName(BUDGET);
    await runInDurableObject(budget, (_, { storage }) => storage.deleteAll());
    await evictDurableObject(budget);
    vi.spyOn(console, "error").mockImplementation(() => {});
    // A quarter is for accounts.
    Object.assign(env, { SIGN_UP: "open", MAIL_PER_DAY: "40" });
    const strangers = Array.from({ length: 15 }, freshEmail);
    for (const email of strangers) await askFor(email);
    await askFor(known);
    await mailed(known, 2);
    const sent = await Promise.all(strangers.map((email) => mailsTo(email)));
    expect(sent.flat()).toHaveLength(2);
  });

  test.each(["before", "after"] as const)(
    "makes one account however often the service dies, %s any call of D1 or R2",
    async (when) => {
      identityHere();
      const owner = await ownerOf();
      vi.spyOn(console, "error").mockImplementation(() => {});
      let died = true;
      for (let call = 1; died; call += 1) {
        const made = await owner.ask("POST", "/api/admin/invitations", { plan: "pro" });
        const { link } = await made.json<{ link: string }>();
        const invitation = link.slice(link.indexOf("#") + 1);
        const email = freshEmail();
        const { browser, ticket } = await askFor(email, { invitation });
        const proof = { ticket, code: digits(await mailed(email)) };
        const death = dieAt(call, when);
        // Rejects where it has answered: the browser asks for its session, and nothing answers that.
        await enter(browser, proof, { invitation, name: "سالم" }).catch(() => null);
        died = death.mend();
        const again = await enter(browser, proof, { invitation, name: "سالم" });
        if (again.status !== 200) {
          const later = await askFor(email);
          const code = digits(await mailed(email, 2));
          expect((await enter(later.browser, { ticket: later.ticket, code })).status).toBe(200);
        }
        const users = env.DB.prepare("SELECT COUNT(*) AS n FROM auth_users WHERE email = ?1");
        expect([call, await users.bind(email).first("n")]).toEqual([call, 1]);
      }
    },
  );

  test("makes an account of an invitation, which is used up by it", async () => {
    const owner = await ownerOf();
    const made = await owner.ask("POST", "/api/admin/invitations", { plan: "pro" });
    const { link } = await made.json<{ link: string }>();
    const invitation = link.slice(link.indexOf("#") + 1);
    const email = freshEmail();
    const { browser, ticket } = await askFor(email, { invitation });
    const code = digits(await mailed(email));
    const entry = { invitation, name: "سالم" };
    expect(await codeOf(await enter(browser, { ticket, code }))).toEqual([
      403,
      "INVITATION_REQUIRED",
    ]);
    expect((await enter(browser, { ticket, code }, entry)).status).toBe(200);
    expect((await browser.session()).user).toMatchObject({ plan: "pro" });
    const other = freshEmail();
    await askFor(other, { invitation });
    expect(await mailsTo(other)).toEqual([]);
  });

  test("is mailed three times in a minute, five in an hour and 20 in a day to a mailbox, whosever it is", async () => {
    const name = crypto.randomUUID();
    const ask = async (email: string) =>
      (await Browser.open()).ask("POST", "/api/auth/code", { email, locale: "ar" });
    await ownerOf();
    for (const tag of ["", "+a", "+b"]) {
      expect((await ask(`${name}${tag}@example.com`)).status).toBe(200);
    }
    const refused = await ask(`${name}+c@example.com`);
    expect(await codeOf(refused)).toEqual([429, "RATE_LIMITED"]);
    expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
    const clock = stopClock();
    /** How many are admitted of five that are asked for a minute from now. */
    const admitted = async () => {
      clock.advance(60_000);
      const asked = [];
      for (let n = 0; n < 5; n += 1) asked.push(await ask(`${name}@example.com`));
      return asked.filter(({ status }) => status === 200).length;
    };
    expect([await admitted(), await admitted()]).toEqual([2, 0]);
    let day = 5;
    for (let hour = 0; hour < 5; hour += 1) {
      clock.advance(3_600_000);
      day += (await admitted()) + (await admitted());
    }
    expect(day).toBe(20);
  });

  test("is neither made nor checked for another site, nor leads to one", async () => {
    const browser = await Browser.open();
    const headers = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    for (const path of ["/api/auth/code", "/api/auth/code/verify"]) {
      expect(await codeOf(await browser.ask("POST", path, {}, { headers }))).toEqual([
        403,
        "CSRF_REQUIRED",
      ]);
    }
    const proof = { ticket: "x".repeat(43), code: "000000" };
    const away = await enter(browser, proof, { return_to: "https://evil.example/" });
    expect(await codeOf(away)).toEqual([400, "VALIDATION_FAILED"]);
  });

  test("does not exist where no mail can be sent", async () => {
    const owner = await ownerOf();
    Object.assign(env, { MAIL_FROM: "" });
    const answers = [
      await owner.ask("POST", "/api/auth/code", { email: freshEmail(), locale: "en" }),
      await owner.ask("POST", EMAIL, { email: freshEmail() }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  test("says from where it was asked for, but not in words of who asked", async () => {
    const email = await addEmail(await ownerOf());
    const browser = await Browser.open();
    const agent = { headers: { "User-Agent": "Call us at 0900 now/1 x" } };
    await browser.ask("POST", "/api/auth/code", { email, locale: "ar" }, agent);
    const mail = await mailed(email, 2);
    expect([mail.text, mail.html].join()).not.toContain("0900");
    expect(mail.html).toContain('<html lang="ar" dir="rtl">');
    expect(mail.html).toContain(digits(mail));
    expect(mail.subject).toContain(digits(mail));
  });
});

describe("a user's address", () => {
  test("is stored when it is proven, and of two users belongs to one", async () => {
    identityHere();
    const owner = await ownerOf();
    const email = await addEmail(owner);
    Object.assign(env, { SIGN_UP: "open" });
    const other = await Browser.open();
    expect((await other.signUp()).status).toBe(201);
    const asked = await other.ask("POST", EMAIL, { email });
    const { ticket } = await asked.json<{ ticket: string }>();
    const code = digits(await mailed(email, 2));
    const verify = (by: Browser) => by.ask("POST", `${EMAIL}/verify`, { ticket, code });
    expect(await codeOf(await verify(owner))).toEqual([401, "SIGN_IN_REFUSED"]);
    const { code: why, details } = await errorOf(await verify(other));
    expect([why, details]).toMatchObject(["SIGN_IN_REFUSED", { reason: "taken" }]);
    expect((await other.session()).user).toMatchObject({ email: "" });
  });

  test("is told when another takes its place, when it is removed, and of new devices", async () => {
    const owner = await ownerOf();
    const email = await addEmail(owner);
    const next = await addEmail(owner);
    expect((await mailed(email, 2)).text).toContain(next);
    const other = await Browser.open(owner.authenticator);
    const { options } = await (await other.ask("POST", "/api/auth/passkey/options")).json<{
      options: never;
    }>();
    const response = await owner.authenticator.signIn(options);
    const agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";
    const init = { headers: { "User-Agent": agent } };
    await other.ask("POST", "/api/auth/passkey", { response }, init);
    expect((await mailed(next, 2)).text).toContain("Firefox · Windows");
    expect((await owner.ask("DELETE", EMAIL)).status).toBe(200);
    await mailed(next, 3);
    expect(await codeOf(await owner.ask("DELETE", EMAIL))).toEqual([404, "NOT_FOUND"]);
  });

  test("is a way in, so that the last passkey can go, and then it is the last", async () => {
    const owner = await ownerOf();
    await addEmail(owner);
    const passkey = `/api/me/account/passkeys/${owner.authenticator.ids[0]}`;
    const { MAIL_FROM } = env;
    Object.assign(env, { MAIL_FROM: "" });
    const without_mail = await owner.ask("DELETE", passkey);
    Object.assign(env, { MAIL_FROM });
    expect(await codeOf(without_mail)).toEqual([409, "LAST_WAY_IN"]);
    const removed = await Promise.all([owner.ask("DELETE", passkey), owner.ask("DELETE", EMAIL)]);
    expect(removed.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("that was removed signs nobody in, also after D1 went back, unless it is proven again", async () => {
    identityHere();
    const owner = await ownerOf();
    const email = await addEmail(owner);
    await restoredAfter(async () => {
      expect((await owner.ask("DELETE", EMAIL)).status).toBe(200);
    });
    const { browser, ticket } = await askFor(email);
    // One is of the removal.
    const code = digits(await mailed(email, 3));
    // D1 has the address for good now.
    await deleteOldEnded(env.MEDIA, Date.now() + 400 * DAY_MS);
    expect(await codeOf(await enter(browser, { ticket, code }))).toEqual([401, "SIGN_IN_REFUSED"]);
    const notes = async () =>
      (await env.MEDIA.list({ prefix: "identity/ended/email/" })).objects.length;
    const before = await notes();
    await addEmail(owner, email, 4);
    expect(await notes()).toBe(before - 1);
  });
});
