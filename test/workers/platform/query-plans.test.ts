/**
 * What the queries of the code cost D1 among 100,000 pages. D1 bills the rows that it reads, and answers
 * one query after the other.
 *
 * Each place of the code that prepares a statement must be reached by `useAll`.
 */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { ERROR_LOGS } from "../../../objects/errors/error-report.ts";
import { checkConfirmed as checkErrors } from "../../../objects/errors/flush-errors.ts";
import { checkCounts } from "../../../objects/page/flush-page.ts";
import { endIn } from "../../../objects/page/home/left-pages.ts";
import { daysIn, talliesIn, tipsIn } from "../../../objects/page/read-counts.ts";
import type { Milestone } from "../../../objects/page/tables/milestones.ts";
import type { Tally } from "../../../objects/page/tables/tallies.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import {
  addEvent,
  deleteEvent,
  listEvents,
  postponeEvent,
} from "../../../src/accounts/account-events-store.ts";
import { hasPoints } from "../../../src/accounts/has-points.ts";
import { notePageEnd } from "../../../src/accounts/page-notes.ts";
import { findOwnPicture } from "../../../src/authoring/pictures/pictures-store.ts";
import { forgetParts } from "../../../src/blocks/files/files-store.ts";
import { runCron } from "../../../src/cron.ts";
import { addAct, addOperatorAct, listActs } from "../../../src/identity/acts-store.ts";
import {
  closeTransfer,
  endPoints,
  giveGift,
  listGifts,
  makeTransfer,
  readBooks,
  readWallet,
} from "../../../src/identity/books-store.ts";
import {
  addIdentity,
  deleteIdentitiesOf,
  deleteIdentity,
  findIdentity,
  listIdentities,
  noteIdentityUse,
} from "../../../src/identity/identities-store.ts";
import { SESSION_NOTED_MS } from "../../../src/identity/limits.ts";
import {
  addLink,
  deleteExpiredLinks,
  deleteLink,
  deleteLinksTo,
  findInvitation,
  findLink,
  listInvitations,
  listWaysIn,
} from "../../../src/identity/links-store.ts";
import {
  addMailCode,
  deleteExpiredMailCodes,
  deleteMailCode,
  giveTryBack,
  tryMailCode,
} from "../../../src/identity/mail-codes-store.ts";
import {
  addPasskey,
  deletePasskey,
  deletePasskeys,
  findPasskey,
  listPasskeys,
  notePasskeyUse,
  type Passkey,
  renamePasskey,
} from "../../../src/identity/passkeys-store.ts";
import {
  countRecoveryCodes,
  deleteRecoveryCode,
  deleteRecoveryCodesOf,
  findRecoveryCode,
  recoveryCodeHash,
  replaceRecoveryCodes,
} from "../../../src/identity/recovery-codes-store.ts";
import {
  beginSession,
  deleteExpiredSessions,
  deleteSessionsOf,
  endSession,
  endSessions,
  findSession,
  isDeviceOf,
  listSessions,
} from "../../../src/identity/sessions-store.ts";
import { hashOf } from "../../../src/identity/tokens.ts";
import {
  deleteExpiredUsed,
  forgetUse,
  isUsed,
  listUnnoted,
  setNoted,
  use,
} from "../../../src/identity/used-store.ts";
import {
  addUser,
  changePlan,
  changeUser,
  deleteUser,
  endDeletedUsers,
  findUser,
  findUserByEmail,
  hasUsers,
  listEndedUsers,
  listUsers,
  removeEmail,
  requireEnded,
  requireWayIn,
  setEmail,
  setOperator,
  setSuspended,
  setUserEnd,
} from "../../../src/identity/users-store.ts";
import { type DumpCall, dumpStep } from "../../../src/operate/dump/dump-steps.ts";
import { listTables, readRows, writeRows } from "../../../src/operate/dump/dump-tables.ts";
import { askWhatD1Lacks } from "../../../src/operate/lacking.ts";
import { findCurrentSlug } from "../../../src/pages/document/slugs-store.ts";
import { EMPTY_DOCUMENT } from "../../plain-page.ts";
import { creator, type PageAnswer, type PageJson } from "../authoring/authoring-kit.ts";
import { sample } from "../authoring/pictures/picture-samples.ts";
import {
  begin,
  bytesOf,
  follow,
  offer,
  putPart,
  upload,
  uses,
  visit,
} from "../blocks/files-kit.ts";
import { confirmed, newsletterPage } from "../blocks/newsletter-kit.ts";
import { hubSays } from "../kit/hub-kit.ts";
import {
  beacon,
  call,
  count,
  eventually,
  flushRows,
  freshPage,
  mainHome,
  pageObject,
  sums,
} from "../kit/kit.ts";
import { freshStats, redeploy } from "../stats/stats-kit.ts";
import { placesToPrepare, type Query, recordQueries, walkedTables } from "./recorded-queries.ts";

const PAGES = 100_000;
const PAGES_OF_OWNER = 10;
const FILL_TIMEOUT_MS = 120_000;
/**
 * Rows that a query may read beyond those that it answers: notifications have the newest 100 tips of each page, and the
 * disabled webhooks of each; a dump reads a row for each column of each table. A walk of any table reads 100,000.
 */
const ROWS_READ_MAX = 400;

/** Where a walk is meant. */
const WALKS: readonly { of: RegExp; reason: string }[] = [
  {
    of: /^SELECT 1 FROM (?:pages|auth_users|auth_gifts) LIMIT 1|FROM \w+ ORDER BY [\w,]+ LIMIT (?:100|1000)\b/,
    reason:
      "whether there is a page, a user or a gift, and the first rows of a dump in the order of the key",
  },
  {
    of: /SELECT count\(\*\) AS n FROM pages WHERE status = 'published'/,
    reason: "the sitemap's number of files, along a covering index, once an hour",
  },
  {
    of: /FROM pages WHERE status = 'published'.* LIMIT 1 OFFSET/,
    reason: "the start of one of the sitemap's files, along a covering index, once an hour",
  },
  {
    of: /FROM page_changes WHERE changed_at|FROM page_changes\s+WHERE (NOT )?told|WHERE is_noted = 0|FROM auth_events ORDER BY n/,
    reason: "a queue: every row is work to do, and there are none when all is delivered",
  },
  {
    of: /FROM errors LEFT JOIN error_marks USING \(fingerprint, first_seen\)\s+ORDER BY/,
    reason:
      "the operators' list; the error logs hold 3,216 groups, and an index would make each report's flush cost more",
  },
  {
    of: /sum\(points\).* FROM auth_gifts$/s,
    reason: "whether the books close, when an operator asks: only the sums of all rows tell",
  },
  {
    of: /^DELETE FROM page_purges\s+WHERE purged_at/,
    reason: "it has only the pages that were purged in the last 45 s",
  },
  {
    of: /^DELETE FROM (webhooks|accounts|errors) WHERE \w+ <=? /,
    reason: "once an hour; an index would make each of their writes cost two rows",
  },
];
const isWalk = ({ sql }: Query) => WALKS.some(({ of }) => of.test(sql));

/** One row of each of these tables for each page. */
const ROWS_OF_PAGE: Record<string, string> = {
  revisions: `page_id, version, updated_at, '["created"]', slug, status, 2, '{}'`,
  former_slugs: "'was-' || page_id, page_id, 9e15",
  removed_links: "page_id, 'gone', '{}', 0",
  pictures: "'pictures/' || page_id || '/a.png', page_id, 'image/png', 1, 1, 1, 0, 9e15",
  tallies: "page_id, 1700000000 / 3600 * 3600, 'view', '', 'human', 0, 1",
  days: "page_id, 1700000000 / 86400 * 86400, 0, 1, '{}', 1, 0",
  rolled_days: "page_id, 0, 0",
  left_pages: "page_id, 1, 9e15",
  milestones: "page_id, 'view', 100, 0",
  hub_notifications: "owner_id, page_id, '', '', NULL, 0",
  notification_reads: "owner_id, 'hub-' || page_id, 0",
  accounts: "page_id, 9e15",
  deleted_users: "page_id, unixepoch() * 1000 - 7.2e6",
  files: "page_id, owner_id, '', '', 1, 'ready', NULL, '', 0, 0",
  file_parts: "page_id, 1, ''",
  downloads: "page_id, 'gone', 1, 1",
  tips: "page_id, 1, 5, 'gone', 'from', '', 5, '', 0",
  webhooks: "page_id, 9e15",
  newsletters: "page_id",
  disabled_webhooks: "page_id, 'n', 'hooks.example', 'gone', 0",
  errors: "page_id, 0, 8e15, 1, 'error', '', '', '', ''",
  auth_passkeys: "page_id, owner_id, '', 0, '[]', '', 0, 0, NULL",
  auth_used: "page_id, NULL, 9e15, 1",
  auth_sessions: "page_id, page_id, owner_id, '{}', '{}', 0, 0, 9e15",
  auth_recovery_codes: "page_id, owner_id, 0",
  auth_users:
    "page_id, 'Noor', page_id || '@mail.example', 'free', 'ar', 0, NULL, NULL, created_at",
  auth_links: "page_id, page_id, 'invitation', NULL, 'free', owner_id, created_at, 9e15",
  auth_wallets: "page_id, 1, 1, 0",
  auth_transfers: "page_id, 'k', 'tr', owner_id, 1, 0",
  auth_closed_keys: "page_id, 'void', 0",
  auth_gifts: "page_id, '', page_id, 1, '', '', 0",
  auth_acts: "NULL, 0, owner_id, 'Noor', 'signed_up', page_id, 'Noor', NULL",
  auth_mail_codes: "page_id, '', '', NULL, 0, 9e15",
  auth_identities: "'https://issuer.example/', page_id, page_id, owner_id, '', 0, NULL",
};

async function fill(): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO pages (page_id, owner_id, slug, status, ends_at, version, save_id, document, source,
       created_at, updated_at, published_at)
     WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
     SELECT printf('many-%06d', i), 'owner-' || i / ?3, printf('many-%06d', i), 'published',
       CASE i % 100 WHEN 0 THEN 9e15 END, 1, '', ?1, 'file-' || i, i, i, i
     FROM n`,
  )
    .bind(EMPTY_DOCUMENT, PAGES, PAGES_OF_OWNER)
    .run();
  for (const [table, row] of Object.entries(ROWS_OF_PAGE)) {
    await env.DB.prepare(`INSERT INTO ${table} SELECT ${row} FROM pages`).run();
  }
}

async function get(path: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await call(path, { headers });
  expect([path, response.status]).toEqual([path, path.startsWith("/r/") ? 302 : 200]);
  await response.body?.cancel();
}

/** Runs every query of the code, through the routes where they are the way to it. */
async function useAll(): Promise<void> {
  const me = await creator();
  const page = await editPage(me);
  await countVisits(page);
  await movePage(me, page);
  await useFiles(me);
  await useTips(me);
  await confirmed(await newsletterPage());
  await moveStats(me);
  await useWebhooks(me);
  for (const path of ["stats", "audit"]) {
    await get(`/api/me/pages/${page.page_id}/${path}`, me.headers);
  }
  for (const path of ["", `/${page.page_id}`]) await get(`/dashboard${path}`, me.headers);
  await useSite();
  await operateService(page);
  await receiveWebhooks();
  await get("/api/me/notifications", me.headers);
  await me.send("POST", "/api/me/notifications/read", { ids: ["hub-n1"] });
  await usePasskeys();
  await useUsers();
  await useSessions();
  await useOtherWays();
  await runCronOnTheHour(await me.remove(await me.make()));
  await useBooks();
  await useDump();
}

const NOOR = { name: "Noor", email: null, plan: "free", locale: "ar" } as const;

/** Two passkeys of a user, of which one signs in and one is deleted. */
async function usePasskeys(): Promise<void> {
  const { DB } = env;
  const [user_id, now] = ["u_1", Date.now()];
  const passkey: Passkey = {
    ...{ id: "key-1", user_id, public_key: "", counter: 0, transports: [], name: "" },
    ...{ is_synced: false, created_at: now, used_at: null },
  };
  await DB.batch([addPasskey(DB, passkey), use(DB, "challenge", "challenge", "u_1", now)]);
  await addPasskey(DB, { ...passkey, id: "key-2" }).run();
  await renamePasskey(DB, { ...passkey, name: "new" }).run();
  await notePasskeyUse(DB, { ...passkey, used_at: now }).run();
  await deletePasskey(DB, passkey).run();
  expect(await findPasskey(DB, "key-1")).toBeNull();
  expect(await listPasskeys(DB, user_id)).toHaveLength(1);
  await deletePasskeys(DB, user_id).run();
  await deleteExpiredUsed(DB, now).run();
}

/** A code by mail, and an account of an issuer, each from its first row to its last. */
async function useOtherWays(): Promise<void> {
  const { DB } = env;
  const [user_id, now] = ["many-000001", Date.now()];
  const code = { ticket: "t", mac: "m", email: "a@b.example", user_id: null, expires_at: 9e15 };
  await addMailCode(DB, code).run();
  expect(await tryMailCode(DB, "t", now)).toMatchObject({ mac: "m" });
  await giveTryBack(DB, "t").run();
  await deleteMailCode(DB, "t").run();
  await setEmail(DB, user_id, code.email).run();
  expect(await findUserByEmail(DB, code.email)).toMatchObject({ id: user_id });
  const identity = { issuer: "https://a.example/", subject: "s", id: "i", user_id };
  await addIdentity(DB, { ...identity, name: "", created_at: now }).run();
  await noteIdentityUse(DB, identity, now).run();
  expect(await findIdentity(DB, identity.issuer, "s")).toMatchObject({ id: "i", used_at: now });
  expect(await listIdentities(DB, user_id)).toHaveLength(1);
  const usable = { has_mail: true, issuers: [identity.issuer] };
  await DB.batch([deleteIdentity(DB, identity), requireWayIn(DB, user_id, usable)]);
  await removeEmail(DB, user_id).run();
  await expect(requireWayIn(DB, user_id, usable).run()).rejects.toThrow("auth_users");
  await DB.batch([
    forgetUse(DB, "email", "h"),
    deleteIdentitiesOf(DB, user_id),
    deleteExpiredMailCodes(DB, now),
  ]);
}

/** A user as operators find and change them, and their links. */
async function useUsers(): Promise<void> {
  const { DB } = env;
  const [now, end] = [Date.now(), { expires_at: Date.now() + 1, made_by: "u_1" }];
  const by = { id: "u_1", name: "Noor" };
  const user = { ...NOOR, is_operator: true };
  await DB.batch([
    addUser(DB, { ...user, id: "u_1" }, now),
    addUser(DB, { ...user, id: "u_2" }, now),
  ]);
  expect(await hasUsers(DB)).toBe(true);
  await DB.batch([
    addAct(DB, "signed_up", by, by, now),
    addOperatorAct(DB, "suspended", { id: "u_1", is_named: false }, "u_2", now),
    addLink(DB, { ...end, kind: "way_in", user_id: "u_2", hash: "h1", id: "l1" }, now),
    addLink(DB, { ...end, kind: "invitation", plan: "free", hash: "h2", id: "l2" }, now),
    use(DB, "link", "h1", "u_2", now),
    changeUser(DB, "u_2", { name: "Reem" }),
    changePlan(DB, "u_2", "pro"),
    setOperator(DB, "u_2", false),
    setSuspended(DB, "u_2", now),
    setUserEnd(DB, "u_2", now),
    requireEnded(DB, "u_2", now),
    endDeletedUsers(DB, 9e15, now),
  ]);
  for (const user_id of [null, "u_2"]) {
    const acts = await listActs(DB, { user_id, before: Number.MAX_SAFE_INTEGER, limit: 1 });
    expect(acts).toMatchObject([{ what: "suspended", user_name: "Noor" }]);
  }
  expect(await listUsers(DB, null, 50)).toHaveLength(50);
  expect(await listUsers(DB, { created_at: 50_000, id: "many-050000" }, 50)).toHaveLength(50);
  expect(await findUser(DB, "u_2")).toMatchObject({ name: "Reem", plan: "pro" });
  expect(await findUserByEmail(DB, "many-000001@mail.example")).toMatchObject({ name: "Noor" });
  expect(await listEndedUsers(DB, now, 1)).toEqual(["u_2"]);
  expect(await findLink(DB, "way_in", "h1", now)).toMatchObject({ id: "l1" });
  expect(await findInvitation(DB, "l2")).toMatchObject({ hash: "h2" });
  expect(await listWaysIn(DB, "u_2", now)).toHaveLength(1);
  expect(await listInvitations(DB, now, 50)).toHaveLength(50);
  expect(await isUsed(DB, "link", "h1")).toBe(true);
  expect(await listUnnoted(DB, 1)).toHaveLength(1);
  await DB.batch([
    setNoted(DB, "link", "h1"),
    deleteLink(DB, "h2"),
    deleteLinksTo(DB, "u_2"),
    deleteExpiredLinks(DB, now),
    deleteUser(DB, "u_2"),
  ]);
}

/** Sessions and codes of a user, and what the service is told of them. */
async function useSessions(): Promise<void> {
  const { DB } = env;
  const now = Date.now();
  const [device, place] = [
    { browser: "", system: "" },
    { country: "", city: "" },
  ];
  await addUser(DB, { ...NOOR, id: "u_3", is_operator: false }, now).run();
  for (const id of ["one", "two", "three"]) {
    const session = { hash: await hashOf(id), id, device, place };
    await DB.batch(beginSession(DB, "u_3", session, now - SESSION_NOTED_MS));
  }
  expect(await findSession(env, "one", now)).toMatchObject({ user: { id: "u_3" } });
  expect(await isDeviceOf(DB, "u_3", device)).toBe(true);
  await endSession(env, "one", now);
  await endSessions(env, "u_3", [await hashOf("two")], now);
  expect(await listSessions(DB, "u_3", now)).toMatchObject([{ id: "three" }]);
  await DB.batch([deleteSessionsOf(DB, "u_3"), deleteExpiredSessions(DB, now)]);
  const code = "7K3M-7K3M-7K3M-7K3M";
  await DB.batch(await replaceRecoveryCodes(DB, "u_3", [code], now));
  const hash = await recoveryCodeHash(code);
  expect(await findRecoveryCode(DB, hash)).toMatchObject({ user_id: "u_3" });
  expect(await countRecoveryCodes(DB, "u_3")).toBe(1);
  await DB.batch([deleteRecoveryCode(DB, hash), deleteRecoveryCodesOf(DB, "u_3")]);
}

/** Points of accounts in the box, and an event of them. */
async function useBooks(): Promise<void> {
  const [from, to] = ["many-000001", "many-000002"];
  const now = Date.now();
  const gift = { key: "useBooks", user_id: from, points: 5, note: "", by_id: "me" };
  await giveGift(env.DB, gift, now);
  const order = { user_id: from, key: "useBooks", to, points: 5 };
  const event = { type: "user.updated" as const, data: { user_id: to } };
  await makeTransfer(env.DB, order, () => event, now);
  await closeTransfer(env.DB, from, "useBooks", now);
  await readWallet(env.DB, from);
  expect(await hasPoints(env.DB, "")).toBe(true);
  await listGifts(env.DB, from, 10);
  await env.DB.batch([...endPoints(env.DB, to, now), addEvent(env.DB, event, now)]);
  await readBooks(env.DB);
  const [first] = await listEvents(env.DB, 1);
  await postponeEvent(env.DB, first?.n ?? 0).run();
  await deleteEvent(env.DB, first?.n ?? 0).run();
}

/** Every read of a dump, and what a load writes. */
async function useDump(): Promise<void> {
  const step = (asked: DumpCall) => dumpStep(env, asked, new Request("https://sila.example"));
  await step({ do: "describe" });
  for (const table of await listTables(env.DB)) {
    const { rows, next } = await readRows(env.DB, table, null);
    if (next !== null) await readRows(env.DB, table, next);
    await writeRows(env.DB, table, rows.slice(0, 3));
  }
  await step({ do: "audit", page_ids: ["many-000001"] });
}

/** A file that is downloaded, one of which a part was lost, one that is deleted, and a download's numbers. */
async function useFiles(me: Creator): Promise<void> {
  const { file_id } = await upload(me, bytesOf(10));
  await upload(me, bytesOf(10));
  const offered = await offer(me, file_id);
  await visit(await follow(offered.path)).then((response) => response.arrayBuffer());
  await uses(offered.page.page_id).flush();
  await me.send("GET", "/api/me/files");
  await me.send("GET", `/api/me/files/${file_id}`);
  const broken = await begin(me, { size: 10 });
  await putPart(me, broken.file_id, 1, bytesOf(10));
  await forgetParts(env.DB, broken.file_id);
  await me.send("DELETE", `/api/me/files/${broken.file_id}`);
}

/** A tip that somebody sends, as both of them see it. */
async function useTips(me: Creator): Promise<void> {
  const tipper = await creator("demo-pro");
  const links = [{ kind: "tip", label: { ar: "إكرامية" }, block: { amounts: [5] } }];
  const { page_id } = await me.make({ status: "published", links });
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const sent = await tipper.send("POST", "/api/tip", { page_id, points: 5 }, key);
  expect(sent.status).toBe(201);
  // The page has it a moment later.
  await eventually(async () => expect(await sums(page_id)).toMatchObject({ accepted: 1 }));
  await pageObject(page_id).flush();
  await get("/dashboard/wallet", tipper.headers);
  await get(`/api/me/pages/${page_id}/tips`, me.headers);
  await get(`/dashboard/${page_id}/tips`, me.headers);
}

type Creator = Awaited<ReturnType<typeof creator>>;

/** An endpoint that looks at links, and answers that it is gone; and the end of its page. */
async function useWebhooks(me: Creator): Promise<void> {
  const links = [{ label: { ar: "المتجر" }, url: "https://shop.example/" }];
  const { page_id } = await me.make({ status: "published", links });
  const object = env.WEBHOOKS.getByName(page_id);
  const made = await object.create({ url: "https://gone.example/gone", events: ["link.down"] });
  await object.sendTest(made?.id ?? "");
  await eventually(async () => {
    expect((await object.list()).endpoints).toMatchObject([{ state: "gone" }]);
  });
  await object.change(made?.id ?? "", { enabled: true });
  await eventually(async () => {
    await runDurableObjectAlarm(object);
    const { results } = await env.DB.prepare("SELECT 1 FROM disabled_webhooks WHERE page_id = ?1")
      .bind(page_id)
      .all();
    expect(results).toHaveLength(1);
  });
  await object.end();
}

async function editPage(me: Creator): Promise<PageJson> {
  const links = [
    { label: { ar: "المتجر" }, url: "https://shop.example/" },
    { label: { ar: "فيديو" }, url: "https://video.example/" },
  ];
  const made = await me.make({ status: "published", links, contact: { name: "ليان" } });
  const { page_id } = made;
  const path = `/api/me/pages/${page_id}`;
  const uploaded = await call(`${path}/pictures`, {
    method: "PUT",
    body: sample("png"),
    headers: me.headers,
  });
  const { picture } = await uploaded.json<{ picture: { key: string } }>();
  await get(`/media/${picture.key}`);
  await me.send("POST", "/api/ai/alt", { locale: "en", image: picture.key });
  const found = await findOwnPicture(env.DB, "demo-business", picture.key.split("/").at(-1) ?? "");
  expect(found).toEqual({ width: 40, height: 24 });
  const [first, second] = made.links;
  const removed = await me.patch(made, { slug: me.slug(), links: [first], avatar: picture.key });
  const back = await me.patch(removed, { links: [first, second] });
  const emptied = await me.patch(back, { links: [] });
  for (const read of ["/api/me/pages", path, `${path}/revisions`, `${path}/revisions/1`])
    await get(read, me.headers);
  await get("/api/me/slugs?name=Layan", me.headers);
  await get(`/api/me/pages/${page_id}/totals`, me.headers);
  await get(`/api/me/slugs/${made.slug}?page_id=${page_id}`, me.headers);
  await findCurrentSlug(env.DB, made.slug, Date.now());
  const match = { "If-Match": `"v${emptied.version}"` };
  const restored = await me.send("POST", `${path}/revisions/1/restore`, undefined, match);
  return (await restored.json<PageAnswer>()).page;
}

async function countVisits({ page_id, slug, links }: PageJson): Promise<void> {
  for (const path of [`/${slug}`, `/vcard/${slug}.vcf`, `/r/${page_id}/${links[0]?.link_id}`]) {
    await get(path);
  }
  expect((await beacon({ page_id })).status).toBe(202);
  await pageObject(page_id).flush();
  await pageObject(page_id).sweep();
  // Of a page that no object has counted, as a flush looks after 90 days.
  const { page_id: rolled } = await freshPage();
  const today = Math.floor(Date.now() / DAY_MS) * (DAY_MS / SECOND_MS);
  const tally: Tally = { hour: 0, kind: "view", link_id: "", class: "human", n: 5 };
  const milestone: Milestone = { kind: "view", n: 100, reached_at: 0 };
  await flushRows(rolled, { tallies: [tally], milestones: [milestone] }, today);
  await checkCounts(mainHome(rolled), { since: 0, rolled_to: today, n: 0 });
  // As an object does whose storage was put back.
  for await (const found of talliesIn(mainHome(rolled), 0)) expect(found).toEqual([tally]);
  for await (const found of tipsIn(mainHome(page_id), 0)) expect(found).toEqual([]);
  for await (const found of daysIn(mainHome(page_id), 0)) expect(found).toHaveLength(1);
}

/** A page whose statistics move to a database of their own, with imported history, and back. */
async function moveStats(me: Creator): Promise<void> {
  const { page_id } = await me.make({ status: "published" });
  await env.DB.batch([
    env.DB.prepare("INSERT INTO tallies VALUES (?1, 3600, 'view', '', 'human', -2, 1)").bind(
      page_id,
    ),
    env.DB.prepare("INSERT INTO days VALUES (?1, 0, -2, 1, '{}', 1, 0)").bind(page_id),
    env.DB.prepare("INSERT INTO rolled_days VALUES (?1, -2, 86400)").bind(page_id),
  ]);
  await freshStats();
  try {
    await redeploy(page_id, 1);
    await count(page_id, 100);
    await pageObject(page_id).flush();
    await pageObject(page_id).sweep();
    for (const path of [`/api/me/pages/${page_id}/stats`, `/dashboard/${page_id}`]) {
      await get(path, me.headers);
    }
    await endIn(env.SPARE_0, ["nobody"], Date.now());
  } finally {
    await redeploy(page_id, 0);
  }
  await pageObject(page_id).flush();
}

/** Imports an export of the page, deletes that copy, and imports it again. */
async function movePage(me: Creator, { page_id }: PageJson): Promise<void> {
  const roll = env.DB.prepare("INSERT INTO rolled_days VALUES (?1, -2, 86400)");
  await roll.bind(page_id).run();
  const exported = await call(`/api/me/pages/${page_id}/export`, { headers: me.headers });
  const body = await exported.arrayBuffer();
  const headers = { ...me.headers, "Content-Type": "application/zip" };
  const copy = async () => {
    const response = await call("/api/me/pages/import", { method: "POST", body, headers });
    expect(response.status).toBe(201);
    return (await response.json<PageAnswer>()).page;
  };
  await me.remove(await copy());
  await copy();
}

async function useSite(): Promise<void> {
  for (const path of ["/sitemap.xml", "/sitemaps/2.xml"]) await get(path);
  await call("/health/deep");
  await call("/api/log/error", {
    method: "POST",
    body: JSON.stringify({ message: "boom" }),
    headers: { "Content-Type": "application/json" },
  });
  await Promise.all(ERROR_LOGS.map((name) => env.ERROR_LOG.getByName(name).flush()));
  await checkErrors(env.DB, { fingerprint: "0", first_seen: 0, n: 0 });
}

async function receiveWebhooks(): Promise<void> {
  const page = { user_id: "owner-1", page_id: "many-000011" };
  const created_at = new Date().toISOString();
  const notice = { id: "n1", text: "خبر", text_en: "News", url: "/", created_at };
  await hubSays("user.updated", { user_id: "owner-1" });
  await hubSays("notification.created", { user_id: "demo-business", ...notice });
  await hubSays("page.suspended", page);
  await hubSays("page.reinstated", page);
  await hubSays("user.deleted", { user_id: "owner-2" });
}

/** What operators read, and a takedown with its undo. */
async function operateService({ page_id }: PageJson): Promise<void> {
  const operator = await creator();
  Object.assign(env, { OPERATORS: "demo-business" });
  await get("/admin/pages", operator.headers);
  await get("/admin/errors", operator.headers);
  await get("/admin/errors/many-000001", operator.headers);
  const done = [
    await operator.send("POST", "/api/admin/errors/many-000001/seen", { n: 1 }),
    await operator.send("POST", `/api/admin/pages/${page_id}/takedown`, { reason: "x" }),
    await operator.send("PATCH", `/api/me/pages/${page_id}`, {}, { "If-Match": "*" }),
    await operator.send("DELETE", `/api/admin/pages/${page_id}/takedown`),
  ];
  expect(done.map(({ status }) => status)).toEqual([200, 200, 410, 200]);
  await get(`/admin/pages/${page_id}`, operator.headers);
}

/** Ends the page that was deleted, and looks for others that a restored D1 brought back. */
async function runCronOnTheHour({ page_id }: PageJson): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE pages SET ends_at = 1 WHERE page_id = ?1").bind(page_id),
    env.DB.prepare("UPDATE pictures SET unused_since = 0 WHERE key LIKE '%many-000001%'"),
  ]);
  await env.KV.put(`ended:${page_id}`, "");
  await env.MEDIA.put("cron/runs", "9");
  const lacking = { page_id: "many-000021", version: 2, ends_at: 9e15 };
  await notePageEnd(env.MEDIA, lacking, Date.now());
  // Its walk over the pages goes on near their end.
  await env.MEDIA.put("cron/sweep-cursor", "many-099990");
  await runCron(env, Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
  // Its first slice asked about the pages that notes name.
  expect(await askWhatD1Lacks(env)).toBe(100);
}

let queries: readonly Query[] = [];

beforeAll(async () => {
  await fill();
  queries = recordQueries();
  vi.spyOn(console, "error").mockImplementation(() => {});
  await useAll();
}, FILL_TIMEOUT_MS);

/** One of each text. */
function distinct(): Query[] {
  return [...new Map(queries.map((query) => [query.sql, query])).values()];
}

describe("among 100,000 pages", () => {
  test("every statement of the code is judged here", () => {
    const places = new Map<string, Set<string>>();
    for (const { place } of queries) {
      const seen = places.get(place.file) ?? new Set();
      places.set(place.file, seen.add(place.position));
    }
    const judged = [...places].map(([file, positions]) => [file, positions.size]);
    expect(Object.fromEntries(judged)).toEqual(placesToPrepare());
  });

  test("no query walks a table, but those where that is meant", async () => {
    const walking: [sql: string, tables: unknown[]][] = [];
    for (const query of distinct().filter((query) => !isWalk(query))) {
      const tables = await walkedTables(query);
      if (tables.length > 0) walking.push([query.sql, tables]);
    }
    expect(walking).toEqual([]);
  });

  test("a query reads no more rows than it answers, and a few", () => {
    for (const { place, sql, rows_read, rows_answered } of queries.filter((one) => !isWalk(one))) {
      expect(rows_read - rows_answered, `${place.file}: ${sql}`).toBeLessThanOrEqual(ROWS_READ_MAX);
    }
  });

  test("the list of walks has nothing else", async () => {
    for (const { of, reason } of WALKS) {
      const meant = distinct().filter(({ sql }) => of.test(sql));
      const walked = await Promise.all(meant.map(walkedTables));
      expect(walked, reason).not.toEqual([]);
      expect(walked, reason).not.toContainEqual([]);
    }
  });
});
