/** Runs the demo hub on a workerd of its own, because the real hub is a separate service. */
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel } from "miniflare";
import { ROOT } from "../../server/bundle.ts";
import { startWorkerd } from "../../server/workerd.ts";
import { bundleHub, HUB_OBJECTS } from "./bundle.ts";

/** As in wrangler.toml. */
const COMPATIBILITY_DATE = "2026-10-23";

export interface HubOptions {
  port: number;
  /** State folder of the service; the hub uses a subfolder. */
  statePath: string;
  /** Origin of the service, to which users return and webhooks are sent. */
  serviceUrl: string;
  /** Shared with the service. */
  webhookSecret: string;
  onDeath?: () => void;
}

export interface Hub {
  url: URL;
  /** Calls one of the control routes of `worker/index.tsx`. */
  control(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<unknown>;
  dispose(): Promise<void>;
}

/** @throws Miniflare's error, code `ERR_ADDRESS_IN_USE` where the port is taken */
export async function startHub(options: HubOptions): Promise<Hub> {
  const { port, statePath, serviceUrl, webhookSecret, onDeath } = options;
  const workerd = await startWorkerd(
    convertV4MiniflareOptions({
      name: "hub",
      modules: true,
      script: await bundleHub(),
      compatibilityDate: COMPATIBILITY_DATE,
      bindings: {
        SERVICE_URL: serviceUrl,
        WEBHOOK_SECRET: webhookSecret,
        SESSION_COOKIE: "hub_session",
      },
      durableObjects: HUB_OBJECTS,
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
      if (!response.ok) throw new Error(`the hub refused ${method} ${path}: ${text}`);
      return text === "" ? null : JSON.parse(text);
    },
    dispose: workerd.dispose,
  };
}
