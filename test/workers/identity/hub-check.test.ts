/** Accounts in the box, judged by what every account hub is judged by (docs/operations.md "Writing an account hub"). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { giveGift } from "../../../src/identity/books-store.ts";
import { judgeHub } from "../../hub-check/judge.ts";
import { POINTS_MIN } from "../../hub-check/rules.ts";
import { Browser, useOwnAccounts } from "./identity-kit.ts";

useOwnAccounts();

test("the box keeps every rule of section 8", async () => {
  const [owner, other] = [await Browser.open(), await Browser.open()];
  await owner.setUp();
  Object.assign(env, { SIGN_UP: "open" });
  await other.signUp();
  const gift = { note: "", by_id: "me", points: POINTS_MIN, key: crypto.randomUUID() };
  const user_id = (await owner.session()).user?.id ?? "";
  await giveGift(env.DB, { ...gift, user_id }, Date.now());
  const secret = `whsec_${crypto.getRandomValues(new Uint8Array(32)).toBase64()}`;
  const cookieOf = ({ cookie }: Browser) => cookie.split("=")[1] ?? "";
  const verdicts = await judgeHub({
    url: "https://identity.invalid",
    cookieName: "sila_session",
    session: cookieOf(owner),
    otherSession: cookieOf(other),
    secret,
    // A signal does not cross a binding.
    fetch: (request) => env.IDENTITY.hub(new Request(request, { signal: null }), secret),
  });
  expect(verdicts.length).toBeGreaterThan(20);
  expect(verdicts.filter(({ outcome }) => outcome !== "kept")).toEqual([]);
});
