/** The mark "exact" and the audit behind it. The script fills both. */
import { Icon } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { SCRIPT_TEXTS } from "./script-texts.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

const COLUMNS = ["accepted", "flushed", "pending", "drift"] as const;

export function Audit(props: { locale: Locale; has_imported: boolean }) {
  const texts = DASHBOARD_TEXTS[props.locale];
  return (
    <details class="exact" data-exact="checking" hidden>
      <summary>
        <Icon name="check" />
        <span role="status" data-exact-words>
          {SCRIPT_TEXTS[props.locale].checking}
        </span>
      </summary>
      <div class="audit card">
        <p>{texts.audit_what}</p>
        {props.has_imported && <p>{texts.audit_imported}</p>}
        <table>
          <caption class="sr">{texts.audit}</caption>
          <thead>
            <tr>
              <td />
              {COLUMNS.map((column) => (
                <th scope="col">{texts[column]}</th>
              ))}
            </tr>
          </thead>
          <tbody data-audit-entries />
        </table>
      </div>
    </details>
  );
}
