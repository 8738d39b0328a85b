import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { editor } from "./editor/editor-route.tsx";
import { qr } from "./editor/qr-route.tsx";
import { authoring } from "./pages-route.ts";
import { pictures } from "./pictures/pictures-route.ts";
import { preview } from "./preview-route.tsx";
import { revisions } from "./revisions-route.ts";
import { slugs } from "./slugs-route.ts";
import { totals } from "./totals-route.ts";
import { exporting } from "./transfer/export-route.ts";
import { importing } from "./transfer/import-route.ts";
import { readingPages } from "./transfer/read-page-route.ts";

// `import` and `read` are no page's id, so their routes come first.
export const authoringRoutes = new Hono<AppEnv>()
  .route("/", importing)
  .route("/", readingPages)
  .route("/", exporting)
  .route("/", authoring)
  .route("/", preview)
  .route("/", revisions)
  .route("/", totals)
  .route("/", slugs)
  .route("/", pictures)
  .route("/", editor)
  .route("/", qr);
