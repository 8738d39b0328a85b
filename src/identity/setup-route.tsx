/**
 * The first owner's account (docs/contract.md section 8). The deployment's code works once: not again after a
 * restored D1 or the owner's deletion.
 */
import { timingSafeEqual } from "node:crypto";
import { deriveSecret } from "../../objects/platform/secrets.ts";
import { ApiError } from "../http/api-error.ts";
import { utf8 } from "../http/bytes.ts";
import { SETUP_PAGE } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { SetupBody, SetupOptionsBody } from "./bodies.ts";
import { type BoxContext, type BoxEnv, bodyOf } from "./context.ts";
import { endedAt } from "./ended.ts";
import { noteUse } from "./note-use.ts";
import { newUserOptions, register } from "./register.ts";
import { SetupPage } from "./setup-page.tsx";
import { hashOf } from "./tokens.ts";
import { isUsed, use } from "./used-store.ts";

const PURPOSE = "setup";

export const setup = new Hono<BoxEnv>();

/** `{code, name}` → 200 `{ok, options}` for `navigator.credentials.create`; 403 SETUP_REFUSED. */
setup.post("/api/auth/setup/options", async (c) => {
  const { code, name } = await bodyOf(c, SetupOptionsBody);
  await checkCode(c, code);
  return c.json({ ok: true, options: await newUserOptions(c, PURPOSE, name, Date.now()) });
});

/**
 * `{code, name, locale, response}` → 201 `{ok}` with the session's cookie, for an operator with the plan `business`.
 * 403 SETUP_REFUSED, 401 SIGN_IN_REFUSED.
 */
setup.post("/api/auth/setup", async (c) => {
  const { code, name, locale, response } = await bodyOf(c, SetupBody);
  const hash = await checkCode(c, code);
  const now = Date.now();
  const owner = { name, locale, plan: "business", is_operator: true } as const;
  await register(
    c,
    PURPOSE,
    { ...owner, response, act: "setup" },
    (user_id) => [use(c.env.DB, "setup", hash, user_id, null)],
    now,
  );
  // Before the answer; if this request ends here, `tidy` does it.
  await noteUse(c.env, "setup", hash, now);
  return c.json({ ok: true }, 201);
});

/** 200 HTML. */
setup.get(SETUP_PAGE, async (c) => {
  const is_done = !(await canSetUp(c));
  const page = <SetupPage locale={readerLanguage(c)} url={new URL(c.req.url)} is_done={is_done} />;
  return c.html(`<!DOCTYPE html>${page}`);
});

async function canSetUp(c: BoxContext): Promise<boolean> {
  const { SETUP_CODE } = c.env;
  return SETUP_CODE !== "" && !(await isSpent(c, await hashOf(SETUP_CODE)));
}

/**
 * The code's hash. Throws 403 for a wrong or used one; the answer is the same. The SILA_KEY from which the code is
 * derived works too: users of the Deploy button typed that, and know no code.
 */
async function checkCode(c: BoxContext, given: string): Promise<string> {
  const { SETUP_CODE } = c.env;
  const codes = [SETUP_CODE, given, deriveSecret(given, "SETUP_CODE")];
  const [right = "", ...hashes] = await Promise.all(codes.map(hashOf));
  const isRight =
    SETUP_CODE !== "" && hashes.some((hash) => timingSafeEqual(utf8(hash), utf8(right)));
  if (!isRight || (await isSpent(c, right))) throw new ApiError("SETUP_REFUSED");
  return right;
}

async function isSpent(c: BoxContext, hash: string): Promise<boolean> {
  const { DB, MEDIA } = c.env;
  const [isInD1, noted] = await Promise.all([
    isUsed(DB, "setup", hash),
    endedAt(MEDIA, "setup", hash),
  ]);
  return isInD1 || noted !== null;
}
