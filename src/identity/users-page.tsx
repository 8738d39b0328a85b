import type { Child } from "hono/jsx";
import { adminAddress } from "../dashboard/addresses.ts";
import { CopyButton } from "../dashboard/copy-button.tsx";
import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { INVITATIONS_PATH, USERS_PAGE, USERS_PATH } from "../http/endpoints.ts";
import { AdminFrame, Moment } from "../operate/admin-frame.tsx";
import { Find } from "../operate/find.tsx";
import { TAKEDOWN_REASON_CHARS_MAX } from "../operate/takedown.ts";
import { OPERATE_TEXTS } from "../operate/texts.ts";
import type { PageName } from "../pages/document/pages-store.ts";
import { dateFormat } from "../views/dates.ts";
import { counted, formatNumber } from "../views/numbers.ts";
import { plainText } from "../views/plain-text.ts";
import type { Act, ListedAct } from "./acts-store.ts";
import type { GivenGift } from "./books-store.ts";
import type { FoundUsers } from "./find-users.ts";
import { GIFT_NOTE_CHARS_MAX, PLANS, type Plan } from "./limits.ts";
import type { ListedLink } from "./links-store.ts";
import type { User } from "./users-store.ts";
import { USERS_TEXTS } from "./users-texts.ts";

interface UsersProps extends FoundUsers {
  frame: Frame;
  q: string;
  can_invite: boolean;
  invitations: readonly ListedLink[];
  acts: readonly ListedAct[];
}

export function UsersPage(props: UsersProps) {
  const { frame, q, users, next_cursor } = props;
  const texts = USERS_TEXTS[frame.locale];
  return (
    <AdminFrame frame={frame} part="users" title={OPERATE_TEXTS[frame.locale].users}>
      <Find frame={frame} action={USERS_PAGE} q={q} texts={texts} dir="auto" />
      <section class="card">
        {users.length === 0 ? <p role="status">{texts.none_found}</p> : <Table {...props} />}
        {next_cursor !== null && (
          <a class="quiet" href={furtherAddress(frame, q, next_cursor)}>
            {q === "" ? texts.further : texts.search_further}
          </a>
        )}
      </section>
      <Invite {...props} />
      <Invitations {...props} />
      <Acts {...props} />
    </AdminFrame>
  );
}

function furtherAddress(frame: Frame, q: string, cursor: string): string {
  const query = new URLSearchParams({ ...(q !== "" && { q }), cursor });
  return adminAddress(frame, `${USERS_PAGE}?${query}`);
}

function userAddress(frame: Frame, user_id: string): string {
  return adminAddress(frame, `${USERS_PAGE}/${encodeURIComponent(user_id)}`);
}

function Table({ frame, users }: UsersProps) {
  const texts = USERS_TEXTS[frame.locale];
  return (
    <table class="listed">
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{texts.plan}</th>
          <th scope="col">{texts.state}</th>
          <th scope="col">{texts.since}</th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr>
            <td>
              <a href={userAddress(frame, user.id)}>
                <bdi>{plainText(user.name)}</bdi>
              </a>
            </td>
            <td>{texts.plans[user.plan]}</td>
            <td>{stateOf(frame, user)}</td>
            <td>
              <Day frame={frame} at_ms={user.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function stateOf({ locale }: Frame, { suspended_at, ends_at, is_operator }: User): string {
  const texts = USERS_TEXTS[locale];
  if (ends_at !== null) return texts.ending;
  if (suspended_at !== null) return texts.suspended;
  return is_operator ? texts.operator : texts.active;
}

function Day({ frame: { locale, tz }, at_ms }: { frame: Frame; at_ms: number }) {
  const format = dateFormat(locale, tz, { day: "numeric", month: "short", year: "numeric" });
  return <time datetime={new Date(at_ms).toISOString()}>{format.format(at_ms)}</time>;
}

function PlanChoice({ frame, id, plan }: { frame: Frame; id: string; plan: Plan }) {
  const texts = USERS_TEXTS[frame.locale];
  return (
    <>
      <label class="sr" for={id}>
        {texts.plan}
      </label>
      <select id={id} name="plan">
        {PLANS.map((each) => (
          <option value={each} selected={each === plan}>
            {texts.plans[each]}
          </option>
        ))}
      </select>
    </>
  );
}

function MadeLink({ frame: { locale } }: { frame: Frame }) {
  const texts = USERS_TEXTS[locale];
  return (
    <div class="made" data-made hidden>
      <p role="status">{texts.link_once}</p>
      <input type="text" readonly dir="ltr" aria-label={texts.link} />
      <CopyButton locale={locale} text="" />
    </div>
  );
}

function NeedsScript({ frame: { locale } }: { frame: Frame }) {
  return (
    <noscript>
      <p>{OPERATE_TEXTS[locale].needs_script}</p>
    </noscript>
  );
}

function Invite({ frame, can_invite }: UsersProps) {
  const texts = USERS_TEXTS[frame.locale];
  if (!can_invite) {
    return (
      <section class="card">
        <h2>{texts.invite}</h2>
        <p>{texts.closed}</p>
      </section>
    );
  }
  return (
    <section class="card">
      <h2>{texts.invite}</h2>
      <p class="why" id="invite-what">
        {texts.invite_what}
      </p>
      <form class="find ask" data-action={INVITATIONS_PATH} aria-describedby="invite-what">
        <PlanChoice frame={frame} id="invite-plan" plan="free" />
        <button class="primary" type="submit">
          {texts.invite_button}
        </button>
        <MadeLink frame={frame} />
      </form>
      <NeedsScript frame={frame} />
    </section>
  );
}

function Invitations({ frame, invitations }: UsersProps) {
  const texts = USERS_TEXTS[frame.locale];
  return (
    <section class="card" data-links>
      <h2>{texts.invitations}</h2>
      {invitations.length === 0 ? (
        <p>{texts.no_invitations}</p>
      ) : (
        <ul class="plain">
          {invitations.map(({ id, plan, expires_at }) => (
            <li>
              {plan !== null && texts.plans[plan]} · {texts.until}{" "}
              <Moment frame={frame} at_ms={expires_at} />
              <form data-action={`${INVITATIONS_PATH}/${id}`} data-method="DELETE">
                <button class="quiet" type="submit">
                  {texts.take_back}
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Acts({ frame, acts }: { frame: Frame; acts: readonly ListedAct[] }) {
  const texts = USERS_TEXTS[frame.locale];
  return (
    <section class="card">
      <h2>{texts.acts}</h2>
      {acts.length === 0 ? (
        <p>{texts.no_acts}</p>
      ) : (
        <ul class="plain">
          {acts.map(({ at, by_id, by_name, what, user_id, user_name, note }) => (
            <li>
              <bdi>{plainText(by_name)}</bdi> {texts.did[what]}
              {user_id !== null && user_id !== by_id && (
                <>
                  {": "}
                  <a href={userAddress(frame, user_id)}>
                    <bdi>{plainText(user_name ?? user_id)}</bdi>
                  </a>
                </>
              )}
              {note !== null && note !== "" && (
                <>
                  {" · "}
                  <bdi>{noteOf(frame, what, note)}</bdi>
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
  );
}

function noteOf({ locale }: Frame, what: Act, note: string): string {
  if (what !== "plan_changed" && what !== "invited") return plainText(note);
  return USERS_TEXTS[locale].plans[note as Plan];
}

interface UserProps {
  frame: Frame;
  user: User;
  is_self: boolean;
  is_named: boolean;
  sessions: number;
  ways_in: readonly ListedLink[];
  pages: readonly PageName[];
  acts: readonly ListedAct[];
  points: {
    held: number;
    gifts: readonly GivenGift[];
    /** The key of the next gift: a form that is sent twice gives once. */
    key: string;
  };
}

export function UserPage(props: UserProps) {
  const { frame, user, is_self } = props;
  const texts = USERS_TEXTS[frame.locale];
  return (
    <AdminFrame frame={frame} part="users" title={plainText(user.name)}>
      <Facts {...props} />
      <WaysIn {...props} />
      <Points {...props} />
      <Pages {...props} />
      {is_self ? (
        <section class="card">
          <p>{texts.own}</p>
        </section>
      ) : (
        <>
          <Operator {...props} />
          <Suspension {...props} />
          <Deletion {...props} />
        </>
      )}
      <Acts {...props} />
    </AdminFrame>
  );
}

function pathOf({ id }: User, act = ""): string {
  return `${USERS_PATH}/${encodeURIComponent(id)}${act}`;
}

function Facts({ frame, user, is_named, sessions }: UserProps) {
  const texts = USERS_TEXTS[frame.locale];
  return (
    <section class="card">
      <dl class="facts">
        <dt>{texts.id}</dt>
        <dd>
          <bdi dir="ltr">{user.id}</bdi>
        </dd>
        {user.email !== null && (
          <>
            <dt>{texts.email}</dt>
            <dd>
              <bdi dir="ltr">{user.email}</bdi>
            </dd>
          </>
        )}
        <dt>{texts.state}</dt>
        <dd>
          {stateOf(frame, user)}
          {is_named && ` · ${texts.named}`}
        </dd>
        <dt>{texts.since}</dt>
        <dd>
          <Day frame={frame} at_ms={user.created_at} />
        </dd>
        <dt>{texts.sessions}</dt>
        <dd>{formatNumber(frame.locale, sessions)}</dd>
      </dl>
      <form class="find ask" data-action={pathOf(user)} data-method="PATCH">
        <PlanChoice frame={frame} id="plan" plan={user.plan} />
        <button class="quiet" type="submit">
          {texts.change_plan}
        </button>
      </form>
      {sessions > 0 && (
        <form class="ask" data-action={pathOf(user, "/end-sessions")}>
          <button class="quiet" type="submit">
            {texts.end_sessions}
          </button>
        </form>
      )}
      <NeedsScript frame={frame} />
    </section>
  );
}

function Asking(props: {
  title: string;
  what: string;
  action: string;
  method?: "DELETE";
  body?: object;
  button: string;
  children?: Child;
}) {
  const { title, what, action, method, body, button } = props;
  return (
    <section class="card">
      <h2>{title}</h2>
      <p class="why">{what}</p>
      <form
        class="reason"
        data-action={action}
        data-method={method}
        data-body={body && JSON.stringify(body)}
      >
        {props.children}
        <button class="quiet" type="submit">
          {button}
        </button>
      </form>
    </section>
  );
}

function WaysIn({ frame, user, ways_in }: UserProps) {
  const texts = USERS_TEXTS[frame.locale];
  return (
    <section class="card">
      <h2>{texts.way_in}</h2>
      <p class="why" id="way-in-what">
        {texts.way_in_what}
      </p>
      {user.suspended_at === null && (
        <form class="find ask" data-action={pathOf(user, "/way-in")} aria-describedby="way-in-what">
          <button class="quiet" type="submit">
            {texts.invite_button}
          </button>
          <MadeLink frame={frame} />
        </form>
      )}
      <div data-links>
        {ways_in.length > 0 && (
          <form class="ask" data-action={pathOf(user, "/way-in")} data-method="DELETE">
            <p>{texts.ways_in(formatNumber(frame.locale, ways_in.length))}</p>
            <button class="quiet" type="submit">
              {texts.take_back}
            </button>
          </form>
        )}
      </div>
    </section>
  );
}

function Points({ frame, user, points }: UserProps) {
  const texts = USERS_TEXTS[frame.locale];
  const { held, gifts, key } = points;
  return (
    <section class="card">
      <h2>{texts.points}</h2>
      <p>
        {texts.held} {counted(frame.locale, "point", held)}
      </p>
      <p class="why" id="points-what">
        {texts.points_what}
      </p>
      <form class="reason" data-action={pathOf(user, "/points")} aria-describedby="points-what">
        <input type="hidden" name="key" value={key} />
        <label for="points">{texts.how_many}</label>
        <input id="points" name="points" type="number" step="1" required dir="ltr" />
        <label for="note">{texts.note}</label>
        <input
          id="note"
          type="text"
          name="note"
          required
          dir="auto"
          maxlength={GIFT_NOTE_CHARS_MAX}
        />
        <button class="quiet" type="submit">
          {texts.give}
        </button>
      </form>
      {gifts.length > 0 && (
        <ul class="plain">
          {gifts.map((gift) => (
            <li>
              <bdi dir="ltr">{formatNumber(frame.locale, gift.points)}</bdi>
              {" · "}
              <bdi>{plainText(gift.note)}</bdi>
              <p class="why">
                <Moment frame={frame} at_ms={gift.at} />
                {" · "}
                <bdi dir="ltr">{gift.by_id}</bdi>
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Pages({ frame, pages }: UserProps) {
  const texts = USERS_TEXTS[frame.locale];
  return (
    <section class="card">
      <h2>{texts.pages}</h2>
      {pages.length === 0 ? (
        <p>{texts.no_pages}</p>
      ) : (
        <ul class="plain listed">
          {pages.map(({ page_id, name, slug }) => (
            <li>
              <a href={adminAddress(frame, `/admin/pages/${encodeURIComponent(page_id)}`)}>
                <bdi>{plainText(name) || slug}</bdi>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Operator({ frame, user }: UserProps) {
  const texts = USERS_TEXTS[frame.locale];
  return (
    <Asking
      title={texts.operator}
      what={texts.make_operator_what}
      action={pathOf(user, "/operator")}
      body={{ is_operator: !user.is_operator }}
      button={user.is_operator ? texts.end_operator : texts.make_operator}
    />
  );
}

function Suspension({ frame, user }: UserProps) {
  const texts = USERS_TEXTS[frame.locale];
  if (user.suspended_at !== null) {
    return (
      <Asking
        title={texts.suspended}
        what={texts.reinstate_what}
        action={pathOf(user, "/reinstate")}
        button={texts.reinstate}
      />
    );
  }
  return (
    <Asking
      title={texts.suspend}
      what={texts.suspend_what}
      action={pathOf(user, "/suspend")}
      button={texts.suspend}
    >
      <label for="reason">{texts.reason}</label>
      <textarea
        id="reason"
        name="reason"
        rows={3}
        required
        dir="auto"
        maxlength={TAKEDOWN_REASON_CHARS_MAX}
      />
    </Asking>
  );
}

function Deletion({ frame, user }: UserProps) {
  const texts = USERS_TEXTS[frame.locale];
  if (user.ends_at !== null) {
    return (
      <Asking
        title={texts.ending}
        what={texts.remove_what}
        action={pathOf(user, "/keep")}
        button={texts.keep}
      >
        <p>
          {texts.ends} <Moment frame={frame} at_ms={user.ends_at} />
        </p>
      </Asking>
    );
  }
  return (
    <Asking
      title={texts.remove}
      what={texts.remove_what}
      action={pathOf(user)}
      method="DELETE"
      button={texts.remove_button}
    />
  );
}
