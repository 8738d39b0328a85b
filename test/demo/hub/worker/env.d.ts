interface Env {
  STORE: DurableObjectNamespace<import("./store.ts").HubStore>;
  /** Origin of the service, to which users return and webhooks are sent. */
  SERVICE_URL: string;
  /** Shared with the service: `whsec_` and base64. */
  WEBHOOK_SECRET: string;
  SESSION_COOKIE: string;
}
