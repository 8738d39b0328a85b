/** `npm run deploy` finds out whether the account has a paid plan, and says what is off without one. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Deploying } from "../platform/deploying.ts";

const TIMEOUT_MS = 400_000;
const MAIL = [
  ...["--set", "MAIL_FROM=news@sila.example"],
  ...["--set", "SITE_ORIGIN=https://sila.example"],
];

let user: Deploying;
beforeAll(async () => {
  user = await Deploying.start();
  user.platform.isFree = true;
});
afterAll(() => user.stop());
afterEach(() => {
  expect(user.platform.unknown).toEqual([]);
});

const kept = async () => JSON.parse(await readFile(join(user.folder, "production.json"), "utf8"));
const boundTo = (worker: string) =>
  user.platform.worker(worker).current.bindings.map(({ name }) => name);

test("without R2 nothing is made, and it says what to switch on", {
  timeout: TIMEOUT_MS,
}, async () => {
  user.platform.hasR2 = false;
  const { code, output } = await user.deploy(["--url", user.url]);
  user.platform.hasR2 = true;
  expect(output).toContain("R2, where pictures and files are kept, is not switched on");
  expect(output).toContain("Open R2 in the dashboard");
  expect([code, user.platform.writes()]).toEqual([1, []]);
});

test("another refusal of the upload is not taken for the free plan's", {
  timeout: TIMEOUT_MS,
}, async () => {
  user.platform.fail = { pattern: /^PUT .*\/scripts\/sila$/, status: 400 };
  const { code, output } = await user.deploy();
  expect(output).not.toContain("Free plan");
  expect([code, user.platform.workers.has("sila")]).toEqual([1, false]);
  expect(await kept()).not.toHaveProperty("plan");
});

test("on the free plan the service is made without what it lacks, and each run says so", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, output } = await user.deploy(MAIL);
  expect(code, output).toBe(0);
  expect(output).toContain("The account is on the Workers Free plan. Off are");
  expect(output).toContain("! MAIL_FROM is set, and not used on the free plan.");
  expect(output).toContain("is well");
  expect(boundTo("sila")).toEqual(expect.arrayContaining(["DB", "KV", "MEDIA", "SILA_KEY"]));
  expect(boundTo("sila")).not.toEqual(expect.arrayContaining(["MAIL"]));
  expect(boundTo("sila")).not.toEqual(expect.arrayContaining(["IMAGES"]));
  expect(user.platform.worker("sila").values.MAIL_FROM).toBe("");

  const doctor = await user.doctor();
  expect(doctor.output).toContain("✓ The account was on the Workers Free plan");
  expect(doctor.output).toContain("✗ MAIL_FROM is set, and the free plan sends no mail.");
  expect(doctor.code).toBe(1);
});

test("once the plan is paid the next run puts everything on", { timeout: TIMEOUT_MS }, async () => {
  user.platform.isFree = false;
  const { code, output } = await user.deploy();
  expect(code, output).toBe(0);
  expect(output).toContain("Workers Paid plan");
  expect(boundTo("sila")).toEqual(expect.arrayContaining(["MAIL", "IMAGES"]));
  expect(user.platform.worker("sila").values.MAIL_FROM).toBe("news@sila.example");
  expect(await kept()).toMatchObject({ plan: "paid" });
});
