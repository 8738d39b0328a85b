/** The page of notifications, and the bell in the bar of every signed-in page. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { addNotification, markRead } from "../../../src/accounts/notifications-store.ts";
import { Bell } from "../../../src/dashboard/bell.tsx";
import type { ReaderLocale } from "../../../src/views/numbering.ts";
import { signIn } from "../kit/hub-kit.ts";
import { call, freshPage } from "../kit/kit.ts";

const AT_MS = Date.parse("2026-11-21T21:30:00Z");

/** Stores `n` notifications of the hub for a user, the last one the newest. */
async function tell(user_id: string, n: number, url: string | null = null): Promise<void> {
  for (let i = 1; i <= n; i += 1) {
    const words = { text: `خبر رقم ${i}`, text_en: `News number ${i}` };
    const told = { user_id, id: `page-${i}`, ...words, url, created_at: AT_MS + i * 1_000 };
    await env.DB.batch(addNotification(env.DB, told));
  }
}

async function open(user_id: string, path = "/dashboard/notifications", timezone = "Asia/Riyadh") {
  const response = await call(path, {
    headers: { Cookie: await signIn(user_id), Accept: "text/html" },
    ...({ cf: { country: "SA", timezone } } as RequestInit),
  });
  return { response, html: await response.text() };
}

const bell = (unread: number, locale: ReaderLocale = "en") =>
  (<Bell locale={locale} url={new URL("https://sila.example/dashboard")} unread={unread} />)
    .toString()
    .replace(/<svg.*?<\/svg>/s, "")
    .replace(/<[^>]+>/g, "|")
    .replace(/\|+/g, "|");

describe("the page of notifications", () => {
  test("lists twenty, the newest first, then the others, with the time on the reader's clock", async () => {
    await tell("demo-free", 23);
    const { response, html } = await open("demo-free");
    expect(response.status).toBe(200);
    expect(html.match(/<li class="notice"/g)).toHaveLength(20);
    expect(html.indexOf("خبر رقم 23")).toBeLessThan(html.indexOf("خبر رقم 22"));
    expect(html).toContain('datetime="2026-11-21T21:30:23.000Z"');
    expect(html).toContain("٢٢ نوفمبر ٢٠٢٦ في ٠٠:٣٠");
    const [, older] = /href="(\/dashboard\/notifications\?cursor=[^"]+)"/.exec(html) ?? [];
    const rest = await open("demo-free", older ?? "");
    expect(rest.html.match(/<li class="notice"/g)).toHaveLength(3);
    expect(rest.html).toContain('href="/dashboard/notifications"');
    expect(rest.html).not.toContain("الأقدم");
  });

  test("speaks the reader's language, and names a milestone in it", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    await env.DB.prepare(
      "INSERT INTO milestones (page_id, kind, n, reached_at) VALUES (?1, 'view', 1000, ?2)",
    )
      .bind(page_id, AT_MS)
      .run();
    const { html } = await open("demo-pro");
    expect(html).toMatch(
      new RegExp(`<a href="/dashboard/${page_id}" dir="auto">بلغت صفحتك «[^»]+» ١٬٠٠٠ مشاهدة</a>`),
    );
    const english = await open("demo-pro", "/dashboard/notifications?lang=en&tz=UTC");
    expect(english.html).toMatch(/reached 1,000 views<\/a>/);
    expect(english.html).toContain(`href="/dashboard/${page_id}?lang=en"`);
    expect(english.html).toContain("November 21, 2026 at 21:30");
    const latin = await open("demo-pro", "/dashboard/notifications?digits=latn");
    expect(latin.html).toContain("1,000 مشاهدة");
  });

  test("marks what is unread, and a GET marks nothing as read", async () => {
    await tell("demo-business", 3);
    const unread = async () =>
      (await open("demo-business")).html.match(/data-unread="hub-page-\d"/g)?.length ?? 0;
    expect(await unread()).toBe(3);
    expect(await unread()).toBe(3);
    await markRead(env.DB, "demo-business", ["hub-page-2"], AT_MS);
    expect(await unread()).toBe(2);
    const { html } = await open("demo-business", "/dashboard?lang=en");
    expect(html).toContain("(2 new notifications)");
  });

  test("S22: lists nobody else's", async () => {
    await tell("demo-business", 1);
    const { html } = await open("demo-pro");
    expect(html).not.toContain("hub-page-1");
  });
});

describe("the bell", () => {
  test("says how many are unread, in the plural form of the number, and has room for two digits", () => {
    expect(bell(0)).toBe("|Notifications|");
    expect(bell(1)).toBe("|Notifications|1| (1 new notification)|");
    expect(bell(11, "ar-u-nu-arab")).toContain(" (١١ إشعارًا جديدًا)");
    expect(bell(99)).toContain("|99|");
    expect(bell(100)).toContain("|99+| (100 new notifications)|");
  });
});
