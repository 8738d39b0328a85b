/** The pages of accounts in the box as HTML: in both languages, and without a script or a style of their own. */
import { describe, expect, test } from "vitest";
import type { Frame } from "../../../src/dashboard/dashboard-frame.tsx";
import { AccountPage, type AccountPageProps } from "../../../src/identity/account-page.tsx";
import { ACCOUNT_TEXTS } from "../../../src/identity/account-texts.ts";
import { InvitePage } from "../../../src/identity/invite-page.tsx";
import { problemText } from "../../../src/identity/problem-texts.ts";
import { RecoverPage } from "../../../src/identity/recover-page.tsx";
import { SetupPage } from "../../../src/identity/setup-page.tsx";
import { SignInPage, type SignInPageProps } from "../../../src/identity/sign-in-page.tsx";
import { PUBLIC_TEXTS } from "../../../src/identity/texts.ts";
import { LOCALES, type Locale } from "../../../src/views/locale.ts";

const URL_OF_PAGE = new URL("https://sila.example/account/sign-in?return_to=%2Fdashboard&lang=ar");

const NO_OTHER_WAYS = { has_mail: false, issuers: [] };

const signIn = (locale: Locale, more: Partial<SignInPageProps> = {}) =>
  (
    <SignInPage
      locale={locale}
      url={URL_OF_PAGE}
      return_to={null}
      sign_up="invite"
      {...NO_OTHER_WAYS}
      {...more}
    />
  ).toString();

const setUp = (locale: Locale, is_done: boolean) =>
  (<SetupPage locale={locale} url={URL_OF_PAGE} is_done={is_done} />).toString();

const PUBLIC: Readonly<Record<string, (locale: Locale) => string>> = {
  "signing in": signIn,
  "the setup": (locale) => setUp(locale, false),
  "the setup, when it is over": (locale) => setUp(locale, true),
  "an invitation": (locale) =>
    (<InvitePage locale={locale} url={URL_OF_PAGE} {...NO_OTHER_WAYS} />).toString(),
  "a recovery": (locale) => (<RecoverPage locale={locale} url={URL_OF_PAGE} />).toString(),
};

/** Our policy forbids scripts and styles in the page (docs/security.md S8). */
function expectNothingInline(html: string): void {
  for (const [tag] of html.matchAll(/<script[^>]*>/g)) expect(tag).toContain(' src="/assets/');
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/);
}

describe.each(Object.entries(PUBLIC))("the page of %s", (_, page) => {
  test("is in the reader's language, and leads to itself in the other one", () => {
    const [ar, en] = (["ar", "en"] as const).map(page);
    expect(ar).toContain('<html lang="ar" dir="rtl">');
    expect(en).toContain('<html lang="en" dir="ltr">');
    const self = "/account/sign-in?return_to=%2Fdashboard&amp;lang=";
    expect(ar).toContain(`<a href="${self}en" lang="en" hreflang="en"`);
    expect(en).toContain(`<a href="${self}ar" lang="ar" hreflang="ar"`);
  });

  test("is no result of a search, and has nothing inline", () => {
    for (const locale of LOCALES) {
      expect(page(locale)).toContain('<meta name="robots" content="noindex"/>');
      expectNothingInline(page(locale));
    }
  });

  test("says what it needs in each form, and offers no button that a script has not switched on", () => {
    const html = page("en");
    const forms = html.match(/<form .*?<\/form>/gs) ?? [];
    for (const form of forms) {
      expect(form).toContain(`<noscript><p class="entry-problem">${PUBLIC_TEXTS.en.no_script}</p>`);
      expect(form).toMatch(/<button [^>]*type="submit" disabled=""/);
    }
    expect(html.match(/<button/g) ?? []).toHaveLength(forms.length);
  });
});

describe("the page of signing in", () => {
  const texts = PUBLIC_TEXTS.en.sign_in;

  test("asks for no name", () => {
    expect(signIn("en")).not.toContain('<input id="name"');
  });

  test("makes an account only where everybody may, and else says why not", () => {
    const [open, invite, closed] = (["open", "invite", "closed"] as const).map((sign_up) =>
      signIn("en", { sign_up }),
    );
    expect(open).toMatch(/data-step="sign-up" data-action="\/api\/auth\/sign-up"/);
    for (const html of [invite, closed]) expect(html).not.toContain("sign-up");
    expect(invite).toContain(texts.by_invitation);
    expect(closed).toContain(texts.closed);
  });

  test("sends along where to go afterwards, and never as markup", () => {
    expect(signIn("en")).not.toContain('name="return_to"');
    const html = signIn("en", { return_to: '/tip?a="><b>' });
    expect(html).toContain(
      '<input type="hidden" name="return_to" value="/tip?a=&quot;&gt;&lt;b&gt;"/>',
    );
  });

  test("lists further ways in where there are any", () => {
    expect(signIn("en")).not.toContain("entry-or");
    const issuers = [{ name: "github", label: "GitHub" }];
    const html = signIn("en", { issuers, has_mail: true, return_to: "/x" });
    expect(html).toContain('data-step="issuer" data-action="/api/auth/issuer/github"');
    expect(html).toContain('data-step="mail" data-action="/api/auth/code"');
    expect(html.match(/name="return_to" value="\/x"/g)).toHaveLength(3);
    // What is asked later may not stop the form before.
    for (const later of ["code", "name"]) {
      expect(html).toContain(`data-later="${later}" hidden="" disabled=""`);
    }
    expectNothingInline(html);
  });

  test("says why a sign-in elsewhere did not succeed, in words of its own", () => {
    const html = signIn("en", { problem: problemText("cancelled", "en") });
    expect(html).toContain("The sign-in was cancelled there.");
    for (const unknown of [undefined, "", "toString", "<b>"]) {
      expect(problemText(unknown, "ar")).toBeNull();
    }
  });

  test("leads to the way back for a lost passkey, in the same language", () => {
    expect(signIn("en")).toContain('href="/account/recover?lang=en"');
  });
});

test("after the setup its page asks for no code and leads to the sign-in", () => {
  expect(setUp("ar", false)).toContain('data-action="/api/auth/setup"');
  const html = setUp("ar", true);
  expect(html).not.toContain("<form");
  expect(html).toContain('<a class="contact" href="/account/sign-in?lang=ar">');
});

const NOW_MS = Date.parse("2026-11-27T12:05:00Z");

const FRAME: Frame = {
  locale: "en",
  user_name: "Layan",
  now_ms: NOW_MS,
  csrf_token: "a-token",
  has_own_accounts: false,
  unread: 0,
  tz: "Asia/Riyadh",
  url: new URL("https://sila.example/account?lang=en"),
};
const PASSKEY = { id: "one", name: "Phone", is_synced: true, created_at: NOW_MS, used_at: null };
const SESSION = {
  id: "this",
  device: { browser: "Safari", system: "iOS" },
  place: { country: "SA", city: "Riyadh" },
  created_at: NOW_MS,
  used_at: NOW_MS,
  is_this: true,
};
const USER = { name: "Layan", email: null, locale: "en", plan: "pro", ends_at: null } as const;

function account(more: Partial<AccountPageProps> = {}): string {
  const props: AccountPageProps = {
    frame: FRAME,
    user: USER,
    passkeys: [PASSKEY, { ...PASSKEY, id: "two", used_at: NOW_MS }],
    sessions: [SESSION],
    codes_left: 3,
    ...{ ...NO_OTHER_WAYS, identities: [] },
    ...more,
  };
  return (<AccountPage {...props} />).toString();
}

/** How often the page sends this. */
const sends = (html: string, path: string, method: string) =>
  html.split(`data-action="/api/me/account${path}" data-method="${method}"`).length - 1;

describe("the account page", () => {
  const texts = ACCOUNT_TEXTS.en;

  test("is in the reader's language, with their digits, and has nothing inline", () => {
    const html = account();
    expect(html).toContain('<html lang="en" dir="ltr"');
    expect(html).toContain("Last used November 27, 2026 at 15:05");
    const arabic = account({ frame: { ...FRAME, locale: "ar-u-nu-arab" } });
    expect(arabic).toContain('<html lang="ar" dir="rtl"');
    expect(arabic).toContain("بقيت لديك ٣ رموز استرداد.");
    for (const each of [html, arabic]) expectNothingInline(each);
  });

  test("removes any passkey but the last one, and says why not that", () => {
    expect(sends(account(), "/passkeys/one", "DELETE")).toBe(1);
    expect(account()).not.toContain(texts.last);
    const last = account({ passkeys: [PASSKEY] });
    expect(sends(last, "/passkeys/one", "DELETE")).toBe(0);
    expect(sends(last, "/passkeys/one", "PATCH")).toBe(1);
    expect(last).toContain(texts.last);
  });

  test("warns whoever has no way in, or one that is lost with a device", () => {
    const passkeys = [{ ...PASSKEY, is_synced: false }];
    const one = { passkeys, codes_left: 0 };
    expect(account(one)).toContain(texts.only_way);
    expect(account({ passkeys: [], codes_left: 0 })).toContain(texts.no_way);
    const email = { ...USER, email: "layan@example.com" };
    for (const html of [
      account({ ...one, codes_left: 1 }),
      account({ ...one, passkeys: [...passkeys, ...passkeys] }),
      account({ ...one, passkeys: [PASSKEY] }),
      account({ ...one, user: email, has_mail: true }),
    ]) {
      expect(html).not.toContain(texts.only_way);
    }
    // Without mail the address is no way in.
    expect(account({ ...one, user: email })).toContain(texts.only_way);
  });

  test("lets an address or an account of an issuer be removed, unless it is the last way in", () => {
    const issuer = { name: "oidc", label: "Work", address: "https://issuer.example/" };
    const identity = { id: "i", issuer: issuer.address, name: "L", created_at: 0, used_at: null };
    const email = { ...USER, email: "layan@example.com" };
    const both = { user: email, has_mail: true, issuers: [issuer], identities: [identity] };
    const html = account({ ...both, passkeys: [PASSKEY] });
    expect(sends(html, "/email", "DELETE")).toBe(1);
    expect(sends(html, "/identities/i", "DELETE")).toBe(1);
    expect(sends(html, "/passkeys/one", "DELETE")).toBe(1);
    expect(sends(html, "/identities", "POST")).toBe(1);
    expect(sends(html, "/email/verify", "POST")).toBe(1);
    const only_mail = account({ user: email, has_mail: true, passkeys: [] });
    expect(sends(only_mail, "/email", "DELETE")).toBe(0);
    // What the settings have no more is no way in, so it can go, and nothing else because of it.
    const unset = account({ ...both, ...NO_OTHER_WAYS, passkeys: [PASSKEY] });
    expect(sends(unset, "/email", "DELETE")).toBe(1);
    expect(sends(unset, "/identities/i", "DELETE")).toBe(1);
    expect(sends(unset, "/passkeys/one", "DELETE")).toBe(0);
    expect(sends(account(), "/email", "POST")).toBe(0);
  });

  test("ends other sessions, and leaves this one to signing out", () => {
    expect(account()).not.toContain("/api/me/account/sessions");
    const elsewhere = { ...SESSION, id: "other", is_this: false };
    const html = account({ sessions: [elsewhere, SESSION] });
    expect(sends(html, "/sessions/other", "DELETE")).toBe(1);
    expect(sends(html, "/sessions/this", "DELETE")).toBe(0);
    expect(sends(html, "/sessions", "DELETE")).toBe(1);
    expect(html.indexOf(texts.this_one)).toBeLessThan(html.indexOf("/sessions/other"));
  });

  test("names a device and a place as far as they are known", () => {
    const unknown = { browser: "", system: "" };
    const nowhere = { country: "", city: "" };
    const html = account({ sessions: [{ ...SESSION, device: unknown, place: nowhere }] });
    expect(html).toContain(texts.unknown_device);
    expect(html).toContain(texts.unknown_place);
    expect(account()).toContain("\u2068Riyadh\u2069, \u2068Saudi Arabia\u2069");
    const tor = { country: "T1", city: "" };
    expect(account({ sessions: [{ ...SESSION, place: tor }] })).toContain("\u2068T1\u2069");
  });

  test("asks before new codes replace those that are left", () => {
    expect(account()).toContain(texts.codes_sure);
    expect(account({ codes_left: 0 })).not.toContain(texts.codes_sure);
  });

  test("offers to keep an account that is being deleted, and else to delete it", () => {
    expect(sends(account(), "", "DELETE")).toBe(1);
    expect(sends(account(), "/keep", "POST")).toBe(0);
    const html = account({ user: { ...USER, ends_at: NOW_MS } });
    expect(sends(html, "", "DELETE")).toBe(0);
    expect(sends(html, "/keep", "POST")).toBe(1);
    expect(html).toContain(texts.ends("November 27, 2026 at 15:05"));
  });

  test("gives its data as a file", () => {
    const html = account();
    expect(html).toContain('href="/api/me/account" download="sila-account.json"');
  });

  test("never takes a name for markup", () => {
    const name = '"><script>alert(1)</script>';
    const html = account({
      user: { ...USER, name, email: name, plan: name },
      passkeys: [{ ...PASSKEY, name, id: name }, PASSKEY],
      sessions: [{ ...SESSION, device: { browser: name, system: name }, id: name, is_this: false }],
    });
    expectNothingInline(html);
  });
});

test("the account menu leads to the account page where there is one", () => {
  expect(account()).not.toContain(ACCOUNT_LINK);
  expect(account({ frame: { ...FRAME, has_own_accounts: true } })).toContain(ACCOUNT_LINK);
});

const ACCOUNT_LINK = '<a class="menu-item" href="/account?lang=en">Account settings</a>';
