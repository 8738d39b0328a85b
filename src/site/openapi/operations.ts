/**
 * All operations: the source of `/openapi.json` and of `/docs`, in both languages. The schemas of bodies
 * and parameters are those that validate requests.
 */

import { SESSIONS } from "../../accounts/auth.openapi.ts";
import { ACCOUNTS } from "../../accounts/notifications.openapi.ts";
import { SUGGESTIONS } from "../../ai/ai.openapi.ts";
import { AUTHORING } from "../../authoring/pages.openapi.ts";
import { PAGE_HISTORY } from "../../authoring/revisions.openapi.ts";
import { PAGE_FILES } from "../../authoring/transfer/import.openapi.ts";
import { COUNTING } from "../../counting/beacon.openapi.ts";
import { DOWNLOADS } from "../../files/files.openapi.ts";
import { NEWSLETTERS } from "../../newsletter/subscribers.openapi.ts";
import { OPERATORS } from "../../operate/actions.openapi.ts";
import { PAGES } from "../../pages/page.openapi.ts";
import { ANALYTICS } from "../../stats/stats.openapi.ts";
import { TIPS } from "../../tips/my-tips.openapi.ts";
import { WEBHOOKS } from "../../webhooks/webhooks.openapi.ts";
import { SERVICE } from "../site.openapi.ts";
import type { Operation } from "./operation.ts";

export const OPERATIONS: readonly Operation[] = [
  ...COUNTING,
  ...ANALYTICS,
  ...PAGES,
  ...AUTHORING,
  ...PAGE_HISTORY,
  ...PAGE_FILES,
  ...TIPS,
  ...DOWNLOADS,
  ...NEWSLETTERS,
  ...WEBHOOKS,
  ...SUGGESTIONS,
  ...SESSIONS,
  ...ACCOUNTS,
  ...OPERATORS,
  ...SERVICE,
];
