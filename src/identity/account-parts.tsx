import type { Child } from "hono/jsx";
import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { dateFormat, TIME_OPTIONS } from "../views/dates.ts";

export function Part(props: { id: string; title: string; why?: string; children?: Child }) {
  const { id, title, why } = props;
  return (
    <section class="card account-part" aria-labelledby={id}>
      <h2 id={id} tabindex={-1}>
        {title}
      </h2>
      {why !== undefined && <p class="why">{why}</p>}
      <p class="account-said" data-said={id} />
      {props.children}
    </section>
  );
}

/** The script sends it as JSON (src/client/account.ts), then reloads and shows `done` in `part`. */
export function OwnForm(props: {
  action: string;
  method: "POST" | "PATCH" | "DELETE";
  /** What the script does instead of a reload. */
  after?: "deleted" | "codes" | "passkey" | "code" | "leave";
  part?: string;
  done?: string;
  children?: Child;
}) {
  const { action, method, after, part, done } = props;
  return (
    <form
      class="account-form"
      data-action={action}
      data-method={method}
      data-after={after}
      data-part={part}
      data-done={done}
    >
      {props.children}
      <p class="account-problem" role="alert" data-problem />
    </form>
  );
}

export function SureForm(props: {
  open: string;
  label: string;
  action: string;
  part: string;
  done: string;
  sure: string;
  yes: string;
}) {
  const { open, label, action, part, done, sure, yes } = props;
  return (
    <details class="account-act">
      <summary class="quiet" aria-label={label}>
        {open}
      </summary>
      <div class="account-sure">
        <p>{sure}</p>
        <OwnForm action={action} method="DELETE" part={part} done={done}>
          <button class="primary account-danger" type="submit" disabled>
            {yes}
          </button>
        </OwnForm>
      </div>
    </details>
  );
}

export function dayText({ locale, tz }: Frame, at_ms: number): string {
  const options = { day: "numeric", month: "long", year: "numeric" } as const;
  return dateFormat(locale, tz, options).format(at_ms);
}

export function momentText({ locale, tz }: Frame, at_ms: number): string {
  const options = { day: "numeric", month: "long", year: "numeric", ...TIME_OPTIONS } as const;
  return dateFormat(locale, tz, options).format(at_ms);
}
