/** Names of routes for descriptions, pages and scripts, which bundle this file: only constants. */

export const BEACON_PATH = "/api/analytics/view";
export const REDIRECT_PATH = "/r/:page_id/:link_id";
export const ERROR_LOG_PATH = "/api/log/error";

export const LOGIN_PATH = "/api/auth/login";
export const LOGOUT_PATH = "/api/auth/logout";
export const SESSION_PATH = "/api/auth/session";
// A passkey's first request goes to the same path with `/options` behind it.
export const ACCOUNT_PAGE = "/account";
export const SIGN_IN_PAGE = "/account/sign-in";
export const RECOVER_PAGE = "/account/recover";
export const SETUP_PAGE = "/setup";
export const INVITE_PAGE = "/invite";
export const USERS_PAGE = "/admin/users";
export const PASSKEY_PATH = "/api/auth/passkey";
export const SETUP_PATH = "/api/auth/setup";
export const SIGN_UP_PATH = "/api/auth/sign-up";
export const RECOVER_PATH = "/api/auth/recover";
export const CODE_PATH = "/api/auth/code";
export const VERIFY_CODE_PATH = "/api/auth/code/verify";
export const ISSUER_PATH = "/api/auth/issuer";
export const MY_ACCOUNT_PATH = "/api/me/account";
export const KEEP_PATH = "/api/me/account/keep";
export const MY_PASSKEYS_PATH = "/api/me/account/passkeys";
export const MY_SESSIONS_PATH = "/api/me/account/sessions";
export const MY_CODES_PATH = "/api/me/account/codes";
export const MY_EMAIL_PATH = "/api/me/account/email";
export const VERIFY_MY_EMAIL_PATH = "/api/me/account/email/verify";
export const MY_IDENTITIES_PATH = "/api/me/account/identities";
export const USERS_PATH = "/api/admin/users";
export const INVITATIONS_PATH = "/api/admin/invitations";

export const WALLET_PATH = "/api/me/wallet";
export const NOTIFICATIONS_PATH = "/api/me/notifications";
export const READ_NOTIFICATIONS_PATH = "/api/me/notifications/read";
export const HUB_WEBHOOK_PATH = "/api/webhooks/hub";

export const PAGES_PATH = "/api/me/pages";
export const IMPORT_PATH = "/api/me/pages/import";
export const READ_PAGE_PATH = "/api/me/pages/read";
export const PAGE_PATH = "/api/me/pages/:page_id";
export const UNDELETE_PATH = "/api/me/pages/:page_id/undelete";
export const PREVIEW_PATH = "/api/me/pages/:page_id/preview";
export const TOTALS_PATH = "/api/me/pages/:page_id/totals";
export const REVISIONS_PATH = "/api/me/pages/:page_id/revisions";
export const REVISION_PATH = "/api/me/pages/:page_id/revisions/:version";
export const RESTORE_REVISION_PATH = "/api/me/pages/:page_id/revisions/:version/restore";
export const PICTURES_PATH = "/api/me/pages/:page_id/pictures";
export const EXPORT_PATH = "/api/me/pages/:page_id/export";
export const STATS_PATH = "/api/me/pages/:page_id/stats";
export const STATS_CSV_PATH = "/api/me/pages/:page_id/stats.csv";
export const AUDIT_PATH = "/api/me/pages/:page_id/audit";
export const SLUGS_PATH = "/api/me/slugs";
export const SLUG_PATH = "/api/me/slugs/:slug";

export const SEND_TIP_PATH = "/api/tip";
export const SENT_TIPS_PATH = "/api/me/tips";
export const RECEIVED_TIPS_PATH = "/api/me/pages/:page_id/tips";

export const FILES_PATH = "/api/me/files";
export const FILE_PATH = "/api/me/files/:file_id";
export const FILE_PART_PATH = "/api/me/files/:file_id/parts/:n";
export const COMPLETE_FILE_PATH = "/api/me/files/:file_id/complete";
export const DOWNLOAD_LINK_PATH = "/api/me/pages/:page_id/links/:link_id/download-link";
export const DOWNLOAD_PATH = "/api/download";

export const NEWSLETTER_PATH = "/api/newsletter";
export const SUBSCRIBERS_PATH = "/api/me/pages/:page_id/subscribers";
export const SUBSCRIBERS_CSV_PATH = "/api/me/pages/:page_id/subscribers.csv";
export const SUBSCRIBER_PATH = "/api/me/pages/:page_id/subscribers/:id";

export const WEBHOOKS_PATH = "/api/me/pages/:page_id/webhooks";
export const WEBHOOK_PATH = "/api/me/pages/:page_id/webhooks/:id";
export const WEBHOOK_SECRET_PATH = "/api/me/pages/:page_id/webhooks/:id/secret";
export const TEST_WEBHOOK_PATH = "/api/me/pages/:page_id/webhooks/:id/test";
export const DELIVERIES_PATH = "/api/me/pages/:page_id/webhook-deliveries";
export const DELIVERY_PATH = "/api/me/pages/:page_id/webhook-deliveries/:id";
export const SEND_AGAIN_PATH = "/api/me/pages/:page_id/webhook-deliveries/:id/send";

export const AI_BIO_PATH = "/api/ai/bio";
export const AI_LABELS_PATH = "/api/ai/labels";
export const AI_TRANSLATE_PATH = "/api/ai/translate";
export const AI_ALT_PATH = "/api/ai/alt";

export const TAKEDOWN_PATH = "/api/admin/pages/:page_id/takedown";
export const SEEN_ERROR_PATH = "/api/admin/errors/:fingerprint/seen";

export const HEALTH_PATH = "/health";
export const DEEP_HEALTH_PATH = "/health/deep";
export const STATUS_PATH = "/status";
export const STATUS_JSON_PATH = "/status.json";
export const SITEMAP_PATH = "/sitemap.xml";
export const ROBOTS_PATH = "/robots.txt";
export const MANIFEST_PATH = "/manifest.json";
export const LLMS_PATH = "/llms.txt";
export const OPENAPI_PATH = "/openapi.json";
export const DOCS_PATH = "/docs";
export const PREVIEW_FRAME_PATH = "/dashboard/preview-frame";

/** Carries the id of the tap in the address of a link (docs/contract.md section 2). */
export const TAP_PARAMETER = "t";
export const CSRF_HEADER = "X-CSRF-Token";
/** A client tells the service's own answers from others by this header and its value. */
export const API_VERSION_HEADER = "X-API-Version";
export const API_VERSION = "3";
