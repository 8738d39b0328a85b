import type { Child } from "hono/jsx";
import { adminAddress } from "../dashboard/addresses.ts";
import { DashboardFrame, type Frame } from "../dashboard/dashboard-frame.tsx";
import { USERS_PAGE } from "../http/endpoints.ts";
import { assetUrl } from "../views/assets.ts";
import { dateFormat, TIME_OPTIONS } from "../views/dates.ts";
import { OPERATE_TEXTS } from "./texts.ts";

const PARTS = [
  ["overview", "/admin"],
  ["errors", "/admin/errors"],
  ["pages", "/admin/pages"],
  ["users", USERS_PAGE],
] as const;

export function AdminFrame(props: {
  frame: Frame;
  part: (typeof PARTS)[number][0];
  title: string;
  children?: Child;
}) {
  const { frame, part, title } = props;
  const texts = OPERATE_TEXTS[frame.locale];
  return (
    <DashboardFrame
      frame={frame}
      title={title}
      main_id="operations"
      head={
        <>
          <link rel="stylesheet" href={assetUrl("admin.css")} />
          <script defer src={assetUrl("admin.js")} />
        </>
      }
    >
      <main class="dashboard" id="operations" tabindex={-1} data-failed={texts.failed}>
        <nav class="parts" aria-label={texts.parts}>
          {PARTS.filter(([name]) => name !== "users" || frame.has_own_accounts).map(
            ([name, path]) => (
              <a
                class="quiet"
                href={adminAddress(frame, path)}
                aria-current={name === part ? "page" : undefined}
              >
                {texts[name]}
              </a>
            ),
          )}
        </nav>
        <div class="title">
          <h1>
            <bdi>{title}</bdi>
          </h1>
        </div>
        {props.children}
      </main>
    </DashboardFrame>
  );
}

/** Exact to a minute, in the reader's language and zone. */
export function Moment({ frame, at_ms }: { frame: Frame; at_ms: number }) {
  const { locale, tz } = frame;
  const format = dateFormat(locale, tz, { day: "numeric", month: "short", ...TIME_OPTIONS });
  return <time datetime={new Date(at_ms).toISOString()}>{format.format(at_ms)}</time>;
}
