/// <reference types="vite/types/importMeta.d.ts" />
/** All routes, present and future, as Hono has them: a path has one entry for each handler, in their order. */

interface Handler {
  method: string;
  path: string;
  handler: unknown;
}

export const HANDLERS = Object.values(
  import.meta.glob<Record<string, { routes?: Handler[] }>>("/src/**/*-route.{ts,tsx}", {
    eager: true,
  }),
).flatMap((exported) => Object.values(exported).flatMap(({ routes = [] }) => routes));
