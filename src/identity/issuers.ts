/**
 * Issuers by whose accounts people sign in: those whose client the settings name. An issuer is named by its address; a
 * person by what the issuer calls their subject, which it never gives to another one.
 */

import type { Asked } from "./context.ts";
import type { UsableWays } from "./ways-in.ts";

export interface Issuer {
  /** In our addresses. */
  name: "google" | "github" | "oidc";
  /** What people call it. */
  label: string;
  /** Its address, as the URL parser spells it. */
  address: string;
  client_id: string;
  client_secret: string;
}

/** As it names itself in `https://github.com/login/oauth/.well-known/openid-configuration`. */
export const GITHUB = "https://github.com/login/oauth";
const GOOGLE = "https://accounts.google.com/";

/** Who somebody is by an issuer. */
export interface Person {
  subject: string;
  /** What the issuer calls the person, the best first. */
  names: (string | null | undefined)[];
  /** Only where the issuer says that it has verified it. */
  email: string | null;
}

/** Those that are set. */
export function issuersOf({ env: { issuers: set } }: Asked): Issuer[] {
  if (set === null) return [];
  const address = URL.parse(set.OIDC_ISSUER);
  const issuers: Issuer[] = [
    {
      ...{ name: "google", label: "Google", address: GOOGLE },
      ...{ client_id: set.GOOGLE_CLIENT_ID, client_secret: set.GOOGLE_CLIENT_SECRET },
    },
    {
      ...{ name: "github", label: "GitHub", address: GITHUB },
      ...{ client_id: set.GITHUB_CLIENT_ID, client_secret: set.GITHUB_CLIENT_SECRET },
    },
    {
      ...{ name: "oidc", label: set.OIDC_NAME || (address?.host ?? "") },
      ...{ address: address?.href ?? "" },
      ...{ client_id: set.OIDC_CLIENT_ID, client_secret: set.OIDC_CLIENT_SECRET },
    },
  ];
  return issuers.filter(({ address, client_id, client_secret }) =>
    [address, client_id, client_secret].every(Boolean),
  );
}

/** Which ways in besides passkeys work with these settings. */
export function usableWays(c: Asked): UsableWays {
  return { has_mail: c.env.has_mail, issuers: issuersOf(c).map(({ address }) => address) };
}
