/** Words for schemas of other rooms, so that the Worker is without them. */
import * as z from "zod";

type Meta = z.GlobalMeta;

/** A copy of the schema with its own name or words. */
export function described<S extends z.core.$ZodType>(schema: S, meta: Meta): S {
  const copy = z.core.clone(schema);
  z.globalRegistry.add(copy, meta);
  return copy;
}

/** Names or describes the schema itself, wherever it is used. */
export function describe(schema: z.core.$ZodType, meta: Meta): void {
  z.globalRegistry.add(schema, meta);
}

export function inner<S extends z.core.$ZodType>(wrapper: { _zod: { def: { innerType: S } } }): S {
  return wrapper._zod.def.innerType;
}
