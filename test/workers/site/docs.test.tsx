/** `/docs`: everything in the OpenAPI document, in either language, as valid markup within our CSP. */
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { REFERRER_CHARS_MAX } from "../../../src/counting/limits.ts";
import { ERRORS, type ErrorCode } from "../../../src/http/api-error.ts";
import {
  EDGE_LIMIT_PER_MINUTE,
  LIMITS_PER_MINUTE,
  type Scope,
  scopeOf,
} from "../../../src/http/limits.ts";
import { constraintsOf } from "../../../src/site/docs/docs-constraints.ts";
import { DocsPage } from "../../../src/site/docs/docs-page.tsx";
import { characters, DOCS_TEXTS, SCOPES, STATUSES } from "../../../src/site/docs/docs-texts.ts";
import { dereference } from "../../../src/site/openapi/dereference.ts";
import { openApiDocument } from "../../../src/site/openapi/openapi-document.ts";
import { outline, SHAPES } from "../../../src/site/openapi/outline.ts";
import { Document, Schema } from "../../../src/site/openapi/shape.ts";
import { LOCALES, type Locale } from "../../../src/views/locale.ts";
import { call, errorOf, freshAddress, freshPage, ORIGIN, pageObject } from "../kit/kit.ts";

/** The page by its language. */
const pages = { ar: "", en: "" };

beforeAll(async () => {
  for (const locale of LOCALES) pages[locale] = await (await call(`/docs/${locale}`)).text();
});

/** The visible text of markup, without tags and entities. */
function textOf(markup: string): string {
  const text = markup
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">");
  return text
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");
}

/** Texts of the document as the page shows them. */
function shown(words: string): string {
  return words.replaceAll("`", "");
}

/** The markup of one operation or schema. */
function articleOf(locale: Locale, id: string): string {
  const html = pages[locale];
  const start = html.indexOf(`<article class="operation" id="${id}">`);
  expect(start, id).toBeGreaterThan(0);
  return html.slice(start, html.indexOf("</article>", start));
}

function samples(locale: Locale): string[] {
  return [...pages[locale].matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, code = ""]) =>
    textOf(code),
  );
}

const { paths, webhooks, tags, components } = Document.parse(
  dereference(openApiDocument(), openApiDocument(), SHAPES),
);
type Operation = (typeof OPERATIONS)[number];
const OPERATIONS = Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    path,
    method: method.toUpperCase(),
  })),
);

describe.for(LOCALES)("each operation on the page in %s", (locale) => {
  /** What `of` says is missing of an operation, by its name: the page lacks nothing. */
  function expectNothingMissing(of: (operation: Operation, article: string) => string[]): void {
    const missing = OPERATIONS.flatMap((operation) => {
      const { method, path, operationId } = operation;
      const lacks = of(operation, articleOf(locale, operationId));
      return lacks.map((what) => `${method} ${path}: ${what}`);
    });
    expect(missing).toEqual([]);
  }

  test("is there by its id, with method and path, and in the contents", () => {
    expectNothingMissing(({ method, path, operationId }, article) => {
      const links = pages[locale].split(`href="#${operationId}"`).length - 1;
      return [
        ...(textOf(article).startsWith(`${method} ${path}`) ? [] : ["its title"]),
        // Once for phones and once for wide screens; the style sheet shows one of the two.
        ...(links === 2 ? [] : [`${links} links`]),
      ];
    });
  });

  test("is described in this language and not in the other", () => {
    expectNothingMissing((operation, article) => {
      const words = {
        ar: [operation["x-summary-ar"], operation["x-description-ar"]],
        en: [operation.summary, operation.description],
      };
      const [, foreign = ""] = words[locale === "ar" ? "en" : "ar"];
      expect(textOf(article)).not.toContain(shown(foreign));
      return words[locale].filter((own) => !textOf(article).includes(shown(own)));
    });
  });

  test("names every status, and every error by its code, which leads to its message", () => {
    expectNothingMissing(({ responses }, article) => {
      const text = textOf(article);
      return Object.entries(responses).flatMap(([status, { description, content }]) => {
        const markup = [`<code class="status" dir="ltr">${status}</code>`];
        const isSuccess = Number(status) < 400;
        if (!isSuccess) {
          const codes = codesIn(content);
          markup.push(...codes, ...codes.map((code) => `href="#${code}"`));
          return markup.filter((part) => !article.includes(part));
        }
        expect(STATUSES[status], "has no name in Arabic").toBeDefined();
        expect(text.includes(STATUSES[status] ?? "")).toBe(locale === "ar");
        const words = [shown(description), ...Object.keys(content)];
        return [
          ...markup.filter((part) => !article.includes(part)),
          ...words.filter((part) => !text.includes(part)),
        ];
      });
    });
  });

  test("names every parameter, header and member", () => {
    expectNothingMissing(({ parameters, requestBody, responses }, article) => {
      const text = textOf(article);
      const documented = [
        ...parameters.map(({ name }) => name),
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => membersOf(schema)),
        ...Object.values(responses).flatMap(({ headers, content }) => [
          ...Object.keys(headers),
          ...Object.values(content).flatMap(({ schema }) => leavesOf(schema)),
        ]),
      ];
      return documented.filter((name) => !text.includes(name));
    });
  });

  test("says of a member its type, its constraints and whether it is required", () => {
    const entry = (name: string) => entriesOf(articleOf(locale, "recordEvent"), name)[0];
    const required = DOCS_TEXTS.required[locale];
    expect(entry("page_id")).toMatch(new RegExp(`string.*${required}`));
    expect(entry("referrer")).toContain(characters(REFERRER_CHARS_MAX)[locale]);
    expect(entry("referrer")).not.toContain(required);
  });
});

/** What the page says of each field with this name in a part of it. */
function entriesOf(part: string, name: string): string[] {
  const [, ...entries] = part.split(`<code class="name" dir="ltr">${name}</code>`);
  return entries.map((entry) => textOf(entry.split("</dd>")[0] ?? ""));
}

function codesIn(content: Record<string, { schema: Schema }>): ErrorCode[] {
  const schemas = Object.values(content).flatMap(({ schema }) => schema.anyOf ?? [schema]);
  return schemas.flatMap(({ properties }) => {
    const code = String(properties?.code?.const);
    return code in ERRORS ? [code as ErrorCode] : [];
  });
}

/**
 * The names of the members of an object and of their members, or those of each alternative of a
 * union. An object without a description is shown by its members only.
 */
function membersOf({ properties = {}, anyOf = [] }: Schema, prefix = ""): string[] {
  const own = Object.entries(properties).flatMap(([key, schema]) => {
    const name = prefix + key;
    const inside = membersOf(schema, `${name}.`);
    return inside.length > 0 && schema.description === undefined ? inside : [name, ...inside];
  });
  return [...own, ...anyOf.flatMap((one) => membersOf(one, prefix))];
}

/** Member names outside of the error envelope, which has a chapter of its own. */
function leavesOf(schema: Schema): string[] {
  if (codesIn({ one: { schema } }).length > 0) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    member.properties === undefined ? [name] : leavesOf(member).map((leaf) => `${name}.${leaf}`),
  );
}

describe.for(LOCALES)("in %s", (locale) => {
  test.for(SHAPES)("%s is there by its name, with every member", (name) => {
    const text = textOf(articleOf(locale, name));
    const members = membersOf(components.schemas[name] ?? NOTHING);
    expect(members.filter((member) => !text.includes(member))).toEqual([]);
  });

  test("the headers of several answers are described once", () => {
    const article = articleOf(locale, "headers");
    for (const [name, header] of Object.entries(components.headers)) {
      const description = locale === "ar" ? header["x-description-ar"] : header.description;
      expect(entriesOf(article, name)).toEqual([expect.stringContaining(shown(description ?? ""))]);
    }
  });
});

const NOTHING = Schema.parse({});

describe.for(LOCALES)("the page in %s", (locale) => {
  const html = () => pages[locale];

  test("has every tag as a chapter, in the document's order", () => {
    const chapters = [...html().matchAll(/<section class="chapter" id="([^"]+)">/g)].map(
      ([, id]) => id,
    );
    const names = tags.map(({ name }) => name);
    expect(chapters).toEqual(["start", "errors", "limits", ...names, "shapes"]);
    expect(html().split("<article").length - 1).toBe(OPERATIONS.length + SHAPES.length + 1);
  });

  test("S8: has no script, no style and no handler in its markup", () => {
    expect(html()).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=|javascript:|data:/i);
  });

  test("has a place for every link within it", () => {
    const ids = [...html().matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    for (const [, id] of html().matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id);
  });

  test("shows no backtick: text between two is code, from left to right", () => {
    expect(textOf(html())).not.toContain("`");
    expect(html()).toContain('<code class="term" dir="ltr">link_id</code>');
  });

  test("S12: escapes every text of the document", () => {
    const poison = `<img src=x onerror=alert(1)>"'&\`</code>`;
    const whole = structuredClone(outline());
    const words = { ar: poison, en: poison };
    for (const tag of whole.tags) {
      tag.words = words;
      for (const operation of tag.operations) {
        Object.assign(operation, { summary: words, description: words, path: poison });
        for (const field of operation.body?.fields ?? []) field.description = words;
        for (const answer of operation.answers) answer.description = poison;
      }
    }
    const page = (<DocsPage outline={whole} origin={ORIGIN} locale={locale} />).toString();
    expect(page).not.toContain("<img");
    expect(page.split("<code").length).toBe(page.split("</code>").length);
  });

  test("has the requested host", async () => {
    const page = async (origin: string) => {
      const headers = { "CF-Connecting-IP": freshAddress() };
      const response = await exports.default.fetch(`${origin}/docs/${locale}`, { headers });
      return response.text();
    };
    const other = await page("https://other.example");
    expect(other).toContain("curl -i https://other.example/api/analytics/view");
    expect(other).not.toContain(ORIGIN);
    expect(await page(ORIGIN)).toBe(html());
    expect(html()).toContain(`<link rel="canonical" href="${ORIGIN}/docs/${locale}"/>`);
  });

  test("leads to itself in the other language, and names both to search engines", () => {
    const other = locale === "ar" ? "en" : "ar";
    expect(html()).toMatch(new RegExp(`^<!DOCTYPE html><html lang="${locale}"`));
    expect(html()).toContain(`<a class="other" href="/docs/${other}" lang="${other}"`);
    for (const one of LOCALES) {
      expect(html()).toContain(`hreflang="${one}" href="${ORIGIN}/docs/${one}"/>`);
    }
  });
});

test("the page is in the reader's language where its address names none", async () => {
  for (const [accepted, locale] of [
    ["en-GB,en;q=0.9,ar;q=0.5", "en"],
    ["ar-EG", "ar"],
    ["fr", "ar"],
  ] as const) {
    const response = await call("/docs", { headers: { "Accept-Language": accepted } });
    expect(response.headers.get("Vary")).toBe("Accept-Language");
    expect(response.headers.get("Content-Language")).toBe(locale);
    expect(await response.text()).toBe(pages[locale]);
  }
});

test("the page knows every keyword that the document's schemas use", () => {
  // Left out for readers: unknown members are ignored or absent, which a sentence says.
  const known = [...Object.keys(Schema.shape), "additionalProperties"];
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

describe("its introduction", () => {
  test("shows a request that works, and the answer it gets", async () => {
    const links = [{ link_id: "demo-shop", label: "المتجر", url: "https://shop.example/" }];
    await freshPage({ page_id: "demo", slug: "demo", links });
    const [request = "", answer = ""] = samples("en");
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
    const example = JSON.parse(samples("en")[2] ?? "");
    expect(example).toEqual({ ...real, details: { request_id: expect.any(String) } });
    expect(Object.keys(example)).toEqual(Object.keys(real));
    // The full stop belongs to the Arabic sentence, not to the code inside it.
    expect(pages.en).toContain(`<bdi lang="ar">${real.error}</bdi>`);
  });

  test.for(LOCALES)(
    "lists every code there is in %s, with its status, its message and its details",
    (locale) => {
      const html = pages[locale];
      const chapter = html.slice(html.indexOf('id="errors"'), html.indexOf('id="limits"'));
      for (const [code, { status, ...messages }] of Object.entries(ERRORS)) {
        const entry = textOf(`<${chapter.split(`id="${code}"`)[1]?.split("<li")[0]}`);
        for (const words of [`${status} ${code}`, messages[locale]]) expect(entry).toContain(words);
      }
      expect(textOf(chapter)).toContain("scope limit window_s retry_after_s");
    },
  );

  test.for(LOCALES)(
    "lists every scope in %s with its number, and routes that are in it",
    (locale) => {
      const table = /<table.*<\/table>/s.exec(pages[locale])?.[0] ?? "";
      const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([row]) => textOf(row));
      expect(rows).toHaveLength(Object.keys(LIMITS_PER_MINUTE).length + 1);
      const figure = (n: number) => n.toLocaleString(locale === "ar" ? "ar-u-nu-arab" : "en");
      for (const [scope, limit] of Object.entries(LIMITS_PER_MINUTE) as [Scope, number][]) {
        const row = rows.find((text) => text.startsWith(`${scope}${figure(limit)}`));
        expect(row, scope).toBeDefined();
        for (const path of SCOPES[scope].paths) {
          expect(row).toContain(path);
          expect(scopeOf(path.replace("*", ""))).toBe(scope);
        }
      }
      const edge = `edge${figure(EDGE_LIMIT_PER_MINUTE)}`;
      expect(rows.some((text) => text.startsWith(edge))).toBe(true);
    },
  );
});

describe("numbers in Arabic", () => {
  test("agree with what they count", () => {
    const counted = [1, 2, 3, 10, 11, 99, 100, 103, 2_048].map((n) => characters(n).ar);
    expect(counted.join("، ")).toBe(
      "حرف واحد، حرفين، ٣ أحرف، ١٠ أحرف، ١١ حرفًا، ٩٩ حرفًا، ١٠٠ حرف، ١٠٣ أحرف، ٢٬٠٤٨ حرفًا",
    );
  });

  test("state the constraints of a schema", () => {
    const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
    for (const [keywords, ...said] of [
      [{ minLength: 1, maxLength: 64 }, "من ١ إلى ٦٤ حرفًا | 1 to 64 characters"],
      [{ minLength: 1 }, "غير فارغ | not empty"],
      [{ minLength: 2 }, "لا يقل عن حرفين | at least 2 characters"],
      [{ minimum: 1, maximum: 60 }, "من ١ إلى ٦٠ | 1 to 60"],
      [{ minimum: 0, maximum: MAX_SAFE_INTEGER }, "لا يقل عن ٠ | at least 0"],
      [{ minimum: MIN_SAFE_INTEGER, maximum: MAX_SAFE_INTEGER }],
      [
        { enum: ["a", "b"], default: "a" },
        "إحدى القيم | one of | a | b",
        "الافتراضي | default | a",
      ],
      [{ const: false }, "دائمًا | always | false"],
      [{ default: "" }],
    ] as const) {
      const constraints = constraintsOf(Schema.parse(keywords));
      const lines = constraints.map(({ words, values }) => [words.ar, words.en, ...values]);
      expect(lines.map((parts) => parts.join(" | "))).toEqual(said);
    }
  });
});
