import type { Hook } from "./hooks.ts";
import { En, Page } from "./page.tsx";

export function HooksPage({ hooks }: { hooks: readonly Hook[] }) {
  return (
    <Page title="الأحداث الواصلة · Webhooks">
      <h1>
        الأحداث الواصلة
        <En>Webhooks that arrived</En>
      </h1>
      <p>
        هذا خادم تجريبي يستقبل الأحداث في العنوان نفسه ويتحقق من توقيعها.
        <En>A demo server that takes events at this address and checks their signatures.</En>
      </p>
      <form method="post" action="/hooks/secret">
        <label for="secret">
          مفتاح سري آخر يتحقق به
          <En>Another secret to check with</En>
        </label>
        <input id="secret" name="secret" dir="ltr" placeholder="whsec_" autocomplete="off" />
        <button type="submit">
          أضف <En>Add</En>
        </button>
      </form>
      {hooks.length === 0 ? (
        <p class="none">
          لم يصل شيء بعد. <En>Nothing yet.</En>
        </p>
      ) : (
        <ol class="mails">
          {hooks.map(({ id, at, is_verified, body }) => (
            <li>
              <p>
                <bdi class="name" dir="ltr">
                  {id}
                </bdi>
                <span class="plan">
                  {is_verified === 1 ? "توقيعه صحيح · verified" : "لم يُتحقق منه · not verified"}
                </span>
                <time datetime={new Date(at).toISOString()} dir="ltr">
                  {new Date(at).toISOString().slice(0, 19).replace("T", " ")}
                </time>
              </p>
              <pre dir="ltr">{body}</pre>
            </li>
          ))}
        </ol>
      )}
    </Page>
  );
}
