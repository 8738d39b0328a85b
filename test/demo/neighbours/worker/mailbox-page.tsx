import type { StoredMail } from "./mailbox.ts";
import { En, Page } from "./page.tsx";

const URLS = /(https?:\/\/[^\s<>"']+)/;

export function MailboxPage(props: { mails: readonly StoredMail[]; address: string | null }) {
  const { mails, address } = props;
  return (
    <Page title="صندوق البريد · Mailbox">
      <h1>
        صندوق البريد
        <En>Mailbox</En>
      </h1>
      <p>
        لا يخرج من هذا العرض التجريبي أي بريد، بل تصل كل رسالة إلى هنا.
        <En>This demo sends no mail anywhere; every message arrives here.</En>
      </p>
      <search>
        <form method="get" action="/mailbox">
          <label for="to">
            رسائل عنوان واحد
            <En>Mails of one address</En>
          </label>
          <input id="to" name="to" type="email" dir="ltr" value={address ?? ""} />
          <button type="submit">
            اعرض <En>Show</En>
          </button>
        </form>
      </search>
      {mails.length === 0 ? (
        <p class="none">
          لا رسائل بعد. <En>No mail yet.</En>
        </p>
      ) : (
        <ol class="mails">
          {mails.map((mail) => (
            <li>
              <a href={`/mailbox/${mail.id}`}>
                <bdi class="name">{mail.subject}</bdi>
                <bdi class="plan" dir="ltr">
                  {mail.to}
                </bdi>
                <Time at={mail.at} />
              </a>
            </li>
          ))}
        </ol>
      )}
    </Page>
  );
}

export function MailPage({ mail }: { mail: StoredMail }) {
  const from = typeof mail.from === "string" ? mail.from : `${mail.from.name} <${mail.from.email}>`;
  return (
    <Page title={mail.subject}>
      <p>
        <a href="/mailbox">
          كل الرسائل <En>All mails</En>
        </a>
      </p>
      <h1 dir="auto">{mail.subject}</h1>
      <dl>
        <dt>
          من <En>From</En>
        </dt>
        <dd>
          <bdi>{from}</bdi>
        </dd>
        <dt>
          إلى <En>To</En>
        </dt>
        <dd>
          <bdi dir="ltr">{mail.to}</bdi>
        </dd>
        <dt>
          الوقت <En>Time</En>
        </dt>
        <dd>
          <Time at={mail.at} />
        </dd>
      </dl>
      <div class="mail">
        {mail.text.split("\n").map((line) => (
          <p dir="auto">
            {line.split(URLS).map((part, i) => (i % 2 === 1 ? <Link url={part} /> : part))}
          </p>
        ))}
      </div>
      <details>
        <summary>
          الترويسات ونص HTML <En>Headers and HTML</En>
        </summary>
        <pre dir="ltr">
          {Object.entries(mail.headers).map(([name, value]) => `${name}: ${value}\n`)}
          {`\n${mail.html}`}
        </pre>
      </details>
    </Page>
  );
}

function Link({ url }: { url: string }) {
  return (
    <a href={url} dir="ltr">
      {url}
    </a>
  );
}

function Time({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return (
    <time datetime={iso} dir="ltr">
      {iso.slice(0, 16).replace("T", " ")}
    </time>
  );
}
