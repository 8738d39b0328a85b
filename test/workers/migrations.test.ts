/** What the migrations make of a database that has pages already. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listNotifications } from "../../src/accounts/notifications-store.ts";
import { Contact, DocumentInput, type Link } from "../../src/pages/page-document.ts";
import { documentOf, findPageBySlug, type Page } from "../../src/pages/pages-store.ts";
import { findRevision, listRevisions } from "../../src/pages/revisions-store.ts";
import { LOCALES } from "../../src/views/locale.ts";
import { USUAL_LOOK } from "../../src/views/look-values.ts";
import { cases, seedOfTheDay } from "./cases.ts";
import { emptyDatabase } from "./empty-database.ts";

/** How many came before pages became documents. */
const BEFORE = env.TEST_MIGRATIONS.findIndex(({ name }) => name === "0010_page_documents.sql");

interface OldLink {
  link_id: string;
  position: number;
  label: string;
  url: string;
}

const OWNERS = ["one", "two"] as const;

const PALETTES = ["sand", "sea", "rose", "ink"] as const;

/**
 * Texts that JSON, SQL or a path in JSON might take for their own. SQLite's JSON ends a text at U+0000,
 * which no page could have.
 */
const text = fc
  .oneof(
    fc.constantFrom(
      "",
      "'",
      '"',
      "\\",
      "$.name",
      '","x":"',
      "a\nb\tc",
      "👩‍🎨",
      "سِلة",
      "\u2028",
      "null",
    ),
    fc.string({ unit: "grapheme", maxLength: 20 }),
  )
  .map((raw) => raw.replaceAll("\0", ""));

const oldLinks = fc.uniqueArray(
  fc.record({
    link_id: fc.stringMatching(/^[a-z0-9_-]{1,8}$/),
    // Of links with one position, the ids decide.
    position: fc.integer({ min: 0, max: 3 }),
    label: text,
    url: fc
      .webUrl({ withQueryParameters: true, withFragments: true })
      .map((url) => new URL(url).href),
  }),
  { selector: ({ link_id }) => link_id, maxLength: 6 },
);

const contact = fc.record({
  name: text,
  organisation: fc.option(text),
  title: fc.option(text),
  phones: fc.array(text, { maxLength: 2 }),
  emails: fc.array(text, { maxLength: 2 }),
  address: fc.option(text),
  note: fc.option(text),
});

const oldPage = fc.record({
  owner_id: fc.option(fc.constantFrom(...OWNERS)),
  locale: fc.constantFrom(...LOCALES),
  name: text,
  bio: text,
  avatar: fc.option(fc.constant("avatars/demo-3d60ad76.webp")),
  theme: fc.constantFrom(...PALETTES),
  contact: fc.option(contact),
  status: fc.constantFrom("published", "suspended"),
  updated_at: fc.integer({ min: 0, max: 8.64e15 }),
  links: oldLinks,
  reached: fc.boolean(),
});
type OldPage = typeof oldPage extends fc.Arbitrary<infer T> ? T : never;

async function storeOldPages(pages: readonly OldPage[]): Promise<void> {
  const { DB } = env;
  await emptyDatabase(DB);
  await applyD1Migrations(DB, env.TEST_MIGRATIONS.slice(0, BEFORE));
  const insert = (table: string, row: Record<string, unknown>) =>
    DB.prepare(
      `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => "?")})`,
    ).bind(...Object.values(row));
  const rows = pages.flatMap(({ links, reached, contact, ...columns }, i) => {
    const page_id = `page-${i}`;
    const stored = contact === null ? null : JSON.stringify(contact);
    return [
      insert("pages", { page_id, slug: `slug-${i}`, contact: stored, ...columns }),
      ...links.map((link) => insert("links", { page_id, ...link })),
      ...(reached ? [insert("milestones", { page_id, kind: "view", n: 100, reached_at: i })] : []),
    ];
  });
  await DB.batch([
    ...rows,
    insert("hub_notifications", { user_id: "one", id: "h", text: "", text_en: "", created_at: 1 }),
  ]);
}

const NO_TIP = { from_name: null, points: null, message: null };

/** A user's notifications as the code of that time read them: the view had no tips. */
async function notificationsBefore(user_id: string): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(
    `SELECT id, kind, created_at, page_id, name, counted, n, text, text_en, url
     FROM notifications WHERE user_id = ?1 ORDER BY created_at DESC, id DESC`,
  )
    .bind(user_id)
    .all();
  return results;
}

/** The page that an old one must have become. */
function expected(old: OldPage, i: number): Page {
  const { owner_id, locale, name, bio, avatar, theme, contact, status, updated_at } = old;
  const inOrder = old.links.toSorted(
    (a, b) => a.position - b.position || (a.link_id < b.link_id ? -1 : 1),
  );
  return {
    page_id: `page-${i}`,
    owner_id,
    slug: `slug-${i}`,
    status: status as Page["status"],
    ends_at: null,
    version: 1,
    created_at: updated_at,
    updated_at,
    locales: [locale],
    time_zone: "UTC",
    indexed: true,
    name: { [locale]: name },
    bio: { [locale]: bio },
    avatar,
    contact,
    look: { ...USUAL_LOOK, palette: theme },
    links: inOrder.map(({ link_id, label, url }: OldLink): Link => {
      const plain = { kind: "link", enabled: true, from: null, until: null } as const;
      return { link_id, label: { [locale]: label }, url, ...plain, highlight: false, image: null };
    }),
  };
}

test("a page of columns and rows becomes a document with all of them, and its first revision", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(oldPage, { minLength: 1, maxLength: 5 }), async (pages) => {
      await storeOldPages(pages);
      await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
      for (const [i, old] of pages.entries()) {
        const page = expected(old, i);
        expect(await findPageBySlug(env.DB, page.slug)).toEqual(page);
        const revision = await findRevision(env.DB, page.page_id, 1);
        expect(revision?.document).toEqual(documentOf(page));
        expect(await listRevisions(env.DB, page.page_id, 9, 9)).toEqual([
          { version: 1, saved_at: page.updated_at, what: ["created"] },
        ]);
      }
    }),
    { numRuns: cases(100, 1 / 10), seed: seedOfTheDay() },
  );
});

test("an owner's notifications are the same before and after", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(oldPage, { minLength: 1, maxLength: 5 }), async (pages) => {
      await storeOldPages(pages);
      const before = await Promise.all(OWNERS.map(notificationsBefore));
      await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
      const listing = { limit: 100, unread_only: false, after: null };
      const after = await Promise.all(
        OWNERS.map((user_id) => listNotifications(env.DB, user_id, listing)),
      );
      expect(after).toEqual(
        before.map((rows) => ({
          // None of them is of a tip, and none has been read.
          notifications: rows.map((row) => ({ ...row, ...NO_TIP, read_at: null })),
          unread: rows.length,
        })),
      );
    }),
    { numRuns: cases(50, 1 / 10), seed: seedOfTheDay() },
  );
});

test("a page that was migrated can be saved again as it is", async () => {
  const [page] = fc.sample(oldPage, { seed: 1, numRuns: 1 });
  const links = [{ link_id: "shop", position: 0, label: "المتجر", url: "https://shop.example/" }];
  await storeOldPages([{ ...(page as OldPage), name: "ليلى", contact: Contact.parse({}), links }]);
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  const migrated = (await findPageBySlug(env.DB, "slug-0")) as Page;
  expect(DocumentInput.parse(documentOf(migrated))).toEqual(documentOf(migrated));
});
