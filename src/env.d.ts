/**
 * The router's bindings and settings; the objects' are in `objects/env.d.ts`. The types are those
 * of a valid deployment: at run time a setting may be missing or malformed, so only `config.ts`
 * reads them, and checks them first.
 */
declare namespace Cloudflare {
  interface Env {
    ERROR_LOG: DurableObjectNamespace<import("../objects/errors/error-log.ts").ErrorLog>;
    /** Keys are ids of users who tip. */
    TIPS: DurableObjectNamespace<import("../objects/blocks/tips/tip-sender.ts").TipSender>;
    /** Keys are `page_id`s. */
    DOWNLOADS: DurableObjectNamespace<
      import("../objects/blocks/downloads/download-uses.ts").DownloadUses
    >;
    KV: KVNamespace;
    MEDIA: R2Bucket;
    /** Makes the photos of contact cards; they have none where it is missing. */
    IMAGES?: ImagesBinding;
    ASSETS: Fetcher;
    /** The second Worker, for what is rare and heavy: the first one starts faster without it. */
    WORKSHOP: Service<typeof import("./workshop/index.ts").default>;
    /** The third Worker, for accounts where there is no hub. */
    IDENTITY: Service<typeof import("./identity/index.ts").default>;
    EDGE_LIMIT: RateLimit;
    SIGN_UP: "invite" | "open" | "closed";
    NEW_USER_PLAN: "free" | "pro" | "business";
    /** Secret: the first owner makes their account with it; absent or `''`: none can be made. */
    SETUP_CODE?: string;
    /** An OpenID Connect issuer and its name for people; `''` or absent, as all below: none. */
    OIDC_ISSUER?: string;
    OIDC_NAME?: string;
    /** Issuers know this service by these ids. The secrets are secrets. */
    OIDC_CLIENT_ID?: string;
    OIDC_CLIENT_SECRET?: string;
    GOOGLE_CLIENT_ID?: string;
    GOOGLE_CLIENT_SECRET?: string;
    GITHUB_CLIENT_ID?: string;
    GITHUB_CLIENT_SECRET?: string;
    /** Limiter objects that all senders share; "0": one object for each sender. */
    LIMITER_SHARDS: string;
    /** Requests that meet in an isolate share calls of objects. */
    SHARED_CALLS: "on" | "off";
    /** Events of all pages together in a UTC day, against cost; `''` or absent: no limit. */
    EVENTS_PER_DAY?: string;
    /** The hub's sign-in page; `''` without a hub, as the next two. */
    AUTH_URL: string;
    /** An OpenAI-compatible endpoint, and its model; `''`: there are no suggestions. */
    AI_URL: string;
    AI_MODEL: string;
    /** Secret: the endpoint's key; absent where it needs none. */
    AI_KEY?: string;
    /** Ids of the hub's users who see /admin, separated by commas; `''`: nobody. */
    OPERATORS: string;
    /** Secret: lets a program read /admin/metrics; absent: none may. */
    METRICS_TOKEN?: string;
    /** Gets the numbers of /admin/metrics each minute; absent: nothing does. */
    METRICS?: AnalyticsEngineDataset;
    /** Secret, named as in 3.1: signs calls of dumps and loads; `''` or absent: there are none. */
    BACKUP_KEY?: string;
  }
  interface GlobalProps {
    mainModule: typeof import("./index.ts");
  }
}
