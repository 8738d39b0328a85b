/** `/admin/metrics`: OpenMetrics 1.0.0 (prometheus/OpenMetrics, specification/OpenMetrics.md). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { MONITOR } from "../../../objects/flush/flush-reports.ts";
import type { Numbers } from "../../../objects/monitor/monitor-book.ts";
import { runCron } from "../../../src/cron.ts";
import { dataPoints, METRICS_TYPE, openMetrics } from "../../../src/operate/metrics.ts";
import { randomSecret } from "../../secret.ts";
import { signIn } from "../kit/hub-kit.ts";
import { call } from "../kit/kit.ts";

const TOKEN = randomSecret();

Object.assign(env, { OPERATORS: "demo-pro", METRICS_TOKEN: TOKEN });

const NUMBERS: Numbers = {
  total: {
    "responses.2xx": 12,
    "responses.5xx": 1,
    "refused.public": 3,
    "refused.edge": 2,
    "code.RATE_LIMITED": 5,
    "alarms.failed": 4,
    "alarms.lost": 6,
    "probe.d1.n": 9,
    "probe.d1.failed": 2,
    "probe.d1.ms": 90,
  },
  last: { "probe.d1.n": 1, "probe.d1.ms": 12, "max.mail": 7, "max.db_bytes": 4096 },
  late: 2,
  delay_ms: 61_500,
  running: ["probe_d1"],
};

test("the exposition is OpenMetrics, with the numbers of the monitor", () => {
  const lines = openMetrics(NUMBERS).split("\n");
  // A family is its type, its unit as the last part of its name, its help and then its samples.
  expect(lines.slice(0, 4)).toEqual([
    "# TYPE sila_answers counter",
    expect.stringMatching(/^# HELP sila_answers ./),
    'sila_answers_total{class="2xx"} 12',
    'sila_answers_total{class="5xx"} 1',
  ]);
  const bytes = lines.indexOf("# TYPE sila_database_bytes gauge");
  expect(lines.slice(bytes + 1, bytes + 4)).toEqual([
    "# UNIT sila_database_bytes bytes",
    expect.stringMatching(/^# HELP sila_database_bytes ./),
    "sila_database_bytes 4096",
  ]);
  const samples = [
    'sila_refusals_total{scope="edge"} 2',
    'sila_failed_probes_total{component="d1"} 2',
    'sila_probe_seconds{component="d1"} 0.012',
    "sila_flush_delay_seconds 61.5",
    'sila_alerts{kind="probe_d1"} 1',
    "sila_lost_alarms_total 6",
  ];
  expect(lines).toEqual(expect.arrayContaining(samples));
  expect(lines.slice(-2)).toEqual(["# EOF", ""]);
  expect(openMetrics(null)).toBe("# EOF\n");
});

test("data points have the same numbers, one of each sample", () => {
  const points = dataPoints(NUMBERS);
  const samples = openMetrics(NUMBERS).match(/^\w.*$/gm) ?? [];
  expect(points.map(({ doubles }) => doubles?.[0])).toEqual(
    samples.map((line) => Number(line.split(" ").at(-1))),
  );
  expect(points.every(({ indexes }) => indexes?.length === 1)).toBe(true);
});

test("the cron measures, and writes data points where Analytics Engine is bound", async () => {
  const points: AnalyticsEngineDataPoint[] = [];
  const writeDataPoint = (point?: AnalyticsEngineDataPoint) => void points.push(point ?? {});
  Object.assign(env, { METRICS: { writeDataPoint } });
  await runCron(env, Date.now());
  const numbers = await env.MONITOR.getByName(MONITOR).numbers();
  expect(numbers?.last).toMatchObject({
    "probe.d1.n": expect.any(Number),
    "probe.d1.failed": 0,
    "probe.hub.failed": 0,
    "probe.objects.failed": 0,
    // Other tests may have sent some.
    "max.mail": expect.any(Number),
  });
  expect(numbers?.last["max.db_bytes"]).toBeGreaterThan(4_096);
  expect(points.map(({ indexes }) => indexes?.[0])).toContain("sila_database_bytes");
});

test("S36: a program with the token reads it, and an operator; to others there is no such path", async () => {
  const read = (headers: Record<string, string>) => call("/admin/metrics", { headers });
  const fine = await read({ Authorization: `Bearer ${TOKEN}` });
  expect([fine.status, fine.headers.get("Content-Type")]).toEqual([200, METRICS_TYPE]);
  expect(fine.headers.get("RateLimit")).toMatch(/^"public";r=59;/);
  expect(await fine.text()).toContain("# EOF");
  expect((await read({ Cookie: await signIn("demo-pro") })).status).toBe(200);
  for (const headers of [
    { Authorization: `Bearer ${TOKEN}x` },
    { Authorization: "Bearer " },
    { Cookie: await signIn("demo-free") },
    {},
  ]) {
    expect((await read(headers)).status).toBe(404);
  }
  // Nobody has to be an operator for it.
  Object.assign(env, { OPERATORS: "" });
  expect((await read({ Authorization: `Bearer ${TOKEN}` })).status).toBe(200);
});

test("the status page is there in both languages, and as JSON, for a minute", async () => {
  const json = await call("/status.json");
  expect(json.status).toBe(200);
  expect(json.headers.get("Cache-Control")).toBe("public, max-age=60");
  const { state, components } = await json.json<{
    state: string;
    components: { state: string }[];
  }>();
  expect(state).toBe("up");
  expect(components.length).toBe(4);
  for (const [path, lang, said] of [
    ["/status/ar", "ar", "كل شيء يعمل"],
    ["/status/en", "en", "Everything works"],
  ] as const) {
    const response = await call(path);
    expect([response.status, response.headers.get("Content-Language")]).toEqual([200, lang]);
    expect(await response.text()).toContain(said);
  }
  expect((await call("/status")).headers.get("Vary")).toContain("Accept-Language");
});
