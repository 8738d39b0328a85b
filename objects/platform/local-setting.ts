/** Addresses of users may be of this machine in development and tests, never in production. */

/**
 * The machine that runs the service binds `ONE_MACHINE`, which no variable or secret can be, and
 * the service's own address is on this machine by http. A deployment has neither: it is refused
 * with such an address (`src/http/config.ts`), and the links of its mails, its passkeys and the way
 * back from its sign-in would lead each visitor to their own machine. A service on one machine that
 * others reach has the address by which they do, and no loopback.
 */
export function allowsLoopback({
  ONE_MACHINE,
  SITE_ORIGIN,
}: {
  ONE_MACHINE?: true;
  SITE_ORIGIN: string;
}): boolean {
  const site = URL.parse(SITE_ORIGIN);
  const isHere = site?.hostname === "localhost" || site?.hostname === "127.0.0.1";
  return ONE_MACHINE === true && site?.protocol === "http:" && isHere;
}
