/** Answers of endpoints are foreign text. */
import type { DeliveryDetail } from "../../../objects/blocks/webhooks/webhook.ts";
import { changed } from "../../dashboard/addresses.ts";
import type { Frame } from "../../dashboard/dashboard-frame.tsx";
import { plainText } from "../../views/plain-text.ts";
import { Act, timeText } from "./webhook-parts.tsx";
import { WEBHOOKS_TEXTS } from "./webhooks-texts.ts";

export function DeliveryCard(props: Frame & { delivery: DeliveryDetail }) {
  const { locale, tz, url, delivery } = props;
  const { id, event_id, type, state, payload, attempts } = delivery;
  const texts = WEBHOOKS_TEXTS[locale];
  return (
    <section class="card" id="delivery" aria-labelledby="delivery-title">
      <div class="title">
        <h2 id="delivery-title">{texts.names[type as keyof typeof texts.names] ?? type}</h2>
        <span class="badge">{texts.delivery_states[state]}</span>
        <a class="quiet" href={changed(url, { delivery: null })}>
          {texts.all}
        </a>
      </div>
      <p>
        <code dir="ltr">{event_id}</code>
      </p>
      <h3>{texts.payload}</h3>
      {payload === null ? (
        <p class="why">{texts.payload_gone}</p>
      ) : (
        <pre class="webhooks-text" dir="ltr" tabindex={0}>
          {indented(payload)}
        </pre>
      )}
      <h3>{texts.attempts}</h3>
      <ol class="webhooks-list">
        {attempts.map(({ at, outcome, status, latency_ms, answer }) => (
          <li>
            <strong>{texts.outcomes[outcome]}</strong>
            <p class="why">
              <time datetime={at}>{timeText(locale, tz, at)}</time>
              {status !== null && ` · ${texts.status(status)}`} · {texts.latency(latency_ms)}
            </p>
            {answer !== "" && (
              <details>
                <summary>{texts.answer}</summary>
                <pre class="webhooks-text" dir="auto" tabindex={0}>
                  {answer.split("\n").map((line) => `${plainText(line)}\n`)}
                </pre>
              </details>
            )}
          </li>
        ))}
      </ol>
      <Act {...props} action="again" id={String(id)}>
        {texts.again}
      </Act>
    </section>
  );
}

function indented(payload: string): string {
  return JSON.stringify(JSON.parse(payload), null, 2);
}
