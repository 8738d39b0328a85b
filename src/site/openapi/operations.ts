/** The order is that of `/openapi.json` and `/docs`. Schemas are those that validate requests. */
import { AUTH } from "../../accounts/auth.openapi.ts";
import { NOTIFICATIONS } from "../../accounts/notifications.openapi.ts";
import { WALLET } from "../../accounts/wallet.openapi.ts";
import { HUB_WEBHOOK } from "../../accounts/webhook.openapi.ts";
import { PAGES } from "../../authoring/pages.openapi.ts";
import { PICTURES } from "../../authoring/pictures/pictures.openapi.ts";
import { PREVIEW } from "../../authoring/preview.openapi.ts";
import { REVISIONS } from "../../authoring/revisions.openapi.ts";
import { SLUGS } from "../../authoring/slugs.openapi.ts";
import { TOTALS } from "../../authoring/totals.openapi.ts";
import { EXPORT } from "../../authoring/transfer/export.openapi.ts";
import { IMPORT } from "../../authoring/transfer/import.openapi.ts";
import { READ_PAGE } from "../../authoring/transfer/read-page.openapi.ts";
import { SUGGESTIONS } from "../../blocks/ai/ai.openapi.ts";
import { DOWNLOAD } from "../../blocks/files/download.openapi.ts";
import { DOWNLOAD_LINK } from "../../blocks/files/download-link.openapi.ts";
import { FILES } from "../../blocks/files/files.openapi.ts";
import { NEWSLETTER } from "../../blocks/newsletter/newsletter.openapi.ts";
import { SUBSCRIBERS } from "../../blocks/newsletter/subscribers.openapi.ts";
import { MY_TIPS } from "../../blocks/tips/my-tips.openapi.ts";
import { TIP } from "../../blocks/tips/tip.openapi.ts";
import { WEBHOOKS } from "../../blocks/webhooks/webhooks.openapi.ts";
import { BEACON, PIXEL } from "../../counting/beacon.openapi.ts";
import { ERROR_LOG } from "../../counting/errors/error-log.openapi.ts";
import { REDIRECT } from "../../counting/redirect.openapi.ts";
import { IDENTITY } from "../../identity/identity.openapi.ts";
import { USERS } from "../../identity/users.openapi.ts";
import type { Operation } from "../../openapi/operation.ts";
import { OPERATORS } from "../../operate/actions.openapi.ts";
import { STATUS } from "../../operate/status.openapi.ts";
import { VCARD } from "../../pages/cards/vcard.openapi.ts";
import { PAGE } from "../../pages/page.openapi.ts";
import { STATS } from "../../stats/stats.openapi.ts";
import { HEALTH } from "../health.openapi.ts";
import { SITE_FILES, SITEMAPS } from "../site.openapi.ts";

export const OPERATIONS: readonly Operation[] = [
  ...BEACON,
  ...REDIRECT,
  ...PIXEL,
  ...STATS,
  ...PAGE,
  ...VCARD,
  ...PAGES,
  ...SLUGS,
  ...REVISIONS,
  ...TOTALS,
  ...PREVIEW,
  ...PICTURES,
  ...EXPORT,
  ...IMPORT,
  ...READ_PAGE,
  ...TIP,
  ...MY_TIPS,
  ...FILES,
  ...DOWNLOAD_LINK,
  ...DOWNLOAD,
  ...NEWSLETTER,
  ...SUBSCRIBERS,
  ...WEBHOOKS,
  ...SUGGESTIONS,
  ...AUTH,
  ...IDENTITY,
  ...WALLET,
  ...NOTIFICATIONS,
  ...HUB_WEBHOOK,
  ...OPERATORS,
  ...USERS,
  ...ERROR_LOG,
  ...HEALTH,
  ...SITEMAPS,
  ...STATUS,
  ...SITE_FILES,
];
