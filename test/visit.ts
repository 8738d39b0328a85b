/**
 * How many requests a visit sends to the Worker, each of which is billed; the files of the page are not,
 * because the platform serves them. For prices: `test/bundle/files.test.ts` counts them in a browser.
 *
 * The page has one picture, the avatar. Each picture more is a request more of a first visit, and so are
 * the colours of a page with an accent of its own.
 */
export const WORKER_REQUESTS = {
  /** The page, the avatar and the view. */
  first_visit: 3,
  /** The page and the view: the avatar is in the browser's cache for a year. */
  return_visit: 2,
  click: 1,
} as const;
