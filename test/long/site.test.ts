/** The site's files for programs, served by the deployed bundle: for crawlers, and for language models. */
import { readFile } from "node:fs/promises";
import robotsParser from "robots-parser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryPages, validateXML } from "xmllint-wasm";
import { ROOT } from "../../src/commands/root.ts";
import { freshAddress, type Service, startService } from "../browser/browser-kit.ts";
import { DEMO_PAGES } from "../demo/data.ts";

describe("the site's files", () => {
  // The hook fills it before the first test, and nobody reads it earlier.
  const world = {} as Service;
  let close: Service["close"] | undefined;
  beforeAll(async () => {
    Object.assign(world, await startService());
    close = world.close;
  });
  afterAll(() => close?.());

  const get = (path: string) =>
    fetch(new URL(path, world.origin), {
      redirect: "manual",
      headers: { "CF-Connecting-IP": freshAddress() },
    });

  test("the sitemap is valid by the schema of sitemaps.org and names the demo pages", async () => {
    const contents = await (await get("/sitemap.xml")).text();
    const schema = await readFile(`${ROOT}node_modules/sitemap/schema/sitemap.xsd`, "utf8");
    const { errors } = await validateXML({
      xml: [{ fileName: "sitemap.xml", contents }],
      schema: [{ fileName: "schema.xsd", contents: schema }],
      initialMemoryPages: 64 * memoryPages.MiB,
      maxMemoryPages: memoryPages.GiB,
    });
    expect(errors).toEqual([]);
    for (const { slug, updated_at } of DEMO_PAGES) {
      expect(contents).toContain(
        `<loc>${world.origin}/${slug}</loc><lastmod>${new Date(updated_at).toISOString()}</lastmod>`,
      );
    }
  });

  test("robots.txt allows pages and their files, and no address with side effects", async () => {
    const text = await (await get("/robots.txt")).text();
    const robots = robotsParser(`${world.origin}/robots.txt`, text);
    const isAllowed = (path: string) => robots.isAllowed(world.origin + path, "Googlebot");
    // Some are the beginnings of paths that are not.
    const open = ["/", "/demo", "/healthy-food", "/r", "/press", "/media/x.webp", "/sitemap.xml"];
    const counting = ["/api/analytics/view", "/r/demo/demo-shop", "/p/demo.gif", "/vcard/demo.vcf"];
    const closed = [...counting, "/health", "/health/deep"];
    expect([...open, ...closed].filter(isAllowed)).toEqual(open);
    // Python's urllib.robotparser, which applies the first rule that matches and does not support `$`.
    const rules = [...text.matchAll(/^(Allow|Disallow): (\S+)$/gm)];
    const isAllowedByFirst = (path: string) =>
      rules.find(([, , prefix = ""]) => path.startsWith(prefix))?.[1] !== "Disallow";
    expect([...open, ...counting].filter(isAllowedByFirst)).toEqual(open);
    expect(robots.getSitemaps()).toEqual([`${world.origin}/sitemap.xml`]);
  });

  test("every link in llms.txt leads somewhere, and so does every address of a page", async () => {
    const text = await (await get("/llms.txt")).text();
    const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, link = ""]) => link);
    const shapes = [...text.matchAll(/`(http\S+<slug>\S*)`/g)].map(([, shape = ""]) => shape);
    expect(links.length).toBeGreaterThan(3);
    expect(shapes).toHaveLength(3);
    for (const address of [...links, ...shapes.map((shape) => shape.replace("<slug>", "demo"))]) {
      expect(new URL(address).origin).toBe(world.origin);
      expect([address, (await get(address)).status]).toEqual([address, 200]);
    }
  });
});
