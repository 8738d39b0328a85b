/** What the migrations make of a database that has pages already. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { listNotifications } from "../../../src/accounts/notifications-store.ts";
import { Contact, DocumentInput } from "../../../src/pages/document/page-document.ts";
import { documentOf, findPageBySlug, type Page } from "../../../src/pages/document/pages-store.ts";
import { findRevision, listRevisions } from "../../../src/pages/document/revisions-store.ts";
import { USUAL_LOOK } from "../../../src/views/look-values.ts";
import { emptyDatabase } from "../kit/empty-database.ts";

/** How many came before pages became documents. */
const BEFORE = env.TEST_MIGRATIONS.findIndex(({ name }) => name === "0010_page_documents.sql");

/** What JSON, SQL or a path in JSON might take for its own. */
const BIO = `'"\\$.name","x":"\na\tb\u2028👩‍🎨 null`;
const CONTACT = Contact.parse({ name: "ليلى", emails: ["layla@example.com"] });
const LINKS = [
  { link_id: "b", position: 1, label: "فيديو", url: "https://video.example/?a=1#b" },
  { link_id: "c", position: 0, label: BIO, url: "https://shop.example/" },
  // Of links with one position, the ids decide.
  { link_id: "a", position: 1, label: "", url: "mailto:layla@example.com" },
];

/** A page of that time, with links and a milestone, and a message of the hub to its owner. */
async function storeOldPage(): Promise<void> {
  const insert = (table: string, row: Record<string, unknown>) =>
    env.DB.prepare(
      `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => "?")})`,
    ).bind(...Object.values(row));
  const page_id = "page";
  const shown = { locale: "ar", name: "ليلى", bio: BIO, avatar: null, theme: "rose" };
  const contact = JSON.stringify(CONTACT);
  const state = { owner_id: "one", status: "suspended", updated_at: 9 };
  await env.DB.batch([
    insert("pages", { page_id, slug: "slug", contact, ...shown, ...state }),
    ...LINKS.map((link) => insert("links", { page_id, ...link })),
    insert("milestones", { page_id, kind: "view", n: 100, reached_at: 2 }),
    insert("hub_notifications", { user_id: "one", id: "h", text: "", text_en: "", created_at: 1 }),
  ]);
}

beforeAll(async () => {
  await emptyDatabase(env.DB);
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, BEFORE));
  await storeOldPage();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

test("a page of columns and rows becomes a document with all of them, and its first revision", async () => {
  const plain = { kind: "link", enabled: true, from: null, until: null } as const;
  const page: Page = {
    page_id: "page",
    owner_id: "one",
    slug: "slug",
    status: "suspended",
    ends_at: null,
    version: 1,
    created_at: 9,
    updated_at: 9,
    locales: ["ar"],
    time_zone: "UTC",
    indexed: true,
    name: { ar: "ليلى" },
    bio: { ar: BIO },
    avatar: null,
    contact: CONTACT,
    look: { ...USUAL_LOOK, palette: "rose" },
    links: [
      { link_id: "c", label: { ar: BIO }, url: "https://shop.example/" },
      { link_id: "a", label: { ar: "" }, url: "mailto:layla@example.com" },
      { link_id: "b", label: { ar: "فيديو" }, url: "https://video.example/?a=1#b" },
    ].map((link) => ({ ...link, ...plain, highlight: false, image: null })),
  };
  expect(await findPageBySlug(env.DB, "slug")).toEqual(page);
  expect((await findRevision(env.DB, "page", 1))?.document).toEqual(documentOf(page));
  expect(await listRevisions(env.DB, "page", 9, 9)).toEqual([
    { version: 1, saved_at: 9, what: ["created"] },
  ]);
});

test("a page that was migrated can be saved again", async () => {
  const page = await findPageBySlug(env.DB, "slug");
  if (page === null) throw new Error("no page");
  const document = { ...documentOf(page), bio: { ar: "رسّامة" }, links: page.links.slice(-1) };
  expect(DocumentInput.parse(document)).toEqual(document);
});

test("its owner has the notifications of before, unread", async () => {
  const listing = { limit: 100, unread_only: false, after: null };
  const { notifications, unread } = await listNotifications(env.DB, "one", listing);
  expect(notifications).toMatchObject([
    { id: "milestone-page-view-100", name: "ليلى", counted: "view", n: 100, read_at: null },
    { id: "hub-h", text: "", url: null, read_at: null },
  ]);
  expect(unread).toBe(2);
});
