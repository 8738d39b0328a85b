/** The addresses of accounts in the box: only constants, for pages, their scripts and routes. */

export const SIGN_IN_PAGE = "/account/sign-in";
export const RECOVER_PAGE = "/account/recover";
export const ACCOUNT_PAGE = "/account";

// A form's first request goes to the same path with `/options` behind it.
export const PASSKEY_PATH = "/api/auth/passkey";
export const SETUP_PATH = "/api/auth/setup";
export const SIGN_UP_PATH = "/api/auth/sign-up";
export const RECOVER_PATH = "/api/auth/recover";

export const MY_ACCOUNT_PATH = "/api/me/account";
export const KEEP_PATH = "/api/me/account/keep";
export const MY_PASSKEYS_PATH = "/api/me/account/passkeys";
export const MY_SESSIONS_PATH = "/api/me/account/sessions";
export const MY_CODES_PATH = "/api/me/account/codes";
