/** A request's id stands in its answer and in the log (docs/contract.md section 3). */

const GIVEN = /^[\w=-]{1,64}$/;

export function requestIdOf({ headers }: Request): string {
  const given = headers.get("X-Request-Id");
  return given !== null && GIVEN.test(given) ? given : crypto.randomUUID();
}
