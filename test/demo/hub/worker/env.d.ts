interface Env {
  STORE: DurableObjectNamespace<import("./store.ts").HubStore>;
  /** The service's origin: where people go back to, and where webhooks are sent. */
  SERVICE_URL: string;
  /** Shared with the service: `whsec_` and base64. */
  WEBHOOK_SECRET: string;
  /** What the session's cookie is called. */
  SESSION_COOKIE: string;
}
