/** Newsletters for the tests of their routes: a creator's page with a block, and its mails. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { creator } from "../authoring/authoring-kit.ts";
import { mailsTo, type SentMail } from "../kit/hub-kit.ts";
import { call, eventually } from "../kit/kit.ts";

let addresses_made = 0;

export function freshEmail(): string {
  addresses_made += 1;
  return `reader-${addresses_made}-${crypto.randomUUID().slice(0, 8)}@example.com`;
}

export async function newsletterPage(members: Record<string, unknown> = {}) {
  const owner = await creator();
  const page = await owner.make({
    name: { ar: "ليان", en: "Layan" },
    locales: ["ar", "en"],
    status: "published",
    links: [{ kind: "newsletter", label: { ar: "نشرتي", en: "My news" }, block: {} }],
    ...members,
  });
  const { page_id } = page;
  return {
    owner,
    page,
    page_id,
    path: `/api/me/pages/${page_id}/subscribers`,
    subscribe: (body: Record<string, unknown>, init: RequestInit = {}) =>
      call("/api/newsletter", {
        method: "POST",
        body: JSON.stringify({ page_id, ...body }),
        ...init,
      }),
  };
}

/** The first mail to this address, when it has come: with the alarm of its page's newsletter. */
export function mailTo(page_id: string, email: string, n = 1): Promise<SentMail> {
  return eventually(async () => {
    await runDurableObjectAlarm(env.SUBSCRIBERS.getByName(page_id));
    const mails = await mailsTo(email);
    expect(mails).toHaveLength(n);
    return mails[0] as SentMail;
  });
}

export function linkOf(mail: SentMail, to: "confirm" | "unsubscribe"): string {
  const url = new RegExp(`https://\\S+/newsletter/${to}\\?token=\\S+`).exec(mail.text)?.[0];
  if (url === undefined) throw new Error(`no link to ${to} in: ${mail.text}`);
  const { pathname, search } = new URL(url);
  return pathname + search;
}

export async function listOf(
  { owner, path }: Awaited<ReturnType<typeof newsletterPage>>,
  query = "",
) {
  const response = await owner.send("GET", path + query);
  expect(response.status).toBe(200);
  return response.json<{
    subscribers: { id: string; email: string; confirmed_at: string; source: object }[];
    total: number;
    pending: number;
    next_cursor: string | null;
  }>();
}

export async function confirmed(
  made: Awaited<ReturnType<typeof newsletterPage>>,
  email = freshEmail(),
): Promise<string> {
  expect((await made.subscribe({ email })).status).toBe(202);
  const mail = await mailTo(made.page_id, email);
  expect((await call(linkOf(mail, "confirm"), { method: "POST" })).status).toBe(200);
  return email;
}
