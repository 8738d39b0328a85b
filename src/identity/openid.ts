/**
 * Signing in at an issuer: OpenID Connect, or OAuth 2 at GitHub, both by the code flow with PKCE, `state`, `nonce` and,
 * where the issuer sends it, `iss` (RFC 9207). oauth4webapi has the protocol; here is what is asked, and what of the
 * answers is used. The ID token's signature is checked although TLS already vouches for it.
 */
import * as oauth from "oauth4webapi";
import { boundedFetch } from "./bounded-fetch.ts";
import { GITHUB_SCOPE, GITHUB_SERVER, githubPerson } from "./github.ts";
import type { Issuer, Person } from "./issuers.ts";
import { ISSUER_KEPT_MS, ISSUER_TIMEOUT_MS, SUBJECT_CHARS_MAX } from "./limits.ts";

export interface Secrets {
  state: string;
  nonce: string;
  verifier: string;
}

export function newSecrets(): Secrets {
  return {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
}

type Options = ReturnType<typeof requestOptions>;

function requestOptions({ address }: Issuer) {
  return {
    [oauth.customFetch]: boundedFetch(ISSUER_TIMEOUT_MS),
    // The settings allow it on one machine only.
    [oauth.allowInsecureRequests]: address.startsWith("http:"),
  };
}

const known = new Map<string, { server: oauth.AuthorizationServer; until: number }>();

async function serverOf({ name, address }: Issuer, options: Options) {
  if (name === "github") return GITHUB_SERVER;
  const kept = known.get(address);
  if (kept !== undefined && Date.now() < kept.until) return kept.server;
  const url = new URL(address);
  const response = await oauth.discoveryRequest(url, options);
  const server = await oauth.processDiscoveryResponse(url, response);
  known.set(address, { server, until: Date.now() + ISSUER_KEPT_MS });
  return server;
}

/** Rejects where the issuer does not answer. */
export async function authorizationAddress(
  issuer: Issuer,
  redirect_uri: string,
  { state, nonce, verifier }: Secrets,
): Promise<string> {
  const options = requestOptions(issuer);
  const { authorization_endpoint = "" } = await serverOf(issuer, options);
  const url = new URL(authorization_endpoint);
  oauth.checkProtocol(url, !options[oauth.allowInsecureRequests]);
  const is_github = issuer.name === "github";
  const parameters = {
    ...{ response_type: "code", client_id: issuer.client_id, redirect_uri, state },
    ...{ scope: is_github ? GITHUB_SCOPE : "openid email profile", ...(!is_github && { nonce }) },
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Rejects where anything is wrong, with an `AuthorizationResponseError` where the issuer says so, as for a person
 * who turned back.
 */
export async function personOf(
  issuer: Issuer,
  redirect_uri: string,
  url: URL,
  { state, nonce, verifier }: Secrets,
): Promise<Person> {
  const options = requestOptions(issuer);
  const server = await serverOf(issuer, options);
  const client: oauth.Client = { client_id: issuer.client_id };
  const parameters = oauth.validateAuthResponse(server, client, url, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authenticationOf(server, issuer),
    parameters,
    redirect_uri,
    verifier,
    options,
  );
  if (issuer.name === "github") {
    const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, response);
    return githubPerson(access_token, options);
  }
  const expected = { expectedNonce: nonce, requireIdToken: true };
  const answer = await oauth.processAuthorizationCodeResponse(server, client, response, expected);
  await oauth.validateApplicationLevelSignature(server, response, options);
  const claims = oauth.getValidatedIdTokenClaims(answer);
  if (claims === undefined || claims.sub === "" || claims.sub.length > SUBJECT_CHARS_MAX) {
    throw new Error("the issuer names nobody");
  }
  // Some issuers put only the subject in the token.
  const isTold = claims.email !== undefined || server.userinfo_endpoint === undefined;
  const told = isTold
    ? claims
    : await userInfo(server, client, answer.access_token, claims.sub, options);
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    subject: claims.sub,
    names: [text(told.name), text(told.preferred_username)],
    email: told.email_verified === true ? text(told.email) : null,
  };
}

/** Rejects for another subject (OpenID Connect Core 5.3.2). */
async function userInfo(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  token: string,
  subject: string,
  options: Options,
): Promise<oauth.UserInfoResponse> {
  const response = await oauth.userInfoRequest(server, client, token, options);
  return oauth.processUserInfoResponse(server, client, subject, response);
}

/** OpenID Connect Core 9 has the default. */
function authenticationOf(
  { token_endpoint_auth_methods_supported: supported }: oauth.AuthorizationServer,
  { client_secret }: Issuer,
): oauth.ClientAuth {
  const is_basic = supported === undefined || supported.includes("client_secret_basic");
  return is_basic ? oauth.ClientSecretBasic(client_secret) : oauth.ClientSecretPost(client_secret);
}
