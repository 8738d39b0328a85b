/**
 * The document as `/docs` shows it: operations by tag, fields in a flat list, errors by code. Made from
 * the finished document and not from `operations.ts`, so that `/docs` and `/openapi.json` agree.
 */
import * as z from "zod";
import { ERRORS, type ErrorCode } from "../../http/api-error.ts";
import { envelopeOf } from "../../openapi/answers.ts";
import type { Bilingual } from "../../views/bilingual.ts";
import { dereference } from "./dereference.ts";
import { openApiDocument } from "./openapi-document.ts";
import {
  type Content,
  type Described,
  Document,
  type OperationObject,
  type ResponseObject,
  Schema,
} from "./shape.ts";

/** A parameter, a header, or a member of a body. `a.b` is a member of `a`, and `a[].b` of its items. */
export interface Field {
  name: string;
  required: boolean;
  description: Bilingual | null;
  schema: Schema;
}

export interface Answer {
  status: string;
  /** English; empty if it repeats the messages of errors. */
  description: string;
  types: string[];
  fields: Field[];
  headers: Field[];
  /** Possible codes, and members of `details` that only this route has. Empty for a success. */
  errors: { code: ErrorCode; details: string[] }[];
}

export interface Example {
  types: string[];
  text: string;
}

export interface OutlinedOperation {
  id: string;
  method: string;
  path: string;
  summary: Bilingual;
  description: Bilingual;
  security: string[];
  /** `place` is path, query or header. */
  parameters: { place: string; fields: Field[] }[];
  /** `shape` names a schema that is shown once, in place of its fields. */
  body: { types: string[]; shape: string | null; fields: Field[]; examples: Example[] } | null;
  answers: Answer[];
}

export interface Shape {
  name: string;
  fields: Field[];
}

export interface Outline {
  version: string;
  shapes: Shape[];
  headers: Field[];
  description: Bilingual;
  tags: { name: string; words: Bilingual; operations: OutlinedOperation[] }[];
}

export const SHAPES = [
  ...["Page", "PageInput", "DraftPage", "Link", "LinkInput", "DraftLink", "Contact", "Look"],
] as const;

let made: Outline | null = null;

/** Throws if the document's shape is not the one of `shape.ts`. */
export function outline(): Outline {
  made ??= outlineDocument();
  return made;
}

function outlineDocument(): Outline {
  const document = openApiDocument();
  const folded = dereference(document, document, SHAPES);
  const { info, tags, paths, webhooks, components } = Document.parse(folded);
  const operations = Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      outlined: outlineOperation(method, path, operation),
    })),
  );
  return {
    version: info.version,
    shapes: SHAPES.map((name) => ({ name, fields: fieldsOf(components.schemas[name] ?? NOTHING) })),
    headers: Object.entries(components.headers).map(([name, header]) => fieldOf(name, header)),
    description: { ar: info["x-description-ar"], en: info.description },
    tags: tags.map(({ name, ...words }) => ({
      name,
      words: { ar: words["x-description-ar"], en: words.description },
      operations: operations.filter(({ tag }) => tag === name).map(({ outlined }) => outlined),
    })),
  };
}

const NOTHING = Schema.parse({});

function outlineOperation(
  method: string,
  path: string,
  operation: z.infer<typeof OperationObject>,
): OutlinedOperation {
  const { parameters, requestBody } = operation;
  const by_place = Map.groupBy(parameters, (parameter) => parameter.in);
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: { ar: operation["x-summary-ar"], en: operation.summary },
    description: { ar: operation["x-description-ar"], en: operation.description },
    security: operation.security.flatMap((schemes) => Object.keys(schemes)),
    parameters: [...by_place].map(([place, found]) => ({
      place,
      fields: found.map(({ name, ...rest }) => fieldOf(name, rest)),
    })),
    body:
      requestBody === undefined
        ? null
        : { ...outlineBody(requestBody.content), examples: examplesOf(requestBody.content) },
    answers: Object.entries(operation.responses).map(([status, answer]) =>
      outlineAnswer(status, answer),
    ),
  };
}

function outlineAnswer(status: string, answer: z.infer<typeof ResponseObject>): Answer {
  const { description, content, headers } = answer;
  const errors = Object.values(content).flatMap(({ schema }) => errorsOf(schema));
  const repeats = errors.some(({ code }) => description.includes(ERRORS[code].en));
  return {
    status,
    description: repeats ? "" : description,
    ...outlineContent(content),
    headers: Object.entries(headers).map(([name, header]) => fieldOf(name, header)),
    errors,
  };
}

function outlineContent(content: z.infer<typeof Content>): { types: string[]; fields: Field[] } {
  const [first] = Object.values(content);
  return { types: Object.keys(content), fields: first === undefined ? [] : fieldsOf(first.schema) };
}

function outlineBody(content: z.infer<typeof Content>) {
  const [first] = Object.values(content);
  return { ...outlineContent(content), shape: first?.schema["x-shape"] ?? null };
}

function examplesOf(content: z.infer<typeof Content>): Example[] {
  const examples = Object.entries(content).flatMap(([type, { example, ...more }]) => {
    const address = more["x-example-address"];
    if (address !== undefined) return [{ type, text: address }];
    if (example === undefined) return [];
    return [
      { type, text: typeof example === "string" ? example : JSON.stringify(example, null, 2) },
    ];
  });
  const by_text = Map.groupBy(examples, ({ text }) => text);
  return [...by_text].map(([text, same]) => ({ types: same.map(({ type }) => type), text }));
}

function fieldOf(name: string, described: z.infer<typeof Described>): Field {
  const { required, schema } = described;
  // zod-openapi copies a parameter's description from its schema, but not the Arabic one.
  const { description: en, "x-description-ar": ar } =
    schema.description === undefined ? described : schema;
  const description = en === undefined ? null : { en, ar: ar ?? en };
  return { name, required, description, schema };
}

/**
 * Members of an object and their members; of a union, those of each alternative. An object without a
 * description is not listed itself.
 */
function fieldsOf({ properties = {}, required, anyOf = [] }: Schema, prefix = ""): Field[] {
  const own = Object.entries(properties).flatMap(([key, schema]) => {
    const field = fieldOf(prefix + key, { required: required.includes(key), schema });
    const members = [
      ...fieldsOf(schema, `${field.name}.`),
      ...(schema.items === undefined ? [] : fieldsOf(schema.items, `${field.name}[].`)),
    ];
    return members.length > 0 && field.description === null ? members : [field, ...members];
  });
  return [...own, ...anyOf.flatMap((alternative) => fieldsOf(alternative, prefix))];
}

function errorsOf(schema: Schema): Answer["errors"] {
  return (schema.anyOf ?? [schema]).flatMap((envelope) => {
    const code_value = envelope.properties?.code?.const;
    const code = Object.keys(ERRORS).find((key): key is ErrorCode => key === code_value);
    if (code === undefined) return [];
    const everywhere = new Set(detailsOf(code));
    return [{ code, details: namesInDetails(envelope).filter((name) => !everywhere.has(name)) }];
  });
}

const details_of = new Map<ErrorCode, string[]>();

export function detailsOf(code: ErrorCode): string[] {
  const envelope = () => Schema.parse(dereference(z.toJSONSchema(envelopeOf(code))));
  const details = details_of.get(code) ?? namesInDetails(envelope());
  details_of.set(code, details);
  return details;
}

function namesInDetails({ properties = {} }: Schema): string[] {
  const { details } = properties;
  return details === undefined ? [] : fieldsOf(details).map(({ name }) => name);
}
