/**
 * The site's files for programs, served by the deployed bundle and judged by others' tools: the schema
 * and a parser of sitemaps, robots.txt parsers, and the layout of llmstxt.org.
 */
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import robotsParser from "robots-parser";
import { ErrorLevel, XMLToSitemapIndexStream } from "sitemap";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { memoryPages, validateXML } from "xmllint-wasm";
import { freshAddress, type Service, startService } from "../browser/browser-kit.ts";
import { DEMO_PAGES } from "../demo/data.ts";
import { EMPTY_DOCUMENT } from "../plain-page.ts";
import { ROOT } from "../server/bundle.ts";
import { judgeLlmsTxt } from "./llms-judge.ts";

/** More than the 50,000 addresses of one file. */
const MANY_PAGES = 50_001;
/** Linux's unit of CPU time, in milliseconds. */
const TICK_MS = 10;

const URLSET_XSD = `${ROOT}node_modules/sitemap/schema/sitemap.xsd`;

/** xmllint's findings for a sitemap file; without a schema, only about XML. */
async function lint(contents: Uint8Array, schema?: string): Promise<string[]> {
  const judged =
    schema === undefined
      ? { normalization: "c14n" as const }
      : { schema: [{ fileName: "schema.xsd", contents: schema }] };
  const { errors } = await validateXML({
    xml: [{ fileName: "sitemap.xml", contents }],
    initialMemoryPages: 64 * memoryPages.MiB,
    maxMemoryPages: memoryPages.GiB,
    ...judged,
  });
  return errors.map(({ message }) => message);
}

/** The files of an index. Rejects at the first element that does not belong there. */
async function readIndex(xml: string): Promise<string[]> {
  const files: string[] = [];
  const parser = new XMLToSitemapIndexStream({ level: ErrorLevel.THROW, logger: false });
  for await (const { url } of Readable.from([xml]).pipe(parser)) files.push(url);
  return files;
}

/** CPU time of a process, in milliseconds. */
async function cpu_ms(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // After the name, which may have spaces: user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

describe("the site's files", () => {
  // The hook fills it before the first test, and nobody reads it earlier.
  const world = {} as Service;
  let close: Service["close"] | undefined;
  beforeAll(async () => {
    Object.assign(world, await startService());
    close = world.close;
  });
  afterAll(() => close?.());

  const get = (path: string, origin = world.origin) =>
    fetch(new URL(path, origin), {
      redirect: "manual",
      headers: { "CF-Connecting-IP": freshAddress() },
    });

  describe("the sitemap", () => {
    test("is valid by the schema of sitemaps.org and names the demo pages", async () => {
      const bytes = new Uint8Array(await (await get("/sitemap.xml")).arrayBuffer());
      expect(await lint(bytes, await readFile(URLSET_XSD, "utf8"))).toEqual([]);
      const text = new TextDecoder().decode(bytes);
      for (const { slug, updated_at } of DEMO_PAGES) {
        expect(text).toContain(
          `<loc>${world.origin}/${slug}</loc><lastmod>${new Date(updated_at).toISOString()}</lastmod>`,
        );
      }
    });

    test("is an index of valid files past 50,000 addresses, made within the CPU limit", async () => {
      const db = await world.server.db();
      await db
        .prepare(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
           INSERT INTO pages (page_id, slug, status, version, save_id, document, created_at, updated_at)
           SELECT 'many-' || i, 'صفحة-' || i, 'published', 1, '', ?3, 0, ?2 + i FROM n`,
        )
        .bind(MANY_PAGES, Date.UTC(2026, 9, 4), EMPTY_DOCUMENT)
        .run();
      // Another name of this machine, for which nothing is cached.
      const origin = `http://localhost:${world.server.url.port}`;
      const index = await (await get("/sitemap.xml", origin)).text();
      expect(await lint(new TextEncoder().encode(index))).toEqual([]);
      const files = await readIndex(index);
      expect(files).toEqual([`${origin}/sitemaps/1.xml`, `${origin}/sitemaps/2.xml`]);

      const pid = world.server.workerd.pid();
      const schema = await readFile(URLSET_XSD, "utf8");
      const places = new Set<string>();
      for (const file of files) {
        const before_ms = process.platform === "linux" ? await cpu_ms(pid) : 0;
        const response = await get(file);
        const bytes = new Uint8Array(await response.arrayBuffer());
        const used_ms = process.platform === "linux" ? (await cpu_ms(pid)) - before_ms : 0;
        // More than a Worker's limit counts: D1 and the cache run in the same process here.
        const { limits } = unstable_readConfig({ config: `${ROOT}wrangler.toml` });
        expect(used_ms).toBeLessThan(limits?.cpu_ms ?? 0);
        expect(bytes.byteLength).toBeLessThan(50 * 2 ** 20);
        expect(await lint(bytes, schema)).toEqual([]);
        for (const [, place = ""] of new TextDecoder().decode(bytes).matchAll(/<loc>(.*?)<\/loc>/g))
          places.add(place);
      }
      expect(places.size).toBe(1 + DEMO_PAGES.length + MANY_PAGES);
      for (const place of [...places].slice(0, 3)) expect((await get(place)).status).toBe(200);
    });

    test("is judged by tools that find errors in a broken one", async () => {
      const schema = await readFile(URLSET_XSD, "utf8");
      const wrong = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>';
      expect(await lint(new TextEncoder().encode(wrong), schema)).not.toEqual([]);
      expect(await lint(new TextEncoder().encode("<urlset><url>"))).not.toEqual([]);
      await expect(readIndex("<sitemapindex><sitemap><x>1</x></sitemap>")).rejects.toThrow();
    });
  });

  test("robots.txt allows pages and their files, and no address with side effects", async () => {
    const text = await (await get("/robots.txt")).text();
    const robots = robotsParser(`${world.origin}/robots.txt`, text);
    const isAllowed = (path: string) => robots.isAllowed(world.origin + path, "Googlebot");
    const { avatar } = DEMO_PAGES[0] ?? {};
    for (const path of [
      "/",
      "/demo",
      `/${encodeURIComponent("ليلى")}`,
      "/healthy-food",
      "/r",
      "/press",
      `/media/${avatar}`,
      "/assets/bio.css",
      "/sitemap.xml",
      "/sitemaps/1.xml",
      "/llms.txt",
      "/openapi.json",
      "/docs",
      "/manifest.json",
    ]) {
      expect([path, isAllowed(path)]).toEqual([path, true]);
    }
    for (const path of [
      "/api/analytics/view",
      "/r/demo/demo-shop",
      "/p/demo.gif",
      "/vcard/demo.vcf?v=3",
      "/health",
      "/health/deep",
    ]) {
      expect([path, isAllowed(path)]).toEqual([path, false]);
    }
    // Python's urllib.robotparser, which applies the first rule that matches and does not support `$`.
    const rules = [...text.matchAll(/^(Allow|Disallow): (\S+)$/gm)];
    const isAllowedByFirst = (path: string) =>
      rules.find(([, , prefix = ""]) => path.startsWith(prefix))?.[1] !== "Disallow";
    expect(["/", "/demo", "/media/x.webp", "/docs"].filter(isAllowedByFirst)).toHaveLength(4);
    const counting = ["/api/analytics/view", "/r/demo/demo-shop", "/p/demo.gif", "/vcard/demo.vcf"];
    expect(counting.filter(isAllowedByFirst)).toEqual([]);
    expect(robots.getSitemaps()).toEqual([`${world.origin}/sitemap.xml`]);
  });

  describe("llms.txt", () => {
    test("has the layout of llmstxt.org, and every link in it leads somewhere", async () => {
      const { links, faults } = judgeLlmsTxt(await (await get("/llms.txt")).text());
      expect(faults).toEqual([]);
      expect(new Set(links.map(({ section }) => section))).toEqual(
        new Set(["Interface", "Site", "Optional"]),
      );
      for (const { url } of links) {
        expect(new URL(url).origin).toBe(world.origin);
        expect([url, (await get(url)).status]).toEqual([url, 200]);
      }
    });

    test("names existing addresses of pages and contact cards", async () => {
      const text = await (await get("/llms.txt")).text();
      const shapes = [...text.matchAll(/`(http\S+<slug>\S*)`/g)].map(([, shape = ""]) => shape);
      expect(shapes).toHaveLength(3);
      for (const shape of shapes) {
        const address = shape.replace("<slug>", "demo");
        expect([address, (await get(address)).status]).toEqual([address, 200]);
      }
    });

    test("is in Arabic and English", async () => {
      const text = await (await get("/llms.txt")).text();
      expect(text.split("\n").filter((line) => /^\p{Script=Arabic}/u.test(line))).toHaveLength(1);
    });
  });
});
