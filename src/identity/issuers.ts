/** Issuers whose client the settings name. An issuer never gives a person's subject to another one. */

import type { Asked } from "./context.ts";
import type { UsableWays } from "./ways-in.ts";

export interface Issuer {
  /** The name in our addresses. */
  name: "google" | "github" | "oidc";
  label: string;
  /** The issuer's address, as the URL parser spells it. */
  address: string;
  client_id: string;
  client_secret: string;
}

/** The name in `https://github.com/login/oauth/.well-known/openid-configuration`. */
export const GITHUB = "https://github.com/login/oauth";
const GOOGLE = "https://accounts.google.com/";

export interface Person {
  subject: string;
  names: (string | null | undefined)[];
  /** Null unless the issuer says that it has verified it. */
  email: string | null;
}

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

export function usableWays(c: Asked): UsableWays {
  return { has_mail: c.env.has_mail, issuers: issuersOf(c).map(({ address }) => address) };
}
