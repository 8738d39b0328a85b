/** Words for schemas of other rooms, which the Worker has without them. */
import * as z from "zod";

type Meta = z.GlobalMeta;

/** A copy of the schema with a name or words of its own; it keeps what the schema has. */
export function described<S extends z.core.$ZodType>(schema: S, meta: Meta): S {
  const copy = z.core.clone(schema);
  z.globalRegistry.add(copy, meta);
  return copy;
}

/** Gives the schema itself a name or words, wherever it is used. */
export function describe(schema: z.core.$ZodType, meta: Meta): void {
  z.globalRegistry.add(schema, meta);
}

/** The schema inside of a default, a null or an absence. */
export function inner<S extends z.core.$ZodType>(wrapper: { _zod: { def: { innerType: S } } }): S {
  return wrapper._zod.def.innerType;
}
