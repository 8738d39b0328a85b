/**
 * `/admin/metrics`: OpenMetrics 1.0.0, by a parser made for this test from the ABNF of the specification
 * (prometheus/OpenMetrics, specification/OpenMetrics.md) and its rules on families, units and suffixes.
 */
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import type { Numbers } from "../../objects/monitor/monitor-book.ts";
import { runCron } from "../../src/cron.ts";
import { dataPoints, METRICS_TYPE, openMetrics } from "../../src/operate/metrics.ts";
import { randomSecret } from "../secret.ts";
import { signIn } from "./hub-kit.ts";
import { call } from "./kit.ts";

const settings = env as {
  OPERATORS: string;
  METRICS_TOKEN?: string;
  METRICS?: AnalyticsEngineDataset;
};
const TOKEN = randomSecret();

beforeAll(() => {
  settings.OPERATORS = "demo-pro";
  settings.METRICS_TOKEN = TOKEN;
});
afterAll(() => {
  settings.OPERATORS = "";
  delete settings.METRICS_TOKEN;
  delete settings.METRICS;
});

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = "[a-zA-Z_][a-zA-Z0-9_]*";
/** `escaped-string`: any character but a quotation mark, backslash and line feed, or an escape. */
const QUOTED = String.raw`"(?:[^"\\\n]|\\["\\n])*"`;
const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:[iI]nf(?:inity)?)|[nN]a[nN]`;
const DESCRIPTOR = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.*)$`);
const SAMPLE = new RegExp(
  `^(${NAME})(\\{(?:${LABEL}=${QUOTED}(?:,${LABEL}=${QUOTED})*)?\\})? (${NUMBER})$`,
);

interface Family {
  type: string;
  samples: Map<string, number>;
}

/** The families of an exposition; throws for what the specification does not allow. */
function parse(text: string): Map<string, Family> {
  const lines = text.split("\n");
  // `exposition = metricset HASH SP eof [ LF ]`
  if (lines.pop() !== "" || lines.pop() !== "# EOF") throw new Error("no EOF");
  const families = new Map<string, Family>();
  let current = "";
  for (const line of lines) {
    const [, what, name = "", value = ""] = DESCRIPTOR.exec(line) ?? [];
    if (what === "TYPE") {
      // Families must not interleave.
      if (families.has(name) || !/^(?:counter|gauge)$/.test(value)) throw new Error(line);
      families.set(name, { type: value, samples: new Map() });
      current = name;
    }
    const family = families.get(current);
    if (family === undefined) throw new Error(`no family: ${line}`);
    if (what === undefined) {
      const [, sample = "", labels = "", number] = SAMPLE.exec(line) ?? [];
      const expected = family.type === "counter" ? `${current}_total` : current;
      if (sample !== expected || family.samples.has(labels)) throw new Error(line);
      family.samples.set(labels, Number(number));
    } else if (name !== current || family.samples.size > 0) throw new Error(`late: ${line}`);
    // The unit must be the last part of the name.
    else if (what === "UNIT" && !name.endsWith(`_${value}`)) throw new Error(line);
  }
  return families;
}

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
  const families = parse(openMetrics(NUMBERS));
  const values = (name: string) => Object.fromEntries(families.get(name)?.samples ?? []);
  expect(values("sila_answers")).toEqual({ '{class="2xx"}': 12, '{class="5xx"}': 1 });
  expect(values("sila_refusals")).toEqual({ '{scope="public"}': 3, '{scope="edge"}': 2 });
  expect(values("sila_failed_probes")).toEqual({ '{component="d1"}': 2 });
  expect(values("sila_probe_seconds")).toEqual({ '{component="d1"}': 0.012 });
  expect(values("sila_flush_delay_seconds")).toEqual({ "": 61.5 });
  expect(values("sila_database_bytes")).toEqual({ "": 4096 });
  expect(values("sila_alerts")).toEqual({ '{kind="probe_d1"}': 1 });
  expect(values("sila_lost_alarms")).toEqual({ "": 6 });
  expect(families.size).toBe(13);
  expect(parse(openMetrics(null)).size).toBe(0);
});

test("data points have the same numbers", () => {
  const points = dataPoints(NUMBERS);
  const samples = [...parse(openMetrics(NUMBERS)).values()].flatMap((one) => [
    ...one.samples.values(),
  ]);
  expect(points.map(({ doubles }) => doubles?.[0])).toEqual(samples);
  // The platform's limits of a point, and of the points of one invocation.
  expect(points.every(({ indexes }) => indexes?.length === 1)).toBe(true);
  expect(points.length).toBeLessThanOrEqual(250);
});

test("the cron measures, and writes data points where Analytics Engine is bound", async () => {
  const points: AnalyticsEngineDataPoint[] = [];
  settings.METRICS = { writeDataPoint: (point) => void points.push(point ?? {}) };
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
  parse(await fine.text());
  expect((await read({ Cookie: await signIn("demo-pro") })).status).toBe(200);
  for (const headers of [
    { Authorization: `Bearer ${TOKEN}x` },
    { Authorization: `Bearer ${TOKEN.slice(1)}` },
    { Authorization: `Basic ${TOKEN}` },
    { Authorization: "Bearer " },
    { Cookie: await signIn("demo-free") },
    {},
  ]) {
    expect((await read(headers)).status).toBe(404);
  }
  // Nobody has to be an operator for it.
  settings.OPERATORS = "";
  expect((await read({ Authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  settings.OPERATORS = "demo-pro";
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
