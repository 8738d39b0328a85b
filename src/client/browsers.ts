/** The oldest supported browsers; `test/plain/client/declared-browsers.test.ts` checks the bundles. */

/** By major version. */
export const OLDEST_BROWSERS = { chrome: 92, firefox: 91, safari: 15 } as const;

/** The newest ECMAScript that all of them have. `tsconfig.json` names it as `lib`. */
export const ECMASCRIPT = "es2021";

/**
 * The oldest browsers for editing a page: creators, not their visitors. The page's own component runs in
 * them, with the ECMAScript that the server has.
 */
export const EDITOR_BROWSERS = { chrome: 112, firefox: 125, safari: 16.4 } as const;
