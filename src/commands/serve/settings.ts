/** The environment of `npm run serve`, checked before anything starts. */
import { TrustedProxies } from "./client-address.ts";

const PORT_MAX = 65_535;

export interface ServeSettings {
  data: string;
  host: string;
  port: number;
  trusted: TrustedProxies;
  /** A mail server; `''`: none. */
  smtp: string;
}

export class BadSetting extends Error {}

/** @throws {BadSetting} */
export function readSettings(env: Record<string, string | undefined>): ServeSettings {
  const { DATA, HOST, PORT, TRUST_PROXY = "", SMTP_URL = "" } = env;
  const port = Number(PORT || 8787);
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX) {
    throw new BadSetting(`PORT is not a port: ${PORT}`);
  }
  return {
    data: DATA || "data",
    host: HOST || "127.0.0.1",
    port,
    trusted: checked("TRUST_PROXY", () => new TrustedProxies(TRUST_PROXY)),
    smtp: SMTP_URL,
  };
}

/** @throws {BadSetting} in place of what `read` throws */
export function checked<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new BadSetting(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}
