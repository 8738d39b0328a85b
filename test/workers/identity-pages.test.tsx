/** The pages of accounts in the box as HTML: in both languages, and without a script or a style of their own. */
import { describe, expect, test } from "vitest";
import { InvitePage } from "../../src/identity/invite-page.tsx";
import { RecoverPage } from "../../src/identity/recover-page.tsx";
import { SetupPage } from "../../src/identity/setup-page.tsx";
import { SignInPage, type SignInPageProps } from "../../src/identity/sign-in-page.tsx";
import { PUBLIC_TEXTS } from "../../src/identity/texts.ts";
import { LOCALES, type Locale } from "../../src/views/locale.ts";

const URL_OF_PAGE = new URL("https://sila.example/account/sign-in?return_to=%2Fdashboard&lang=ar");

const signIn = (locale: Locale, more: Partial<SignInPageProps> = {}) =>
  (
    <SignInPage locale={locale} url={URL_OF_PAGE} return_to={null} sign_up="invite" {...more} />
  ).toString();

const setUp = (locale: Locale, is_done: boolean) =>
  (<SetupPage locale={locale} url={URL_OF_PAGE} is_done={is_done} />).toString();

const PUBLIC: Readonly<Record<string, (locale: Locale) => string>> = {
  "signing in": signIn,
  "the setup": (locale) => setUp(locale, false),
  "the setup, when it is over": (locale) => setUp(locale, true),
  "an invitation": (locale) => (<InvitePage locale={locale} url={URL_OF_PAGE} />).toString(),
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
    const html = signIn("en", { ways: [{ label: "GitHub", href: "/api/auth/oidc/github" }] });
    expect(html).toContain('<a class="entry-second" href="/api/auth/oidc/github">GitHub</a>');
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
