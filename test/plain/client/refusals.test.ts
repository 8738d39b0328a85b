/** What the pages say where the service refuses a passkey, an invitation or a code: what each was, and nothing else. */
import { expect, test, vi } from "vitest";
import { PASSKEY_SCRIPT_TEXTS } from "../../../src/identity/script-texts.ts";

vi.stubGlobal("document", { documentElement: { lang: "en" } });
const { REFUSALS, saidOf } = await import("../../../src/client/passkeys.ts");
const SAID = PASSKEY_SCRIPT_TEXTS.en;

function said(step: keyof typeof REFUSALS, code: string): string {
  const body = { code, error: "", message_en: "as the answer says", details: {} };
  const answer = { ok: false, status: 403, headers: new Headers(), body } as const;
  return saidOf({ ok: false, answer }, REFUSALS[step]);
}

test("a refused passkey is none of an invitation or a setup code, and the other way round", () => {
  expect(said("sign-up", "SIGN_IN_REFUSED")).toBe(SAID.not_accepted);
  expect(said("sign-up", "INVITATION_REQUIRED")).toBe(SAID.bad_invitation);
  expect(said("setup", "SIGN_IN_REFUSED")).toBe(SAID.not_accepted);
  expect(said("setup", "SETUP_REFUSED")).toBe(SAID.bad_setup_code);
  expect(said("mail", "SIGN_IN_REFUSED")).toBe(SAID.bad_mail_code);
  expect(said("mail", "INVITATION_REQUIRED")).toBe(SAID.bad_invitation);
  expect(said("sign-in", "SIGN_IN_REFUSED")).toBe(SAID.unknown);
});

test("every other error is said in its own words", () => {
  expect(said("sign-up", "DEPENDENCY_DOWN")).toBe("as the answer says");
});
