/** The document at `/openapi.json`, compared with the registered routes. */
import { describe, expect, test } from "vitest";
import { version } from "../../../package.json";
import { ERRORS } from "../../../src/http/api-error.ts";
import { openApiDocument } from "../../../src/site/openapi/openapi-document.ts";
import { OPERATIONS } from "../../../src/site/openapi/operations.ts";
import { call } from "../kit/kit.ts";
import { HANDLERS } from "../kit/registered-routes.ts";

/** Not in the document: files and pages for browsers, and a socket, which is not JSON. */
const NOT_DESCRIBED = [
  ...["GET /", "GET /assets/*", "GET /media/*", "GET /:slug/"],
  "GET /:slug/:locale{(?:ar|en)}/",
  ...["GET /ar", "GET /en", "GET /example/:locale/:preset", "GET /docs/ar", "GET /docs/en"],
  ...["GET /dashboard", "GET /dashboard/:page_id", "GET /dashboard/:page_id/qr.svg"],
  ...["GET /dashboard/new", "GET /dashboard/notifications", "GET /dashboard/preview-frame"],
  ...["GET /dashboard/pages/:page_id/edit", "GET /dashboard/pages/:page_id/qr.svg"],
  "GET /api/me/pages/:page_id/live",
  ...["GET /newsletter/confirm", "POST /newsletter/confirm"],
  ...["GET /newsletter/unsubscribe", "POST /newsletter/unsubscribe"],
  ...["GET /dashboard/:page_id/subscribers", "GET /dashboard/:page_id/tips"],
  ...["GET /dashboard/wallet", "GET /tip", "POST /tip"],
  ...["GET /admin", "GET /admin/errors", "GET /admin/errors/:fingerprint", "GET /admin/pages"],
  ...["GET /admin/users", "GET /admin/users/:user_id", "GET /account", "GET /account/recover"],
  ...["GET /setup", "GET /invite"],
  ...["GET /admin/pages/:page_id", "GET /admin/metrics", "GET /status/ar", "GET /status/en"],
  ...["GET /dashboard/pages/:page_id/webhooks", "POST /dashboard/pages/:page_id/webhooks"],
  // Of accounts in the box.
  "GET /account/sign-in",
  // The same for dumps (src/operate/dump/dump-call.ts).
  "POST /api/dump",
];

/** `GET /p/:page_id.gif` and `GET /p/:file{[^/]+\.gif}` are one shape: parameters lose their names and patterns. */
function shapeOf(method: string, path: string): string {
  const shape = path
    .replace(/:\w+\{.*?(\\?\.\w+)\}/g, (_, extension: string) => `{}${extension.replace("\\", "")}`)
    .replace(/:\w+\{\(\?:.*?\)\}|:\w+/g, "{}")
    .replace("/sitemaps/{}.xml", "/sitemaps/{}");
  return `${method.toUpperCase()} ${shape}`;
}

/** Fields and headers with a description of their own; a parameter repeats its schema's. */
function describedIn(part: unknown): object[] {
  if (typeof part !== "object" || part === null) return [];
  const inside = Object.values(part).flatMap(describedIn);
  const is_field = "type" in part || "$ref" in part || ("schema" in part && !("in" in part));
  return is_field && "description" in part ? [part, ...inside] : inside;
}

describe("the document", () => {
  test("describes every route that exists, and no other", () => {
    const registered = HANDLERS.filter(
      ({ method, path }) => method !== "ALL" && !NOT_DESCRIBED.includes(`${method} ${path}`),
    ).map(({ method, path }) => shapeOf(method, path));
    const described = OPERATIONS.map(({ method, path }) => shapeOf(method, path));
    expect([...new Set(registered)].sort()).toEqual(described.sort());
  });

  test("says of every route that its limit may refuse a request", () => {
    for (const { id, errors } of OPERATIONS) {
      expect([id, ...errors]).toContain("RATE_LIMITED");
    }
  });

  test("is one text with an ETag, in OpenAPI 3.1", async () => {
    const response = await call("/openapi.json");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
    const document = await response.json<{ openapi: string; info: { version: string } }>();
    expect(document).toMatchObject({ openapi: "3.1.1", info: { version } });
    const etag = response.headers.get("ETag") ?? "";
    const again = await call("/openapi.json", { headers: { "If-None-Match": etag } });
    expect(again.status).toBe(304);
  });

  test("describes every route and every error in both languages", () => {
    const arabic = /^[^A-Za-z]*\p{Script=Arabic}/u;
    for (const { id, ar, en } of OPERATIONS) {
      for (const text of Object.values(ar))
        expect([id, text]).toEqual([id, expect.stringMatching(arabic)]);
      for (const text of Object.values(en))
        expect([id, text]).toEqual([id, expect.not.stringMatching(arabic)]);
    }
    const fields = describedIn(openApiDocument());
    expect(fields.length).toBeGreaterThan(40);
    for (const field of fields) {
      expect(field).toMatchObject({ "x-description-ar": expect.stringMatching(arabic) });
    }
    for (const { ar, en } of Object.values(ERRORS)) {
      expect(ar).toMatch(arabic);
      expect(en).toMatch(/^[\x20-\x7e]+$/);
    }
  });
});
