/** The oldest browsers that our scripts and styles support; `test/local/declared-browsers.test.ts` checks them. */

/** By major version. */
export const OLDEST_BROWSERS = { chrome: 92, firefox: 91, safari: 15 } as const;

/** The newest ECMAScript that all of them have. `tsconfig.json` names it as `lib`. */
export const ECMASCRIPT = "es2021";
