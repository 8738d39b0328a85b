/** All of this page works without a script. */
import {
  type Delivery,
  type DeliveryDetail,
  ENDPOINTS_MAX,
  type Endpoint,
  WEBHOOK_EVENTS,
} from "../../../objects/blocks/webhooks/webhook.ts";
import { changed, statsAddress } from "../../dashboard/addresses.ts";
import { DashboardFrame, type Frame } from "../../dashboard/dashboard-frame.tsx";
import { Pager } from "../../dashboard/pager.tsx";
import { assetUrl } from "../../views/assets.ts";
import { Icon } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { languageOf } from "../../views/numbering.ts";
import { OwnName } from "../../views/own-name.tsx";
import { plainText } from "../../views/plain-text.ts";
import { DeliveryCard } from "./delivery-card.tsx";
import { Act, timeText } from "./webhook-parts.tsx";
import { WEBHOOKS_TEXTS } from "./webhooks-texts.ts";

export interface FormFault {
  /** The endpoint's id; empty for a new one. */
  id: string;
  why: "address_wrong" | "events_missing";
  url: string;
  events: readonly string[];
}

interface WebhooksPageProps extends Frame {
  page_id: string;
  page_name: string;
  page_locale: Locale;
  endpoints: readonly Endpoint[];
  deliveries: readonly Delivery[];
  next_cursor: string | null;
  shown: DeliveryDetail | null;
  /** Number of events that never reached the queue. */
  dropped: number;
  fault: FormFault | null;
}

export function WebhooksPage(props: WebhooksPageProps) {
  const { locale, url, page_id, page_name, page_locale, endpoints, shown, dropped, fault } = props;
  const texts = WEBHOOKS_TEXTS[locale];
  return (
    <DashboardFrame
      frame={props}
      title={texts.title}
      main_id="webhooks"
      head={<link rel="stylesheet" href={assetUrl("webhooks.css")} />}
    >
      <main class="dashboard webhooks" id="webhooks" tabindex={-1}>
        <div class="title">
          <h1>{texts.title}</h1>
          <a class="quiet" href={statsAddress(url, page_id)}>
            <Icon name="chart" />
            <OwnName page={{ name: page_name, locale: page_locale }} />
          </a>
        </div>
        <p class="why">
          {texts.about}{" "}
          <a class="webhooks-link" href={`/docs/${languageOf(locale)}#webhooks`}>
            {texts.how}
          </a>
        </p>
        {dropped > 0 && <p class="card webhooks-fault">{texts.dropped(dropped)}</p>}
        {shown !== null && <DeliveryCard {...props} delivery={shown} />}
        {endpoints.length === 0 && (
          <section class="card nothing">
            <Icon name="web" />
            <h2>{texts.none}</h2>
            <p>{texts.none_why}</p>
          </section>
        )}
        {endpoints.map((endpoint) => (
          <EndpointCard {...props} endpoint={endpoint} />
        ))}
        {endpoints.length < ENDPOINTS_MAX && (
          <section class="card">
            <h2>{texts.add}</h2>
            <EndpointForm
              {...props}
              action="create"
              id=""
              address={fault?.id === "" ? fault.url : ""}
              chosen={fault?.id === "" ? fault.events : WEBHOOK_EVENTS}
            />
          </section>
        )}
        {endpoints.length > 0 && <Deliveries {...props} />}
      </main>
    </DashboardFrame>
  );
}

type CardProps = WebhooksPageProps & { endpoint: Endpoint };

function EndpointCard(props: CardProps) {
  const { locale, tz, endpoint, fault } = props;
  const { id, url, events, state, secret, old_secret_until, waiting, dropped } = endpoint;
  const texts = WEBHOOKS_TEXTS[locale];
  const { host } = new URL(url);
  const own = fault?.id === id ? fault : null;
  return (
    <section class="card" aria-labelledby={id}>
      <div class="title">
        <h2 id={id}>
          <bdi dir="ltr">{plainText(url)}</bdi>
        </h2>
        <span class={`badge is-${state}`}>{texts.states[state]}</span>
      </div>
      <p class="why">{events.map((event) => texts.names[event]).join(" · ")}</p>
      {waiting > 0 && <p class="why">{texts.waiting(waiting)}</p>}
      {dropped > 0 && <p class="webhooks-fault">{texts.dropped(dropped)}</p>}
      <div class="webhooks-actions">
        {state === "on" ? (
          <>
            <Act {...props} action="test" id={id} label={texts.test_which(host)}>
              {texts.test}
            </Act>
            <Act {...props} action="off" id={id} label={`${texts.off}: ${host}`}>
              {texts.off}
            </Act>
          </>
        ) : (
          <Act {...props} action="on" id={id} label={`${texts.on}: ${host}`}>
            {texts.on}
          </Act>
        )}
      </div>
      <details>
        <summary>{texts.secret}</summary>
        <p class="why">{texts.secret_hint}</p>
        <p>
          <code class="webhooks-secret" dir="ltr">
            {secret}
          </code>
        </p>
        {old_secret_until !== null && (
          <p class="why">{texts.secret_old(timeText(locale, tz, old_secret_until))}</p>
        )}
        <Act {...props} action="rotate" id={id}>
          {texts.rotate}
        </Act>
      </details>
      <details open={own !== null}>
        <summary>{texts.change}</summary>
        <EndpointForm
          {...props}
          action="change"
          id={id}
          address={own?.url ?? url}
          chosen={own?.events ?? events}
        />
      </details>
      <details>
        <summary>{texts.remove}</summary>
        <p class="why">{texts.remove_sure}</p>
        <Act {...props} action="remove" id={id}>
          {texts.remove_yes}
        </Act>
      </details>
    </section>
  );
}

function EndpointForm(
  props: WebhooksPageProps & {
    action: "create" | "change";
    id: string;
    address: string;
    chosen: readonly string[];
  },
) {
  const { locale, csrf_token, url, action, id, address, chosen, fault } = props;
  const texts = WEBHOOKS_TEXTS[locale];
  const why = fault?.id === id ? texts[fault.why] : null;
  const key = id || "new";
  return (
    <form class="webhooks-form" method="post" action={url.pathname + url.search}>
      <input type="hidden" name="csrf_token" value={csrf_token} />
      <input type="hidden" name="action" value={action} />
      <input type="hidden" name="id" value={id} />
      <label for={`url-${key}`}>{texts.address}</label>
      <input
        id={`url-${key}`}
        name="url"
        type="url"
        dir="ltr"
        required
        autocomplete="off"
        placeholder="https://"
        value={address}
        aria-describedby={`hint-${key}`}
        aria-invalid={why === null ? undefined : "true"}
      />
      <p
        class={why === null ? "why" : "webhooks-fault"}
        id={`hint-${key}`}
        role={why === null ? undefined : "alert"}
      >
        {why ?? texts.address_hint}
      </p>
      <fieldset>
        <legend>{texts.events}</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <label class="webhooks-choice">
            <input type="checkbox" name="events[]" value={event} checked={chosen.includes(event)} />
            <span>
              {texts.names[event]} <code dir="ltr">{event}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <button class="primary" type="submit">
        {action === "create" ? texts.add : texts.save}
      </button>
    </form>
  );
}

function Deliveries(props: WebhooksPageProps) {
  const { locale, deliveries } = props;
  const texts = WEBHOOKS_TEXTS[locale];
  return (
    <section class="card">
      <h2>{texts.deliveries}</h2>
      <p class="why">{deliveries.length === 0 ? texts.deliveries_none : texts.by_hand}</p>
      <ul class="webhooks-list">
        {deliveries.map((delivery) => (
          <Row {...props} delivery={delivery} />
        ))}
      </ul>
      <Pager {...props} label={texts.deliveries} without="delivery" />
    </section>
  );
}

function Row(props: WebhooksPageProps & { delivery: Delivery }) {
  const { locale, tz, url, endpoints, delivery } = props;
  const { id, type, webhook_id, event_id, state, tries, created_at, next_at } = delivery;
  const texts = WEBHOOKS_TEXTS[locale];
  const endpoint = endpoints.find((one) => one.id === webhook_id);
  const name = texts.names[type as keyof typeof texts.names] ?? type;
  return (
    <li>
      <strong>{name}</strong>{" "}
      <span class={`badge is-${state}`}>{texts.delivery_states[state]}</span>
      <p class="why">
        <time datetime={created_at}>{timeText(locale, tz, created_at)}</time> · {texts.tries(tries)}
        {next_at !== null && ` · ${texts.next(timeText(locale, tz, next_at))}`}
        {endpoint !== undefined && (
          <>
            {" · "}
            <bdi dir="ltr">{new URL(endpoint.url).host}</bdi>
          </>
        )}
      </p>
      <div class="webhooks-actions">
        <a
          class="quiet"
          href={`${changed(url, { delivery: String(id) })}#delivery`}
          aria-label={texts.details_which(event_id)}
        >
          {texts.details}
        </a>
        <Act {...props} action="again" id={String(id)} label={texts.again_which(event_id)}>
          {texts.again}
        </Act>
      </div>
    </li>
  );
}
