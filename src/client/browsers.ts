/** The oldest supported browsers; `test/local/declared-browsers.test.ts` checks the bundles. */

/** By major version. */
export const OLDEST_BROWSERS = { chrome: 92, firefox: 91, safari: 15 } as const;

/** The newest ECMAScript that all of them have. `tsconfig.json` names it as `lib`. */
export const ECMASCRIPT = "es2021";
