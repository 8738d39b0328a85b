/** The part of OpenAPI 3.1 that our document uses, after its references are resolved. */
import * as z from "zod";

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Keywords of JSON Schema that `/docs` shows. */
export const Schema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  "x-description-ar": z.string().optional(),
  "x-shape": z.string().optional(),
  example: Value.optional(),
  examples: z.array(Value).optional(),
  const: Value.optional(),
  enum: z.array(Value).optional(),
  default: z.json().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.int().optional(),
  maxItems: z.int().optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get items() {
    return Schema.optional();
  },
  get anyOf() {
    return z.array(Schema).optional();
  },
});
export type Schema = z.infer<typeof Schema>;

export const Content = z.record(
  z.string(),
  z.object({
    schema: Schema,
    example: z.json().optional(),
    "x-example-address": z.string().optional(),
  }),
);

export const Described = z.object({
  description: z.string().optional(),
  "x-description-ar": z.string().optional(),
  required: z.boolean().default(false),
  schema: Schema,
});
export const ResponseObject = z.object({
  description: z.string(),
  content: Content.default({}),
  headers: z.record(z.string(), Described).default({}),
});

export const OperationObject = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  description: z.string(),
  "x-summary-ar": z.string(),
  "x-description-ar": z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
  parameters: z.array(Described.extend({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), ResponseObject),
});

export const Document = z.object({
  info: z.object({ description: z.string(), "x-description-ar": z.string(), version: z.string() }),
  tags: z.array(
    z.object({ name: z.string(), description: z.string(), "x-description-ar": z.string() }),
  ),
  paths: z.record(z.string(), z.record(z.string(), OperationObject)),
  webhooks: z.record(z.string(), z.record(z.string(), OperationObject)),
  components: z.object({
    schemas: z.record(z.string(), Schema),
    headers: z.record(z.string(), Described),
  }),
});
