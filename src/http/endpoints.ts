/** Names that routes and pages or their scripts use. Only constants: scripts bundle this file. */

export const BEACON_PATH = "/api/analytics/view";
export const ERROR_LOG_PATH = "/api/log/error";
export const LOGIN_PATH = "/api/auth/login";
export const LOGOUT_PATH = "/api/auth/logout";
export const SESSION_PATH = "/api/auth/session";
export const DOWNLOAD_PATH = "/api/download";
export const FILES_PATH = "/api/me/files";
/** In the address of a link that is followed: the id of the tap (docs/contract.md section 2). */
export const TAP_PARAMETER = "t";
/** An empty document in which the editor shows a page. */
export const PREVIEW_FRAME_PATH = "/dashboard/preview-frame";
/** The request header that carries the CSRF token. */
export const CSRF_HEADER = "X-CSRF-Token";
/** By this header and value a client tells the service's own answers from others. */
export const API_VERSION_HEADER = "X-API-Version";
export const API_VERSION = "3";
