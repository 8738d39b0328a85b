/**
 * Close code of a live socket whose permission has expired. The client opens another one at once,
 * and the router checks its session again. Objects, tests and the dashboard's script use it, so it
 * has a file without imports.
 */
export const LIVE_EXPIRED = 4000;
