/** `npm run deploy` puts the service at a domain of the account. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Deploying } from "../platform/deploying.ts";

const TIMEOUT_MS = 400_000;

let user: Deploying;
beforeAll(async () => {
  user = await Deploying.start();
});
afterAll(() => user.stop());
afterEach(() => {
  expect(user.platform.unknown).toEqual([]);
});

/** What the account has of the service. */
function service() {
  const { domains, subdomain, values } = user.platform.worker("sila");
  return { domains, workers_dev: subdomain.enabled, origin: values.SITE_ORIGIN };
}

test("a domain that the account does not have is said, and what to do", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, output } = await user.deploy([
    "--domain",
    "links.other.example",
    "--url",
    user.url,
  ]);
  expect(output).toContain("✗ The account has no zone of this domain.");
  expect(output).toContain("Add the domain to this account in the dashboard");
  expect(code).toBe(1);
});

test("the service is at the domain and nowhere else, and remembers it", {
  timeout: TIMEOUT_MS,
}, async () => {
  const first = await user.deploy(["--domain", "Links.Sila.example", "--url", user.url]);
  expect(first.code, first.output).toBe(0);
  const here = { domains: ["links.sila.example"], workers_dev: false };
  expect(service()).toEqual({ ...here, origin: "https://links.sila.example" });
  expect(first.output).toContain("  https://links.sila.example/setup#");
  const again = await user.deploy();
  expect(again.code, again.output).toBe(0);
  expect(again.output).not.toContain("Passkeys");
  expect(service()).toEqual({ ...here, origin: "https://links.sila.example" });
  const kept = JSON.parse(await readFile(join(user.folder, "production.json"), "utf8"));
  expect(kept).toMatchObject({ domain: "links.sila.example", vars: {} });
});

test("a move to another domain says whose passkeys end, and an origin that was set stays", {
  timeout: TIMEOUT_MS,
}, async () => {
  const moved = await user.deploy(["--domain", "sila.example", "--url", user.url]);
  expect(moved.code, moved.output).toBe(0);
  expect(moved.output).toContain(
    "! Passkeys belong to a host: those of https://links.sila.example do not work at https://sila.example.",
  );
  expect(service()).toMatchObject({ domains: ["sila.example"], origin: "https://sila.example" });
  const set = ["--set", "SITE_ORIGIN=https://www.sila.example"];
  const own = await user.deploy([...set, "--domain=", "--url", user.url]);
  expect(own.code, own.output).toBe(0);
  expect(service()).toMatchObject({ workers_dev: true, origin: "https://www.sila.example" });
});
