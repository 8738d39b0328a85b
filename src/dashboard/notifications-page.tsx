/** The script marks all as read. */
import { addressOf, textOf } from "../accounts/notification-texts.ts";
import type { StoredNotification } from "../accounts/notifications-store.ts";
import { assetUrl } from "../views/assets.ts";
import { dateFormat, TIME_OPTIONS } from "../views/dates.ts";
import { Icon } from "../views/icons.tsx";
import { languageOf } from "../views/numbering.ts";
import { changed } from "./addresses.ts";
import { DashboardFrame, type Frame } from "./dashboard-frame.tsx";
import { NOTIFICATIONS_TEXTS } from "./notifications-texts.ts";
import { Pager } from "./pager.tsx";

interface NotificationsPageProps extends Frame {
  notifications: readonly StoredNotification[];
  next_cursor: string | null;
}

export function NotificationsPage(props: NotificationsPageProps) {
  const { locale, notifications } = props;
  const texts = NOTIFICATIONS_TEXTS[languageOf(locale)];
  return (
    <DashboardFrame
      frame={props}
      title={texts.title}
      main_id="notifications"
      head={<script defer src={assetUrl("notifications.js")} />}
    >
      <main class="dashboard narrow" id="notifications" tabindex={-1} data-locale={locale}>
        <div class="title">
          <h1>{texts.title}</h1>
          <button class="quiet" type="button" data-read-all hidden>
            <Icon name="check" />
            {texts.read_all}
          </button>
        </div>
        {notifications.length === 0 ? (
          <section class="card nothing">
            <Icon name="bell" />
            <h2>{texts.none}</h2>
            <p>{texts.none_why}</p>
          </section>
        ) : (
          <ol class="card notices">
            {notifications.map((notification) => (
              <Notice {...props} notification={notification} />
            ))}
          </ol>
        )}
        <Pager {...props} label={texts.title} />
      </main>
    </DashboardFrame>
  );
}

function Notice(props: NotificationsPageProps & { notification: StoredNotification }) {
  const { locale, url, tz, notification } = props;
  const { id, created_at, read_at } = notification;
  const address = addressOf(notification);
  const at = dateFormat(locale, tz, {
    day: "numeric",
    month: "long",
    year: "numeric",
    ...TIME_OPTIONS,
  });
  const text = textOf(notification, locale);
  return (
    <li class="notice" data-unread={read_at === null ? id : undefined}>
      {address === null ? (
        <p dir="auto">{text}</p>
      ) : (
        <a href={withLanguage(address, url)} dir="auto">
          {text}
        </a>
      )}
      <p class="why">
        <time datetime={new Date(created_at).toISOString()}>{at.format(created_at)}</time>
        {read_at === null && (
          <span class="badge fresh">{NOTIFICATIONS_TEXTS[languageOf(locale)].fresh}</span>
        )}
      </p>
    </li>
  );
}

/** A page of the dashboard opens in the language that was chosen for this one. */
function withLanguage(address: string, url: URL): string {
  const lang = url.searchParams.get("lang");
  if (lang === null || !address.startsWith("/dashboard/")) return address;
  return changed(new URL(address, url), { lang });
}
