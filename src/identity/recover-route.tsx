/** The way back in without a passkey: one of ten codes, or an operator's link. */

import { RECOVER_PAGE } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { addAct } from "./acts-store.ts";
import { RecoveryBody } from "./bodies.ts";
import { type BoxEnv, bodyOf, refused } from "./context.ts";
import { endedAt } from "./ended.ts";
import { enter, tell } from "./enter.ts";
import { USED_MS } from "./limits.ts";
import { deleteLink, findLink } from "./links-store.ts";
import { noteUse } from "./note-use.ts";
import { NOTICES } from "./notices.ts";
import { RecoverPage } from "./recover-page.tsx";
import { deleteRecoveryCode, findRecoveryCode, recoveryCodeHash } from "./recovery-codes-store.ts";
import { hashOf } from "./tokens.ts";
import { use } from "./used-store.ts";
import { findUser } from "./users-store.ts";

export const recover = new Hono<BoxEnv>();

/** `{code}` → 200 `{ok}` with the session's cookie; 401 SIGN_IN_REFUSED for anything wrong. */
recover.post("/api/auth/recover", async (c) => {
  const { code } = await bodyOf(c, RecoveryBody);
  const { DB, MEDIA } = c.env;
  const now = Date.now();
  const [code_hash, link_hash] = await Promise.all([recoveryCodeHash(code), hashOf(code)]);
  const [code_row, link] = await Promise.all([
    findRecoveryCode(DB, code_hash),
    findLink(DB, "way_in", link_hash, now),
  ]);
  const way =
    code_row === null
      ? { kind: "link", hash: link_hash, expires_at: link?.expires_at ?? 0 }
      : { kind: "code", hash: code_hash, expires_at: now + USED_MS };
  const { kind, hash, expires_at } = way as typeof way & { kind: "link" | "code" };
  const user_id = code_row?.user_id ?? link?.user_id;
  if (user_id == null) throw refused();
  const [user, ended, replaced_at] = await Promise.all([
    findUser(DB, user_id),
    endedAt(MEDIA, kind, hash),
    endedAt(MEDIA, "codes_before", user_id),
  ]);
  if (user === null || ended !== null || user.suspended_at !== null) throw refused();
  if (code_row !== null && code_row.made_at < (replaced_at ?? 0)) throw refused();
  await enter(
    c,
    user,
    [
      use(DB, kind, hash, user.id, expires_at),
      kind === "code" ? deleteRecoveryCode(DB, hash) : deleteLink(DB, hash),
      addAct(DB, kind === "code" ? "code_used" : "way_in_used", user, user, now),
      tell(c, user, NOTICES.way_in_used(), now),
    ],
    now,
  );
  await noteUse(c.env, kind, hash, now);
  return c.json({ ok: true });
});

/** 200 HTML. */
recover.get(RECOVER_PAGE, (c) =>
  c.html(`<!DOCTYPE html>${<RecoverPage locale={readerLanguage(c)} url={new URL(c.req.url)} />}`),
);
