/**
 * The tables of routes in docs/contract.md, made from the document at `/openapi.json`. A table stands between
 * `<!-- routes: <beginnings of paths> -->` and `<!-- /routes -->`; a route is in the table that names the longest
 * beginning of its path.
 */

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  const?: unknown;
}
type Content = Record<string, { schema: Schema }>;
interface Answer {
  content?: Content;
  headers?: Record<string, unknown>;
}
interface Operation {
  summary: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Content };
  responses: Record<string, Answer>;
}
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** An object with more members is named and not spelled out. */
const MEMBERS_MAX = 9;

const TABLE = /<!-- routes: (.*?) -->\n[\s\S]*?<!-- \/routes -->/g;

/** The text with its tables made anew. Throws where a described route has no table. */
export function withRouteTables(text: string, { paths, components }: Document): string {
  const beginnings = [...text.matchAll(TABLE)].flatMap(([, listed = ""]) => listed.split(" "));
  const rows = Object.entries(paths).flatMap(([template, methods]) => {
    const path = template.replace(/\{(\w+)\}/g, ":$1");
    const [longest] = beginnings
      .filter((beginning) => path.startsWith(beginning))
      .sort((a, b) => b.length - a.length);
    if (longest === undefined) throw new Error(`no table of docs/contract.md has ${path}`);
    return Object.entries(methods).map(([method, operation]) => ({
      longest,
      route: `${method.toUpperCase()} ${path}${queryOf(operation)}`,
      operation,
    }));
  });
  return text.replace(TABLE, (_, listed: string) => {
    const own = rows.filter(({ longest }) => listed.split(" ").includes(longest));
    const errors = own.map(({ operation }) => errorsOf(operation));
    const common = (errors[0] ?? []).filter(
      (code) => own.length > 1 && errors.every((codes) => codes.includes(code)),
    );
    const lines = own.map(({ route, operation }, i) => {
      const rest = errors[i]?.filter((code) => !common.includes(code)) ?? [];
      const cells = [`\`${route}\``, operation.summary, answersOf(operation), codes(rest)];
      return `| ${cells.join(" | ")} |`;
    });
    const shared = common.length === 0 ? "" : `\nEach of them: ${codes(common)}.\n`;
    return `<!-- routes: ${listed} -->
| route | what | answer | errors |
|---|---|---|---|
${lines.join("\n")}
${shared}<!-- /routes -->`;
  });

  /** What is sent, and what comes back where nothing fails. */
  function answersOf({ requestBody, responses }: Operation): string {
    const body = requestBody === undefined ? "" : `${shapesOf(requestBody.content)} → `;
    const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
    const answers = good.map(([status, { content, headers = {} }]) => {
      const shape = content === undefined ? "" : ` ${shapesOf(content)}`;
      return `${status}${shape}${status === "201" && "Location" in headers ? ", `Location`" : ""}`;
    });
    return body + answers.join("; ");
  }

  /** JSON by its members, all else by its type. */
  function shapesOf(content: Content): string {
    const shapes = Object.entries(content).map(([type, { schema }]) => {
      const inner = isText(schema) ? "" : shapeOf(schema, 2);
      return `\`${inner === "" ? type : inner}\``;
    });
    return [...new Set(shapes)].join(", ");
  }

  function isText(schema: Schema): boolean {
    const { properties, anyOf } = found(schema);
    return properties === undefined && anyOf === undefined;
  }

  /** `{ok, tips: [{id, points}], next_cursor}`, down to a depth; null is not shown. */
  function shapeOf(schema: Schema, depth: number): string {
    const { properties, required = [], items, anyOf } = found(schema);
    if (anyOf !== undefined) {
      const shapes = anyOf.map((one) => shapeOf(one, depth)).filter((shape) => shape !== "");
      return [...new Set(shapes)].join(" or ");
    }
    if (items !== undefined) {
      const inner = shapeOf(items, depth);
      return inner === "" ? "" : `[${inner}]`;
    }
    if (properties === undefined || depth === 0) return "";
    const members = Object.entries(properties);
    const name = schema.$ref?.split("/").at(-1);
    if (members.length > MEMBERS_MAX && name !== undefined) return name;
    const spelled = members.map(([key, member]) => {
      const inner = shapeOf(member, depth - 1);
      return `${key}${required.includes(key) ? "" : "?"}${inner === "" ? "" : `: ${inner}`}`;
    });
    return `{${spelled.join(", ")}}`;
  }

  function found(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : (components.schemas[name] ?? {});
  }

  /** The codes of the errors, but for 405, which every path has. */
  function errorsOf({ responses }: Operation): string[] {
    return Object.values(responses)
      .flatMap(({ content }) => content?.["application/json"] ?? [])
      .flatMap(({ schema }) => found(schema).anyOf ?? [schema])
      .map((envelope) => found(envelope).properties?.code?.const)
      .filter((code) => typeof code === "string" && code !== "METHOD_NOT_ALLOWED") as string[];
  }
}

function queryOf({ parameters = [] }: Operation): string {
  const names = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  return names.length === 0 ? "" : `?${names.join("&")}`;
}

function codes(all: string[]): string {
  return all.map((code) => `\`${code}\``).join(", ");
}
