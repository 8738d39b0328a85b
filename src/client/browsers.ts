/** Oldest major versions; `test/plain/client/declared-browsers.test.ts` checks the bundles. */

export const OLDEST_BROWSERS = { chrome: 92, firefox: 91, safari: 15 } as const;

/** All of them have this ECMAScript. `tsconfig.json` names it as `lib`. */
export const ECMASCRIPT = "es2021";

/** Creators need newer browsers than visitors, because the page's own component runs in them. */
export const EDITOR_BROWSERS = { chrome: 112, firefox: 125, safari: 16.4 } as const;
