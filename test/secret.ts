/** Secrets for tests, made for each run, because a secret in a repository is public (docs/security.md S25). */
import { randomBytes } from "node:crypto";
import { Secret } from "../src/http/secret.ts";

/** 32 random bytes in base64, as `openssl rand -base64 32` writes them. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64");
}

/** Decodes a secret. Throws where the service would refuse it. */
export function secretOf(text: string): Secret {
  const secret = Secret.parse(text);
  if (typeof secret === "string") throw new Error(`the secret ${secret}`);
  return secret;
}
