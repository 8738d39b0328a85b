/**
 * What the outer modules import, as far as they use it. Declared by hand: the platform's own types clash
 * with Node's and the DOM's, which the rest of the tests stand on.
 */
declare module "cloudflare:workers" {
  export const env: {
    DB: D1Database;
    /** The judge outside that says what D1 is to do: `d1-judge.ts`. */
    D1_JUDGE: { fetch(url: string): Promise<Response> };
  };
}

/** The deployed bundle, under the name that `test/local/around.ts` gives it. */
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
  const router: object;
  export default router;
}
