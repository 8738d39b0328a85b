/** The lengths of answers, over HTTP/1.1: without one, half a file may be taken for a whole one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accentSheet } from "../../src/views/accent-sheet.ts";
import { freshAddress, type Service, startService } from "../browser/browser-kit.ts";
import { START_TIMEOUT_MS } from "../browser/in-browser.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { EVERY_KIND } from "../every-kind.ts";
import { storePage } from "../plain-page.ts";

const LOOK = { ...EVERY_KIND.look, accent: "#0a7f5c" };

const OF_DEMO = "/api/me/pages/demo";
const FILE = "/api/download/demo-file-prices?page_id=demo&link_id=demo-prices";

const PATHS = {
  "a page": "/demo",
  "an error as a page": "/nobody",
  "an example": "/example/ar/lapis",
  "the picture of a page": "/demo/share.png",
  "a contact card": "/vcard/demo.vcf",
  "a picture": "/media/avatars/demo-3d60ad76.webp",
  "the sheet of an accent": `/assets/${accentSheet(LOOK)?.name}`,
  "the pixel": "/p/demo.gif",
  "the sitemap": "/sitemap.xml",
  "the documentation": "/docs",
  "the description of the API": "/openapi.json",
  "a text": "/llms.txt",
  "the icon": "/favicon.ico",
  "the deep probe": "/health/deep",
  "the status": "/status",
  "a page of an account": "/dashboard",
  "an editor": "/dashboard/pages/demo/edit",
  "a QR code": "/dashboard/pages/demo/qr.svg",
  "JSON of an account": OF_DEMO,
  "a preview": `${OF_DEMO}/preview`,
  statistics: `${OF_DEMO}/stats`,
  "statistics as a table": `${OF_DEMO}/stats.csv`,
  "subscribers as a table": `${OF_DEMO}/subscribers.csv`,
  metrics: "/admin/metrics",
  "a file": FILE,
};

describe("an answer with a body has its length, so that half of it is not taken for all:", () => {
  let service: Service;
  let cookie = "";
  beforeAll(async () => {
    service = await startService();
    const answer = await service.hub.control("POST", "/sign-in", { user_id: DEMO_OWNER });
    cookie = `hub_session=${(answer as { cookie: string }).cookie}`;
    const page = { ...EVERY_KIND, look: LOOK };
    await storePage(await service.server.db(), page);
    // Stores the sheet of its accent.
    await get(`/${page.slug}`);
  }, START_TIMEOUT_MS);
  afterAll(() => service.close(), START_TIMEOUT_MS);

  /** As the service sends it, which the runtime does not compress then. */
  const get = (path: string, more: Record<string, string> = {}) =>
    fetch(service.origin + path, {
      headers: {
        Cookie: cookie,
        "CF-Connecting-IP": freshAddress(),
        "Accept-Encoding": "identity",
        ...more,
      },
    });

  test.for(Object.entries(PATHS))("%s", async ([, path]) => {
    const response = await get(path);
    const { byteLength } = await response.arrayBuffer();
    expect([response.status, byteLength > 0]).toEqual([path === "/nobody" ? 404 : 200, true]);
    expect(response.headers.get("Content-Length")).toBe(String(byteLength));
  });

  test("a part of a file", async () => {
    const response = await get(FILE, { Range: "bytes=5-104" });
    expect([response.status, response.headers.get("Content-Length")]).toEqual([206, "100"]);
    expect((await response.arrayBuffer()).byteLength).toBe(100);
  });

  test("but for an export, which is no zip without its end", async () => {
    const response = await get(`${OF_DEMO}/export`);
    expect(response.headers.get("Content-Length")).toBeNull();
    const end = new Uint8Array(await response.arrayBuffer()).subarray(-22, -18);
    expect(String.fromCharCode(...end)).toBe("PK\x05\x06");
  });
});
