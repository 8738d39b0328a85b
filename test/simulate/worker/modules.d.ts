/**
 * What the outer modules import, as far as they use it. Declared by hand: the platform's own types clash
 * with Node's and the DOM's, which the rest of the tests stand on.
 */
interface Service {
  fetch(url: string, init?: { method: string; body: string }): Promise<Response>;
}

/** A Durable Object as its callers see it: methods that take a while. */
interface ObjectStub {
  record(event: unknown): Promise<unknown>;
}

interface ObjectNamespace {
  getByName(name: string): ObjectStub;
}

/** The bindings that are put at a distance, and what the simulator adds to them. */
interface RouterEnv {
  DB: D1Database;
  PAGE: ObjectNamespace;
  LIMITER: ObjectNamespace;
  ERROR_LOG: ObjectNamespace;
  KV: object;
  MEDIA: object;
  /** The judge outside that says what D1 is to do: `d1-judge.ts`. */
  D1_JUDGE: Service;
  /** Takes down what routers hand over as numbers: `hand-overs.ts`. */
  HAND_OVERS: Service;
  /** JSON of a `Distance`. */
  DISTANCE: string;
  /** Which of the routers this is; absent where there is only one. */
  ROUTER?: string;
}

interface RequestContext {
  waitUntil(promise: Promise<unknown>): void;
}

interface Router {
  fetch(request: Request, env: RouterEnv, ctx: RequestContext): Promise<Response>;
  scheduled(event: object, env: RouterEnv, ctx: RequestContext): void;
}

declare module "cloudflare:workers" {
  export const env: RouterEnv;
}

/** The deployed bundle, under the name that `test/server/around.ts` gives it. */
declare module "sila" {
  interface State {
    abort(reason: string): never;
  }
  export class PageObject {
    protected readonly ctx: State;
    record(event: { key: string }): Promise<{ outcome: string; url?: string }>;
  }
  export class RateLimiter {
    protected readonly ctx: State;
  }
  const router: Router;
  export default router;
}
