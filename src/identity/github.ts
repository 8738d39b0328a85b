/** GitHub: OAuth 2, with the person from its own API (https://docs.github.com/apps/oauth-apps). */
import * as oauth from "oauth4webapi";
import * as z from "zod/mini";
import { GITHUB, type Person } from "./issuers.ts";

export const GITHUB_SERVER: oauth.AuthorizationServer = {
  issuer: GITHUB,
  authorization_endpoint: "https://github.com/login/oauth/authorize",
  token_endpoint: "https://github.com/login/oauth/access_token",
  token_endpoint_auth_methods_supported: ["client_secret_post"],
};

export const GITHUB_SCOPE = "read:user user:email";

const User = z.object({ id: z.int(), login: z.string(), name: z.nullish(z.string()) });
const Emails = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
);

/** Rejects for any unexpected answer. */
export async function githubPerson(
  token: string,
  options: oauth.ProtectedResourceRequestOptions,
): Promise<Person> {
  const get = async <S extends z.ZodMiniType>(path: string, schema: S) => {
    const url = new URL(path, "https://api.github.com/");
    const headers = new Headers({ Accept: "application/vnd.github+json" });
    const response = await oauth.protectedResourceRequest(
      token,
      "GET",
      url,
      headers,
      null,
      options,
    );
    if (response.status !== 200) throw new Error(`GitHub answered ${response.status}`);
    return schema.parse(await response.json());
  };
  const [user, emails] = await Promise.all([get("user", User), get("user/emails", Emails)]);
  const primary = emails.find((one) => one.primary && one.verified);
  return {
    // Not the login, which GitHub may give to another person.
    subject: String(user.id),
    names: [user.name, user.login],
    email: primary?.email ?? null,
  };
}
