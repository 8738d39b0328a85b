/**
 * The router's bindings and settings; the objects' are in `objects/env.d.ts`. The types of the
 * settings are those of a valid deployment: at run time one may be missing or malformed, so only
 * `config.ts` reads them, and checks them first.
 */
declare namespace Cloudflare {
  interface Env {
    ERROR_LOG: DurableObjectNamespace<import("../objects/errors/error-log.ts").ErrorLog>;
    /** By the id of the user who tips. */
    TIPS: DurableObjectNamespace<import("../objects/tips/tip-sender.ts").TipSender>;
    /** By `page_id`. */
    DOWNLOADS: DurableObjectNamespace<import("../objects/downloads/download-uses.ts").DownloadUses>;
    KV: KVNamespace;
    MEDIA: R2Bucket;
    /** Makes the photos of contact cards; they have none where it is missing. */
    IMAGES?: ImagesBinding;
    ASSETS: Fetcher;
    /** The second Worker, for what is rare and heavy. */
    WORKSHOP: Service<typeof import("./workshop/index.ts").default>;
    EDGE_LIMIT: RateLimit;
    /** Number of limiter objects that all senders share; "0": one object for each sender. */
    LIMITER_SHARDS: string;
    /** Whether requests that meet in an isolate share calls of objects. */
    SHARED_CALLS: "on" | "off";
    /** The address of the hub's sign-in page. */
    AUTH_URL: string;
    /** Name of the hub's session cookie. */
    HUB_SESSION_COOKIE: string;
    /** An OpenAI-compatible endpoint, and its model; `''`: there are no suggestions. */
    AI_URL: string;
    AI_MODEL: string;
    /** Secret: the endpoint's key; absent where it needs none. */
    AI_KEY?: string;
    /** Ids of the hub's users who see /admin, separated by commas; `''`: nobody. */
    OPERATORS: string;
    /** Secret: lets a program read /admin/metrics; absent: none may. */
    METRICS_TOKEN?: string;
    /** Gets the same numbers each minute; absent: nothing does. */
    METRICS?: AnalyticsEngineDataset;
    /** Secret: key of the session cache, of CSRF tokens, and of the signature of `owner_of`. */
    SESSION_KEY: string;
    /** Secret: signs the calls of dumps and loads; `''` or absent: there are none. Its name is of 3.1. */
    BACKUP_KEY?: string;
    /** Secret, shared with the hub: signs its webhooks; `whsec_` and base64. */
    HUB_WEBHOOK_SECRET: string;
  }
  interface GlobalProps {
    mainModule: typeof import("./index.ts");
  }
}
