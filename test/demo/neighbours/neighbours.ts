/** Runs what stands beside the service on a workerd of its own, because these are other people's servers. */
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel } from "miniflare";
import { ROOT } from "../../../src/commands/root.ts";
import type { MailTarget } from "../../../src/commands/serve/mail-binding.ts";
import { startWorkerd } from "../../../src/commands/serve/workerd.ts";
import { bundleNeighbours, NEIGHBOUR_OBJECTS } from "./bundle.ts";

/** As in wrangler.toml. */
const COMPATIBILITY_DATE = "2026-10-23";

export function mailTo(origin: string): MailTarget {
  return { url: `${origin}/api/mails`, headers: { "X-Hub-Control": "1" } };
}

export interface NeighboursOptions {
  port: number;
  /** State folder of the service; the neighbours use a subfolder. */
  statePath: string;
  hub?: {
    serviceUrl: string;
    webhookSecret: string;
  };
  onDeath?: () => void;
}

export interface Neighbours {
  url: URL;
  control(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<unknown>;
  dispose(): Promise<void>;
}

/** @throws Miniflare's error, code `ERR_ADDRESS_IN_USE` where the port is taken */
export async function startNeighbours(options: NeighboursOptions): Promise<Neighbours> {
  const { port, statePath, hub, onDeath } = options;
  const workerd = await startWorkerd(
    convertV4MiniflareOptions({
      // It and the folder have this name in older state folders.
      name: "hub",
      modules: true,
      script: await bundleNeighbours(hub === undefined ? "neighbours" : "hub"),
      compatibilityDate: COMPATIBILITY_DATE,
      ...(hub !== undefined && {
        bindings: {
          SERVICE_URL: hub.serviceUrl,
          WEBHOOK_SECRET: hub.webhookSecret,
          SESSION_COOKIE: "hub_session",
        },
      }),
      durableObjects: NEIGHBOUR_OBJECTS,
      rootPath: ROOT,
      host: "127.0.0.1",
      port,
      resourcePersistencePath: join(statePath, "hub"),
      cf: false,
      logRequests: false,
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
    } as Parameters<typeof convertV4MiniflareOptions>[0]),
    onDeath,
  );
  const url = await workerd.miniflare.ready;
  return {
    url,
    async control(method, path, body) {
      const response = await fetch(new URL(`/control${path}`, url), {
        method,
        headers: { "X-Hub-Control": "1", "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`the neighbours refused ${method} ${path}: ${text}`);
      return text === "" ? null : JSON.parse(text);
    },
    dispose: workerd.dispose,
  };
}
