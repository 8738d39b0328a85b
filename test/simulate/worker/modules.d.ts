/**
 * The imports of the modules around the bundle, declared by hand: the platform's own types clash with
 * Node's and the DOM's, which the other tests use.
 */
interface Service {
  fetch(url: string, init?: { method: string; body: string }): Promise<Response>;
}

/** A Durable Object's stub: asynchronous methods. */
type ObjectStub = object;

interface ObjectNamespace {
  getByName(name: string): ObjectStub;
}

interface RouterEnv {
  DB: D1Database;
  PAGE: ObjectNamespace;
  LIMITER: ObjectNamespace;
  ERROR_LOG: ObjectNamespace;
  TIPS: ObjectNamespace;
  DOWNLOADS: ObjectNamespace;
  SUBSCRIBERS: ObjectNamespace;
  WEBHOOKS: ObjectNamespace;
  MONITOR: ObjectNamespace;
  KV: object;
  MEDIA: object;
  /** The judge in another process that decides about calls to D1: `d1-judge.ts`. */
  D1_JUDGE: Service;
  /** Records what routers hand over as numbers: `hand-overs.ts`. */
  HAND_OVERS: Service;
  /** Counts the answers that are lost. */
  LOSSES: Service;
  /** JSON of a `Distance`. */
  DISTANCE: string;
  /** The router's number; absent if there is only one. */
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

/** The deployed bundle, by the name that `src/commands/serve/around.ts` gives it. */
declare module "sila" {
  interface State {
    abort(reason: string): never;
  }
  export class PageObject {
    protected readonly ctx: State;
    record(event: import("../../../objects/events/event.ts").PageEvent): Promise<unknown>;
    recordBatch(
      events: Uint8Array<ArrayBuffer>,
    ): Promise<import("../../../objects/events/event.ts").Receipt[]>;
    snapshot(): Promise<unknown>;
  }
  export class RateLimiter {
    protected readonly ctx: State;
  }
  export class TipSender {
    send(
      order: import("../../../objects/blocks/tips/tip.ts").TipOrder,
      cookie: string,
    ): Promise<import("../../../objects/blocks/tips/tip.ts").TipAnswer>;
  }
  export class DownloadUses {
    use(
      use: import("../../../objects/blocks/downloads/page-downloads.ts").Use,
    ): Promise<import("../../../objects/blocks/downloads/page-downloads.ts").UseOutcome>;
  }
  const router: Router;
  export default router;
}
