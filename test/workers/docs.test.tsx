/** `/docs`: everything in the OpenAPI document, in both languages, as valid markup within our CSP. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { ERRORS, type ErrorCode } from "../../src/http/api-error.ts";
import {
  EDGE_LIMIT_PER_MINUTE,
  LIMITS_PER_MINUTE,
  type Scope,
  scopeOf,
} from "../../src/http/limits.ts";
import { constraintsOf } from "../../src/site/docs/docs-constraints.ts";
import { DocsPage, docsPage } from "../../src/site/docs/docs-page.tsx";
import { characters, SCOPES, STATUSES } from "../../src/site/docs/docs-texts.ts";
import { dereference } from "../../src/site/openapi/dereference.ts";
import { openApiDocument } from "../../src/site/openapi/document.ts";
import { outline, SHAPES } from "../../src/site/openapi/outline.ts";
import { Document, Schema } from "../../src/site/openapi/shape.ts";
import { call, errorOf, freshPage, ORIGIN, pageObject } from "./kit.ts";

const FILES = [
  ["/docs", "text/html; charset=utf-8"],
  ["/openapi.json", "application/json; charset=utf-8"],
] as const;

let html: string;

beforeAll(async () => {
  html = await (await call("/docs")).text();
});

/** The visible text of markup, without tags and entities. */
function textOf(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");
}

/** Texts of the document as the page shows them. */
function shown(words: string): string {
  return words.replaceAll("`", "");
}

/** The markup of one operation. */
function articleOf(id: string): string {
  const start = html.indexOf(`<article class="operation" id="${id}">`);
  expect(start, id).toBeGreaterThan(0);
  return html.slice(start, html.indexOf("</article>", start));
}

function samples(): string[] {
  return [...html.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, code = ""]) => textOf(code));
}

const { paths, tags, components } = Document.parse(
  dereference(openApiDocument(), openApiDocument(), SHAPES),
);
const OPERATIONS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    path,
    method: method.toUpperCase(),
  })),
);

describe.for(FILES)("%s", ([path, type]) => {
  test("is 200 with its type and a strong ETag, cacheable for minutes", async () => {
    const { status, headers } = await call(path);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe(type);
    expect(headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
    expect(headers.get("Cache-Control")).toBe("public, max-age=300");
  });

  test("answers 304 to a matching If-None-Match, and HEAD with headers only", async () => {
    const etag = (await call(path)).headers.get("ETag") ?? "";
    const again = await call(path, { headers: { "If-None-Match": etag } });
    expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, etag, ""]);
    const head = await call(path, { method: "HEAD" });
    expect([head.status, head.headers.get("ETag"), await head.text()]).toEqual([200, etag, ""]);
  });

  test("answers OPTIONS with its methods, and the others with 405", async () => {
    const options = await call(path, { method: "OPTIONS" });
    expect([options.status, options.headers.get("Allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    const refused = await call(path, { method: "POST" });
    expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect((await errorOf(refused)).code).toBe("METHOD_NOT_ALLOWED");
  });
});

describe.for(OPERATIONS)("$method $path on the page", (operation) => {
  test("is there by its id, with method and path, and in the contents", () => {
    const text = textOf(articleOf(operation.operationId));
    expect(text.startsWith(`${operation.method} ${operation.path}`)).toBe(true);
    const links = html.split(`href="#${operation.operationId}"`).length - 1;
    // Once for phones and once for wide screens; the style sheet shows one of the two.
    expect(links).toBe(2);
  });

  test("is described in both languages, each with its lang", () => {
    const article = articleOf(operation.operationId);
    const in_language = (lang: string, dir: string) =>
      [
        ...article.matchAll(new RegExp(`<(span|p) lang="${lang}" dir="${dir}">(.*?)</\\1>`, "gs")),
      ].map(([, , words = ""]) => textOf(words));
    expect(in_language("ar", "rtl")).toEqual(
      expect.arrayContaining([
        shown(operation["x-summary-ar"]),
        shown(operation["x-description-ar"]),
      ]),
    );
    expect(in_language("en", "ltr")).toEqual(
      expect.arrayContaining([shown(operation.summary), shown(operation.description)]),
    );
  });

  test("names every status, and every error by its code, which leads to its messages", () => {
    const article = articleOf(operation.operationId);
    const text = textOf(article);
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      expect(article).toContain(`<code class="status" dir="ltr">${status}</code>`);
      if (Number(status) < 400) {
        expect(STATUSES[status], "has no name in Arabic").toBeDefined();
        expect(text).toContain(shown(description));
        for (const type of Object.keys(content)) expect(text).toContain(type);
        continue;
      }
      for (const code of codesIn(content)) {
        expect(text).toContain(code);
        expect(article).toContain(`href="#${code}"`);
      }
    }
  });

  test("names every parameter, header and member with its constraints", () => {
    const article = articleOf(operation.operationId);
    const { parameters, requestBody, responses } = operation;
    const asked = [
      ...parameters.map(({ name, required, schema }) => ({ name, required, schema })),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => membersOf(schema)),
    ];
    for (const { name, required, schema } of asked) {
      const entries = entriesOf(article, name);
      expect(
        entries.some((text) => says(text, { required, schema })),
        `${name}: ${entries}`,
      ).toBe(true);
    }
    const documented = Object.values(responses).flatMap(({ headers, content }) => [
      ...Object.keys(headers),
      ...Object.values(content).flatMap(({ schema }) => leavesOf(schema)),
    ]);
    for (const name of documented) expect(textOf(article)).toContain(name);
  });
});

/** What the page says of each field with this name in a part of it. */
function entriesOf(part: string, name: string): string[] {
  const [, ...entries] = part.split(`<code class="name" dir="ltr">${name}</code>`);
  return entries.map((entry) => textOf(entry.split("</dd>")[0] ?? ""));
}

function typesOf({ type = [], anyOf = [], "x-shape": shape }: Schema): string[] {
  return shape === undefined ? [...[type].flat(), ...anyOf.flatMap(typesOf)] : [shape];
}

function says(text: string, { required, schema }: Omit<Member, "name">): boolean {
  const { maxLength, enum: values = [] } = schema;
  const words = [
    ...typesOf(schema),
    ...(maxLength === undefined ? [] : [characters(maxLength).ar]),
    ...values.map(String),
  ];
  return (
    text.includes("إلزامي required") === required && words.every((word) => text.includes(word))
  );
}

function codesIn(content: Record<string, { schema: Schema }>): ErrorCode[] {
  const schemas = Object.values(content).flatMap(({ schema }) => schema.anyOf ?? [schema]);
  return schemas.flatMap(({ properties }) => {
    const code = Object.keys(ERRORS).find(
      (key): key is ErrorCode => key === properties?.code?.const,
    );
    return code === undefined ? [] : [code];
  });
}

/**
 * The members of an object and their members, or those of each alternative of a union. An object
 * without a description is shown by its members only.
 */
function membersOf({ properties = {}, required, anyOf = [] }: Schema, prefix = ""): Member[] {
  const own = Object.entries(properties).flatMap(([key, schema]) => {
    const name = prefix + key;
    const inside = membersOf(schema, `${name}.`);
    const itself = { name, required: required.includes(key), schema };
    return inside.length > 0 && schema.description === undefined ? inside : [itself, ...inside];
  });
  return [...own, ...anyOf.flatMap((one) => membersOf(one, prefix))];
}

interface Member {
  name: string;
  required: boolean;
  schema: Schema;
}

/** Member names outside of the error envelope, which has a chapter of its own. */
function leavesOf(schema: Schema): string[] {
  if (codesIn({ one: { schema } }).length > 0) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    member.properties === undefined ? [name] : leavesOf(member).map((leaf) => `${name}.${leaf}`),
  );
}

describe.for(SHAPES)("%s on the page", (name) => {
  test("is there by its name, with every member and its constraints", () => {
    const article = articleOf(name);
    for (const { name: member, ...about } of membersOf(components.schemas[name] ?? NOTHING)) {
      const entries = entriesOf(article, member);
      expect(
        entries.some((text) => says(text, about)),
        `${member}: ${entries}`,
      ).toBe(true);
    }
  });
});

const NOTHING = Schema.parse({});

test("the headers of several answers are described once", () => {
  const article = articleOf("headers");
  for (const [name, { description, schema }] of Object.entries(components.headers)) {
    expect(entriesOf(article, name)).toHaveLength(1);
    expect(entriesOf(article, name)[0]).toContain(shown(description ?? ""));
    expect(says(entriesOf(article, name)[0] ?? "", { required: false, schema })).toBe(true);
  }
});

describe("the page", () => {
  test("has every tag as a chapter, in the document's order", () => {
    const chapters = [...html.matchAll(/<section class="chapter" id="([^"]+)">/g)].map(
      ([, id]) => id,
    );
    expect(chapters).toEqual([
      "start",
      "errors",
      "limits",
      ...tags.map(({ name }) => name),
      "shapes",
    ]);
    expect(html.split("<article").length - 1).toBe(OPERATIONS.length + SHAPES.length + 1);
  });

  test("knows every keyword that the document's schemas use", () => {
    // Left out for readers: unknown members are ignored or absent, which a sentence says.
    const unsaid = ["additionalProperties"];
    const known = [...Object.keys(Schema.shape), ...unsaid];
    const unknown = new Set<string>();
    const walk = (schema: object): void => {
      for (const [keyword, value] of Object.entries(schema)) {
        if (!known.includes(keyword)) unknown.add(keyword);
        if (keyword === "properties") Object.values<object>(value).forEach(walk);
        if (keyword === "items") walk(value);
        if (keyword === "anyOf") (value as object[]).forEach(walk);
      }
    };
    JSON.parse(JSON.stringify(dereference(openApiDocument())), (key, value) => {
      if (key === "schema") walk(value);
      return value;
    });
    expect([...unknown]).toEqual([]);
  });

  test("S8: has no script, no style and no handler in its markup", () => {
    expect(html).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=|javascript:|data:/i);
  });

  test("names each id once, and every link within it leads somewhere", () => {
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id);
  });

  test("skips no heading level", () => {
    const levels = [...html.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [i, level] of levels.entries()) {
      expect(level).toBeLessThanOrEqual((levels[i - 1] ?? 0) + 1);
    }
  });

  test("shows no backtick: text between two is code, from left to right", () => {
    expect(textOf(html)).not.toContain("`");
    expect(html).toContain('<code class="term" dir="ltr">link_id</code>');
  });

  test("S12: escapes every text of the document", () => {
    const clean = outline();
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const poison = `<img src=x onerror=alert(1)>"'&\`</code>${text}`;
        const whole = structuredClone(clean);
        const words = { ar: poison, en: poison };
        for (const tag of whole.tags) {
          tag.words = words;
          for (const operation of tag.operations) {
            Object.assign(operation, { summary: words, description: words, path: poison });
            for (const field of operation.body?.fields ?? []) field.description = words;
            for (const answer of operation.answers) answer.description = poison;
          }
        }
        const page = (<DocsPage outline={whole} origin={ORIGIN} />).toString();
        expect(page).not.toContain("<img");
        expect(page.split("<code").length).toBe(page.split("</code>").length);
      }),
      { numRuns: 20 },
    );
  }, 20_000);

  test("has the requested host, and is made once per host", () => {
    const other = docsPage("https://other.example");
    expect(other).toContain("curl -i https://other.example/api/analytics/view");
    expect(other).not.toContain(ORIGIN);
    expect(docsPage(ORIGIN)).toBe(html);
    expect(docsPage(ORIGIN)).toContain(`<link rel="canonical" href="${ORIGIN}/docs"/>`);
  });
});

describe("its introduction", () => {
  test("shows a request that works, and the answer it gets", async () => {
    const links = [{ link_id: "demo-shop", label: "المتجر", url: "https://shop.example/" }];
    await freshPage({ page_id: "demo", slug: "demo", links });
    const [request = "", answer = ""] = samples();
    const [, url = ""] = /curl -i (\S+)/.exec(request) ?? [];
    const [, body = ""] = /-d '(.*)'/.exec(request) ?? [];
    const response = await call(url, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", "User-Agent": "curl/8.14.1" },
    });
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${response.status} `));
    for (const name of ["X-Beacon-Outcome", "RateLimit-Policy", "RateLimit"]) {
      expect(answer).toContain(`\n${name}: ${response.headers.get(name)}\n`);
    }
    expect(answer.endsWith(`\n\n${await response.text()}`)).toBe(true);
    // As the text above the request says: not counted as human.
    expect(await pageObject("demo").totals()).toMatchObject([
      { kind: "click", link_id: "demo-shop", class: "bot", accepted: 1 },
    ]);
  });

  test("shows a real error envelope", async () => {
    const { page_id } = await freshPage();
    const body = JSON.stringify({ page_id, link_id: "nobody" });
    const real = await errorOf(await call("/api/analytics/view", { method: "POST", body }));
    const example = JSON.parse(samples()[2] ?? "");
    expect(example).toEqual({ ...real, details: { request_id: expect.any(String) } });
    expect(Object.keys(example)).toEqual(Object.keys(real));
    // The full stop belongs to the Arabic sentence, not to the code inside it.
    expect(html).toContain(`<bdi lang="ar">${real.error}</bdi>`);
  });

  test("lists every code there is, with its status, its messages and its details", () => {
    const chapter = html.slice(html.indexOf('id="errors"'), html.indexOf('id="limits"'));
    for (const [code, { status, ar, en }] of Object.entries(ERRORS)) {
      const entry = textOf(`<${chapter.split(`id="${code}"`)[1]?.split("<li")[0]}`);
      for (const words of [`${status} ${code}`, ar, en]) expect(entry).toContain(words);
    }
    expect(textOf(chapter)).toContain("scope limit window_s retry_after_s");
  });

  test("lists every scope with its number in both scripts, and routes that are in it", () => {
    const table = /<table.*<\/table>/s.exec(html)?.[0] ?? "";
    const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([row]) => textOf(row));
    expect(rows).toHaveLength(Object.keys(LIMITS_PER_MINUTE).length + 1);
    for (const [scope, limit] of Object.entries(LIMITS_PER_MINUTE) as [Scope, number][]) {
      const arabic = limit.toLocaleString("ar-u-nu-arab");
      const row = rows.find((text) => text.startsWith(`${scope}${arabic} ${limit}`));
      expect(row, scope).toBeDefined();
      for (const path of SCOPES[scope].paths) {
        expect(row).toContain(path);
        expect(scopeOf(path.replace("*", ""))).toBe(scope);
      }
    }
    expect(rows.some((text) => text.startsWith(`edge٦٠ ${EDGE_LIMIT_PER_MINUTE}`))).toBe(true);
  });
});

describe("numbers in Arabic", () => {
  test.for([
    [1, "حرف واحد"],
    [2, "حرفين"],
    [3, "٣ أحرف"],
    [10, "١٠ أحرف"],
    [11, "١١ حرفًا"],
    [64, "٦٤ حرفًا"],
    [99, "٩٩ حرفًا"],
    [100, "١٠٠ حرف"],
    [103, "١٠٣ أحرف"],
    [2_048, "٢٬٠٤٨ حرفًا"],
    [8_000, "٨٬٠٠٠ حرف"],
  ] as const)("agree with what they count: %i", ([n, words]) => {
    expect(characters(n).ar).toBe(words);
  });

  test("state the constraints of a schema", () => {
    const constraints = (keywords: object) =>
      constraintsOf(Schema.parse(keywords)).map(({ words, values }) =>
        [words.ar, words.en, ...values].join(" | "),
      );
    expect(constraints({ minLength: 1, maxLength: 64 })).toEqual([
      "من ١ إلى ٦٤ حرفًا | 1 to 64 characters",
    ]);
    expect(constraints({ minLength: 1 })).toEqual(["غير فارغ | not empty"]);
    expect(constraints({ minLength: 2 })).toEqual(["لا يقل عن حرفين | at least 2 characters"]);
    expect(constraints({ minimum: 1, maximum: 60 })).toEqual(["من ١ إلى ٦٠ | 1 to 60"]);
    expect(constraints({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toEqual([
      "لا يقل عن ٠ | at least 0",
    ]);
    expect(
      constraints({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    ).toEqual([]);
    expect(constraints({ enum: ["a", "b"], default: "a" })).toEqual([
      "إحدى القيم | one of | a | b",
      "الافتراضي | default | a",
    ]);
    expect(constraints({ const: false })).toEqual(["دائمًا | always | false"]);
    expect(constraints({ default: "" })).toEqual([]);
  });
});
