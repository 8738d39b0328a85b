/** A creator's preview of a page. */
import { describe, expect, test } from "vitest";
import { call, errorOf } from "../kit/kit.ts";
import { creator } from "./authoring-kit.ts";

const LINKS = [
  { kind: "link", label: { ar: "المتجر" }, url: "https://shop.example/" },
  { kind: "social", url: "mailto:layan@example.com" },
  {
    kind: "link",
    label: { ar: "لاحقًا" },
    url: "https://later.example/",
    from: Math.floor(Date.now() / 1_000) + 86_400,
  },
];

const MEMBERS = {
  locales: ["ar", "en"],
  name: { ar: "ليان", en: "Layan" },
  contact: { name: "ليان" },
  links: LINKS,
};

describe("a preview", () => {
  test("shows a draft to its owner as visitors would see it now, in either language", async () => {
    const me = await creator();
    const { page_id } = await me.make({ ...MEMBERS, status: "draft" });
    const path = `/api/me/pages/${page_id}/preview`;
    const response = await me.send("GET", path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
    const html = await response.text();
    expect(html).toMatch(/^<!DOCTYPE html><html lang="ar" dir="rtl"/);
    expect(html).toContain("المتجر");
    expect(html).not.toContain("later.example");
    expect(html).toContain('<a href="?lang=en" lang="en" hreflang="en">English</a>');
    const english = await (await me.send("GET", `${path}?lang=en`)).text();
    expect(english).toContain('<html lang="en" dir="ltr"');
    expect(english).toContain("Layan");
  });

  test("counts nothing: it has no script and no pixel, and its links lead directly", async () => {
    const me = await creator();
    const { page_id, slug } = await me.make({ ...MEMBERS, status: "published" });
    const html = await (await me.send("GET", `/api/me/pages/${page_id}/preview`)).text();
    expect(html).not.toMatch(/<script|<noscript|\/p\/|\/r\/|data-link/);
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    const target = 'rel="noopener noreferrer nofollow ugc" target="_blank"';
    expect(html).toContain(`href="https://shop.example/" ${target}`);
    expect(html).toContain(`href="mailto:layan@example.com" ${target}`);
    expect(html).toContain(`href="/vcard/${slug}.vcf?v=3"`);
  });

  test("is cached nowhere, and may stand in a frame of this site and of no other", async () => {
    const me = await creator();
    const { page_id, slug } = await me.make({ ...MEMBERS, status: "published" });
    const { headers } = await me.send("GET", `/api/me/pages/${page_id}/preview`);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.has("Cloudflare-CDN-Cache-Control")).toBe(false);
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("frame-ancestors 'self'");
    const page = await call(`/${slug}`);
    const public_policy = page.headers.get("Content-Security-Policy") ?? "";
    expect(public_policy).toBe(policy.replace("ancestors 'self'", "ancestors 'none'"));
  });

  test("is 404 in a language that the page lacks, and 400 in one that nobody has", async () => {
    const me = await creator();
    const { page_id } = await me.make({ name: { ar: "ليان" } });
    const path = `/api/me/pages/${page_id}/preview`;
    expect((await me.send("GET", `${path}?lang=en`)).status).toBe(404);
    const refused = await me.send("GET", `${path}?lang=fr`);
    expect(refused.status).toBe(400);
    expect((await errorOf(refused)).details).toMatchObject({ issues: [{ path: "lang" }] });
  });

  test("shows a page that is deleted for as long as that can be undone", async () => {
    const me = await creator();
    const page = await me.make(MEMBERS);
    await me.remove(page);
    expect((await me.send("GET", `/api/me/pages/${page.page_id}/preview`)).status).toBe(200);
  });
});
