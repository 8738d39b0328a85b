/**
 * The tables of routes in docs/contract.md and its files, made from the document at `/openapi.json`. A table's mark has beginnings of
 * paths, as in `<!-- routes: /api/ai/ -->`; a route is in the table that has the longest beginning of its path.
 */
import { markdownTable, withPart } from "../markdown.ts";

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  const?: unknown;
}
interface Parameter {
  $ref?: string;
  name?: string;
  in?: string;
}
type Content = Record<string, { schema: Schema }>;
interface Operation {
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
export interface Described {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

/** Codes that stand in a table by one name where a route has all of them. */
const GROUPS: Record<string, readonly string[]> = {
  body: ["INVALID_JSON", "VALIDATION_FAILED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  hub: ["UPSTREAM_ERROR", "UPSTREAM_TIMEOUT"],
};

/** An object with more members is shown by its name in `/openapi.json`. */
const MEMBERS_MAX = 10;
/** Members of an object with more of them are not spelled out. */
const SPELLED_MAX = 5;

/** The texts with their tables made anew. Throws where a described route has no table. */
export function withRouteTables(
  texts: readonly string[],
  { paths, components }: Described,
): string[] {
  const tables = texts.flatMap(tablesIn);
  const routes = Object.entries(paths).flatMap(([template, methods]) => {
    const path = template.replace(/\{(\w+)\}/g, ":$1");
    const [longest] = tables
      .flatMap(({ beginnings }) => beginnings.filter((beginning) => path.startsWith(beginning)))
      .sort((a, b) => b.length - a.length);
    if (longest === undefined) throw new Error(`no table of routes has ${path}`);
    return Object.entries(methods).map(([method, operation]) => ({
      longest,
      address: `${method.toUpperCase()} ${path}${queryOf(operation)}`,
      operation,
      errors: errorsOf(operation),
    }));
  });
  return texts.map((text) =>
    tablesIn(text).reduce((made, { mark, beginnings }) => {
      const own = routes.filter(({ longest }) => beginnings.includes(longest));
      return withPart(made, mark, tableOf(own));
    }, text),
  );

  /** Codes that all routes of a table may answer stand below it. */
  function tableOf(own: typeof routes): string {
    const [first, ...others] = own.map(({ errors }) => errors);
    const common = (others.length === 0 ? [] : (first ?? [])).filter((code) =>
      others.every((errors) => errors.includes(code)),
    );
    const rows = own.map(({ address, operation, errors }) => [
      `\`${address}\``,
      operation.summary,
      answersOf(operation),
      grouped(errors.filter((code) => !common.includes(code))),
    ]);
    const table = markdownTable([["route", "what", "answer", "errors"], ...rows]);
    return common.length === 0 ? table : `${table}\n\nEach may also answer ${grouped(common)}.`;
  }

  function queryOf({ parameters = [] }: Operation): string {
    const names = parameters
      .map((one) => components.parameters[nameOf(one) ?? ""] ?? one)
      .flatMap(({ in: place, name = "" }) => (place === "query" ? [name] : []));
    return names.length === 0 ? "" : `?${names.join("&")}`;
  }

  function answersOf({ requestBody, responses }: Operation): string {
    const body = requestBody === undefined ? "" : `${shapesOf(requestBody.content)} → `;
    const answers = Object.entries(responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, { content = {} }]) => `${status} ${shapesOf(content)}`.trim());
    return body + answers.join("; ");
  }

  function shapesOf(content: Content): string {
    const shapes = Object.entries(content).map(([type, { schema }]) => shapeOf(schema, 3) || type);
    return quoted([...new Set(shapes)]);
  }

  /** `{ok, tips: [{id, points}], next_cursor}`, of so many levels; empty for what has no members. */
  function shapeOf(schema: Schema, levels: number): string {
    const name = nameOf(schema);
    const { properties = {}, required, items, anyOf } = found(schema);
    if (anyOf !== undefined) {
      const shapes = anyOf.map((one) => shapeOf(one, levels)).filter((shape) => shape !== "");
      return [...new Set(shapes)].join(" or ");
    }
    if (items !== undefined) return shapeOf(items, levels).replace(/^.+$/, "[$&]");
    const members = Object.entries(properties);
    if (members.length === 0 || levels === 0) return "";
    if (members.length > MEMBERS_MAX && name !== undefined) return name;
    const inside = members.length > SPELLED_MAX ? 0 : levels - 1;
    const spelled = members.map(([key, member]) => {
      const shape = shapeOf(member, inside);
      return `${key}${required?.includes(key) ? "" : "?"}${shape === "" ? "" : `: ${shape}`}`;
    });
    return `{${spelled.join(", ")}}`;
  }

  function errorsOf({ responses }: Operation): string[] {
    return Object.values(responses)
      .flatMap(({ content }) => content?.["application/json"] ?? [])
      .flatMap(({ schema }) => found(schema).anyOf ?? [schema])
      .map((envelope) => `${found(envelope).properties?.code?.const ?? "METHOD_NOT_ALLOWED"}`)
      .filter((code) => code !== "METHOD_NOT_ALLOWED");
  }

  function found(schema: Schema): Schema {
    return components.schemas[nameOf(schema) ?? ""] ?? schema;
  }
}

function tablesIn(text: string): { mark: string; beginnings: string[] }[] {
  return Array.from(text.matchAll(/<!-- (routes: (.*?)) -->/g), ([, mark = "", listed = ""]) => ({
    mark,
    beginnings: listed.split(" "),
  }));
}

export function groupsList(): string {
  return Object.entries(GROUPS)
    .map(([name, codes]) => `- *${name}*: ${quoted([...codes])}`)
    .join("\n");
}

function grouped(codes: string[]): string {
  const whole = Object.entries(GROUPS).filter(([, group]) =>
    group.every((one) => codes.includes(one)),
  );
  const inGroups = whole.flatMap(([, group]) => group);
  const single = codes.filter((code) => !inGroups.includes(code));
  return [...whole.map(([name]) => `*${name}*`), quoted(single)]
    .filter((text) => text !== "")
    .join(", ");
}

function nameOf({ $ref }: { $ref?: string }): string | undefined {
  return $ref?.split("/").at(-1);
}

function quoted(words: string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}
