import { adminAddress, publicAddress } from "../dashboard/addresses.ts";
import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { defaultLocale, textIn } from "../pages/document/page-words.ts";
import type { Page } from "../pages/document/pages-store.ts";
import type { OperatorAction, Takedown } from "../pages/document/takedowns-store.ts";
import { formatNumber } from "../views/numbers.ts";
import { plainText } from "../views/plain-text.ts";
import { AdminFrame, Moment } from "./admin-frame.tsx";
import { Find } from "./find.tsx";
import { TAKEDOWN_REASON_CHARS_MAX } from "./takedown.ts";
import { OPERATE_TEXTS } from "./texts.ts";
import type { PageTraffic } from "./traffic-store.ts";

interface PagesProps {
  frame: Frame;
  pages: readonly PageTraffic[];
  /** A search text without a page. */
  missing: string | null;
}

export function PagesPage({ frame, pages, missing }: PagesProps) {
  const { locale } = frame;
  const texts = OPERATE_TEXTS[locale];
  return (
    <AdminFrame frame={frame} part="pages" title={texts.pages}>
      <Find frame={frame} action="/admin/pages" q={missing ?? ""} texts={texts} />
      {missing !== null && (
        <p class="card" role="status">
          {texts.not_found}
        </p>
      )}
      <section class="card">
        <p class="why">{texts.traffic_why}</p>
        {pages.length === 0 ? (
          <p>{texts.none_of_pages}</p>
        ) : (
          <table class="listed">
            <thead>
              <tr>
                <th scope="col">{texts.page}</th>
                <th scope="col">{texts.views}</th>
                <th scope="col">{texts.clicks}</th>
                <th scope="col">{texts.status}</th>
              </tr>
            </thead>
            <tbody>
              {pages.map(({ page_id, name, slug, views, clicks, status }) => (
                <tr>
                  <td>
                    <a href={adminAddress(frame, `/admin/pages/${encodeURIComponent(page_id)}`)}>
                      <bdi>{plainText(name) || slug}</bdi>
                    </a>
                  </td>
                  <td class="number">{formatNumber(locale, views)}</td>
                  <td class="number">{formatNumber(locale, clicks)}</td>
                  <td>{texts[status]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </AdminFrame>
  );
}

interface PageProps {
  frame: Frame;
  page: Page;
  traffic: PageTraffic | null;
  takedown: Takedown | null;
  actions: readonly OperatorAction[];
}

export function PagePage({ frame, page, traffic, takedown, actions }: PageProps) {
  const { locale } = frame;
  const texts = OPERATE_TEXTS[locale];
  const name = plainText(textIn(page.name, defaultLocale(page)));
  const address = publicAddress(page.slug);
  return (
    <AdminFrame frame={frame} part="pages" title={name || page.slug}>
      <section class="card">
        <dl class="facts">
          <dt>{texts.address}</dt>
          <dd>
            <a href={address}>
              <bdi dir="ltr">/{page.slug}</bdi>
            </a>
          </dd>
          <dt>{texts.page}</dt>
          <dd>
            <bdi dir="ltr">{page.page_id}</bdi>
          </dd>
          <dt>{texts.owner}</dt>
          <dd>
            <bdi dir="ltr">{page.owner_id ?? "–"}</bdi>
          </dd>
          <dt>{texts.status}</dt>
          <dd>{texts[page.status]}</dd>
          <dt>{texts.views}</dt>
          <dd>{formatNumber(locale, traffic?.views ?? 0)}</dd>
          <dt>{texts.clicks}</dt>
          <dd>{formatNumber(locale, traffic?.clicks ?? 0)}</dd>
        </dl>
      </section>
      <section class="card">
        {takedown === null ? (
          <TakeDown frame={frame} page={page} />
        ) : (
          <>
            <h2>{texts.taken_down}</h2>
            <p dir="auto">{takedown.reason}</p>
            <p class="why">
              <Moment frame={frame} at_ms={takedown.at} /> · {texts.reinstate_what}
            </p>
            <form data-action={takedownPath(page)} data-method="DELETE">
              <button class="primary" type="submit">
                {texts.reinstate}
              </button>
            </form>
          </>
        )}
        <noscript>
          <p>{texts.needs_script}</p>
        </noscript>
      </section>
      <section class="card">
        <h2>{texts.history}</h2>
        {actions.length === 0 ? (
          <p>{texts.no_history}</p>
        ) : (
          <ul class="plain">
            {actions.map(({ user_id, what, reason, at }) => (
              <li>
                <bdi>{user_id}</bdi> {texts.did[what]}
                {reason !== "" && (
                  <>
                    {": "}
                    <bdi>{reason}</bdi>
                  </>
                )}
                <p class="why">
                  <Moment frame={frame} at_ms={at} />
                </p>
              </li>
            ))}
          </ul>
        )}
      </section>
    </AdminFrame>
  );
}

function takedownPath({ page_id }: Page): string {
  return `/api/admin/pages/${encodeURIComponent(page_id)}/takedown`;
}

function TakeDown({ frame, page }: { frame: Frame; page: Page }) {
  const texts = OPERATE_TEXTS[frame.locale];
  return (
    <>
      <h2>{texts.takedown}</h2>
      {page.status === "suspended" && <p>{texts.by_hub}</p>}
      <p class="why" id="takedown-what">
        {texts.takedown_what}
      </p>
      <form class="reason" data-action={takedownPath(page)} aria-describedby="takedown-what">
        <label for="reason">{texts.reason}</label>
        <textarea
          id="reason"
          name="reason"
          rows={3}
          required
          dir="auto"
          maxlength={TAKEDOWN_REASON_CHARS_MAX}
        />
        <button class="primary" type="submit">
          {texts.takedown}
        </button>
      </form>
    </>
  );
}
