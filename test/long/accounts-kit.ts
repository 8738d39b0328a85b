/** A service with accounts of its own, and an operator whose account has all that its pages can show. */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "../../objects/platform/clock.ts";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { startServer } from "../../src/commands/serve/server.ts";
import { addAct } from "../../src/identity/acts-store.ts";
import { addIdentity } from "../../src/identity/identities-store.ts";
import { addLink } from "../../src/identity/links-store.ts";
import { addPasskey } from "../../src/identity/passkeys-store.ts";
import { addUser } from "../../src/identity/users-store.ts";
import { freePair } from "../server/ports.ts";

const SESSION = "of-the-operator";
const ISSUER = "https://issuer.example/";
const LONG = `${"طويل".repeat(8)} ${"unbreakable".repeat(4)}`;

export const OPERATOR_COOKIE = { name: "sila_session", value: SESSION } as const;

export const ACCOUNT_PAGES = {
  public: ["/account/sign-in", "/account/sign-in?problem=known_email", "/account/recover"].concat([
    "/setup",
    "/invite",
  ]),
  operator: ["/account", "/admin/users", "/admin/users?q=nobody", "/admin/users/u_other"],
};

export async function startAccounts(): Promise<{ origin: string } & AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  const statePath = await mkdtemp(join(await scratchFolder(), "sila-accounts-"));
  starting.defer(() => rm(statePath, { recursive: true, force: true }));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no two ports in a row are free");
  const origin = `http://localhost:${pair.port}`;
  const server = await startServer({
    ...{ port: pair.port, statePath, seed },
    vars: {
      ...{ SITE_ORIGIN: origin, SETUP_CODE: crypto.randomUUID(), SIGN_UP: "open" },
      MAIL_FROM: "sila@sila.example",
      ...{ OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: "id", OIDC_CLIENT_SECRET: "secret" },
    },
  });
  starting.defer(() => server.dispose());
  const started = starting.move();
  return { origin, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function seed(db: D1Database): Promise<void> {
  const now = Date.now();
  const user = { id: "u_operator", name: LONG, email: "operator@sila.example" } as const;
  const other = { ...user, id: "u_other", email: null };
  const more = { plan: "business", locale: "ar" } as const;
  const device = { browser: "Firefox", system: "Windows" };
  const place = { country: "SA", city: LONG };
  const session = (hash: string) =>
    db
      .prepare("INSERT INTO auth_sessions VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?5, ?6)")
      .bind(hash, user.id, JSON.stringify(device), JSON.stringify(place), now, now + DAY_MS);
  const passkey = (id: string, is_synced: boolean) =>
    addPasskey(db, {
      ...{ id, user_id: user.id, public_key: "", counter: 0, transports: [], name: LONG },
      ...{ is_synced, created_at: now },
    });
  const until = { made_by: user.id, expires_at: now + DAY_MS };
  await db.batch([
    addUser(db, { ...user, ...more, is_operator: true }, now),
    addUser(db, { ...other, ...more, is_operator: false }, now),
    session(createHash("sha256").update(SESSION).digest("hex")),
    session("elsewhere"),
    passkey("one", true),
    passkey("two", false),
    addIdentity(db, {
      issuer: ISSUER,
      subject: "s",
      id: "i",
      user_id: user.id,
      name: LONG,
      created_at: now,
    }),
    addLink(db, { ...until, kind: "invitation", plan: "pro", hash: "h1", id: "l1" }, now),
    addLink(db, { ...until, kind: "way_in", user_id: other.id, hash: "h2", id: "l2" }, now),
    addAct(db, "plan_changed", user, other, now, "business"),
  ]);
}
