/** The identity Worker's routes; with an account hub they do not exist (docs/contract.md section 8). */

import { hasOwnAccounts } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import {
  ACCOUNT_PAGE,
  INVITATIONS_PATH,
  INVITE_PAGE,
  MY_ACCOUNT_PATH,
  SETUP_PAGE,
  USERS_PATH,
} from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { askIdentity } from "./ask-identity.ts";

export const identity = new Hono<AppEnv>();

const PATHS = [
  ...[ACCOUNT_PAGE, `${ACCOUNT_PAGE}/*`, SETUP_PAGE, INVITE_PAGE],
  ...["/api/auth/*", MY_ACCOUNT_PATH, `${MY_ACCOUNT_PATH}/*`],
  ...[USERS_PATH, `${USERS_PATH}/*`],
  ...[INVITATIONS_PATH, `${INVITATIONS_PATH}/*`],
];

for (const path of PATHS) {
  identity.use(path, async (c, next) => {
    if (!hasOwnAccounts(c.env)) return next();
    let response: Response | undefined;
    await exactLimit(c, async () => {
      response = await askIdentity(c);
    });
    return response;
  });
}
