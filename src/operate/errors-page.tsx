import { adminAddress } from "../dashboard/addresses.ts";
import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { AdminFrame, Moment } from "./admin-frame.tsx";
import type { ErrorGroup, ErrorSample } from "./errors-store.ts";
import { OPERATE_TEXTS } from "./texts.ts";

function isNew({ n, seen_n }: ErrorGroup): boolean {
  return n > (seen_n ?? 0);
}

export function ErrorsPage({ frame, groups }: { frame: Frame; groups: readonly ErrorGroup[] }) {
  const texts = OPERATE_TEXTS[frame.locale];
  return (
    <AdminFrame frame={frame} part="errors" title={texts.errors}>
      {groups.length === 0 ? (
        <section class="card nothing">
          <h2>{texts.none_of_errors}</h2>
        </section>
      ) : (
        <ol class="card notices">
          {groups.map((group) => (
            <li class="notice">
              <a
                href={adminAddress(frame, `/admin/errors/${encodeURIComponent(group.fingerprint)}`)}
                dir="ltr"
              >
                {group.message}
              </a>
              <p class="why">
                {texts.reports(group.n)} · {texts.last_seen}{" "}
                <Moment frame={frame} at_ms={group.last_seen} />
                {isNew(group) && <span class="badge fresh">{texts.fresh}</span>}
              </p>
            </li>
          ))}
        </ol>
      )}
    </AdminFrame>
  );
}

export function ErrorPage({ frame, group }: { frame: Frame; group: ErrorSample }) {
  const texts = OPERATE_TEXTS[frame.locale];
  const { fingerprint, n, page_id, url } = group;
  return (
    <AdminFrame frame={frame} part="errors" title={texts.reports(n)}>
      <section class="card">
        <h2 dir="ltr">{group.message}</h2>
        <dl class="facts">
          <dt>{texts.first_seen}</dt>
          <dd>
            <Moment frame={frame} at_ms={group.first_seen} />
          </dd>
          <dt>{texts.last_seen}</dt>
          <dd>
            <Moment frame={frame} at_ms={group.last_seen} />
          </dd>
          <dt>{texts.severity}</dt>
          <dd>
            <bdi>{group.severity}</bdi>
          </dd>
          {url !== "" && (
            <>
              <dt>{texts.address}</dt>
              <dd>
                <bdi dir="ltr">{url}</bdi>
              </dd>
            </>
          )}
          {page_id !== "" && (
            <>
              <dt>{texts.page}</dt>
              <dd>
                <a href={adminAddress(frame, `/admin/pages/${encodeURIComponent(page_id)}`)}>
                  <bdi>{page_id}</bdi>
                </a>
              </dd>
            </>
          )}
        </dl>
        {group.stack !== "" && (
          <>
            <h3>{texts.stack}</h3>
            {/* Focusable, because it scrolls. */}
            <pre dir="ltr" tabindex={0}>
              {group.stack}
            </pre>
          </>
        )}
        {isNew(group) && (
          <form
            data-action={`/api/admin/errors/${encodeURIComponent(fingerprint)}/seen`}
            data-body={JSON.stringify({ n })}
          >
            <button class="quiet" type="submit">
              {texts.mark_seen}
            </button>
          </form>
        )}
      </section>
    </AdminFrame>
  );
}
