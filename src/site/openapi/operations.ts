/**
 * All operations: the source of `/openapi.json` and of `/docs`, in both languages. The schemas of bodies
 * and parameters are those that validate requests.
 */
import { ACCOUNTS } from "./accounts.ts";
import { SUGGESTIONS } from "./ai.ts";
import { ANALYTICS } from "./analytics.ts";
import { AUTHORING } from "./authoring.ts";
import { COUNTING } from "./counting.ts";
import { DOWNLOADS } from "./downloads.ts";
import { NEWSLETTERS } from "./newsletter.ts";
import type { Operation } from "./operation.ts";
import { OPERATORS } from "./operators.ts";
import { PAGE_FILES } from "./page-files.ts";
import { PAGE_HISTORY } from "./page-history.ts";
import { PAGES } from "./pages.ts";
import { SERVICE } from "./service.ts";
import { SESSIONS } from "./sessions.ts";
import { TIPS } from "./tips.ts";
import { WEBHOOKS } from "./webhooks.ts";

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
