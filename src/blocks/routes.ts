import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { ai } from "./ai/ai-route.ts";
import { downloadLinks } from "./files/download-link-route.ts";
import { download } from "./files/download-route.ts";
import { files } from "./files/files-route.ts";
import { newsletterPage } from "./newsletter/newsletter-page-route.tsx";
import { newsletter } from "./newsletter/newsletter-route.ts";
import { subscribersPage } from "./newsletter/subscribers-page-route.ts";
import { subscribers } from "./newsletter/subscribers-route.ts";
import { myTips } from "./tips/my-tips-route.ts";
import { tipPage } from "./tips/tip-page-route.tsx";
import { tip } from "./tips/tip-route.ts";
import { tipsPage } from "./tips/tips-page-route.ts";
import { walletPage } from "./tips/wallet-page-route.ts";
import { webhooksPage } from "./webhooks/webhooks-page-route.ts";
import { pageWebhooks } from "./webhooks/webhooks-route.ts";

export const blockRoutes = new Hono<AppEnv>()
  .route("/", tip)
  .route("/", myTips)
  .route("/", tipPage)
  .route("/", tipsPage)
  .route("/", walletPage)
  .route("/", files)
  .route("/", downloadLinks)
  .route("/", download)
  .route("/", newsletter)
  .route("/", newsletterPage)
  .route("/", subscribers)
  .route("/", subscribersPage)
  .route("/", pageWebhooks)
  .route("/", webhooksPage)
  .route("/", ai);
