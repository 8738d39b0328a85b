/** The methods of each route (RFC 9110 sections 9.3.2, 9.3.7 and 15.5.6). */
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../../src/site/openapi/operations.ts";
import { useOwnAccounts } from "../identity/identity-kit.ts";
import { call, errorOf, freshAddress, freshPage } from "../kit/kit.ts";

/** Routes that are not in the OpenAPI document: files, and pages for browsers. */
const FILES = [
  ...["/", "/ar", "/en", "/docs/ar", "/docs/en", "/example/ar/sila"],
  ...["/assets/none.css", "/media/none.webp"],
  ...["/dashboard", "/dashboard/new", "/dashboard/notifications", "/dashboard/preview-frame"],
  ...["/dashboard/:page_id", "/dashboard/:page_id/qr.svg"],
  ...["/dashboard/pages/:page_id/edit", "/dashboard/pages/:page_id/qr.svg"],
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

const page = await freshPage();

/** The path of an existing page from a template. */
function pathOf(template: string): string {
  return template
    .replace(":page_id", page.page_id)
    .replace(":slug", page.slug)
    .replace(":link_id", "shop")
    .replace(":locale", "ar")
    .replace(":version", "1")
    .replace(":n", "1")
    .replace(":id", "none");
}

/** These exist without an account hub alone. */
const OWN_ACCOUNTS: ReadonlySet<string> = new Set(
  OPERATIONS.filter(({ tag }) => tag === "own_accounts").map(({ path }) => path),
);

/** The methods of each path. */
const ROUTES = new Map<string, readonly string[]>([
  ...FILES.map((path) => [path, ["GET"]] as const),
  // Operators' routes have no methods for others: they do not exist.
  ...[
    ...Map.groupBy(
      OPERATIONS.filter(({ tag }) => tag !== "operators"),
      ({ path }) => path,
    ),
  ].map(([path, of_path]) => [path, of_path.map(({ method }) => method.toUpperCase())] as const),
]);

describe.each([...ROUTES])("%s", (template, own) => {
  if (OWN_ACCOUNTS.has(template)) useOwnAccounts();

  /** Of all these requests, which are fewer than any scope admits. */
  const ip = freshAddress();
  const allowed = own.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const sorted = (allow: string | null) => allow?.split(", ").sort();

  test("lists its methods, to OPTIONS with 204 and to every other method with 405", async () => {
    const options = await call(pathOf(template), { method: "OPTIONS", ip });
    expect([options.status, await options.text()]).toEqual([204, ""]);
    expect(sorted(options.headers.get("Allow"))).toEqual([...allowed, "OPTIONS"].sort());
    for (const other of METHODS.filter((name) => !allowed.includes(name))) {
      const response = await call(pathOf(template), { method: other, ip });
      expect([other, response.status]).toEqual([other, 405]);
      const allow = response.headers.get("Allow") ?? "";
      expect(sorted(allow)).toEqual([...allowed, "OPTIONS"].sort());
      if (other === "HEAD") continue;
      expect(await errorOf(response)).toMatchObject({
        code: "METHOD_NOT_ALLOWED",
        details: { allow: allow.split(", ") },
      });
    }
  });

  test.runIf(own.includes("GET"))("answers HEAD as GET, without the body", async () => {
    const got = await call(pathOf(template), { ip });
    const head = await call(pathOf(template), { method: "HEAD", ip });
    expect(head.status).toBe(got.status);
    expect(await head.text()).toBe("");
    for (const name of ["Content-Type", "ETag", "Cache-Control", "Location"]) {
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
    }
    await got.body?.cancel();
  });
});

test("an unknown address is 404 for every method", async () => {
  for (const path of ["/api/none", "/none/none/none", "/r/x", "/vcard/x.txt"]) {
    const ip = freshAddress();
    for (const method of METHODS) {
      const response = await call(path, { method, ip });
      expect([path, method, response.status]).toEqual([path, method, 404]);
      if (method !== "HEAD") expect((await errorOf(response)).code).toMatch(/NOT_FOUND$/);
    }
  }
});
