/** The script audits again while the numbers move. */

import type { AuditEntry, Audit as Audited } from "../../stats/audit.ts";
import { Icon } from "../../views/icons.tsx";
import { languageOf, type ReaderLocale } from "../../views/numbering.ts";
import { formatNumber } from "../../views/numbers.ts";
import { SCRIPT_TEXTS } from "./script-texts.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

const COLUMNS = ["accepted", "flushed", "pending", "drift"] as const;

/** `audit` is null if it failed: the page is complete without it. */
export function Audit(props: {
  locale: ReaderLocale;
  audit: Audited | null;
  time: string;
  has_imported: boolean;
}) {
  const { locale, audit } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const words = SCRIPT_TEXTS[languageOf(locale)];
  const drift = audit === null ? 0 : driftOf(audit);
  const state = audit === null ? "unknown" : drift === 0 ? "exact" : "drift";
  return (
    <details class="exact" data-exact={state} data-menu>
      <summary>
        <Icon name="check" />
        <span>
          <span role="status" data-exact-words>
            {state === "unknown"
              ? words.unchecked
              : state === "exact"
                ? words.exact
                : words.drift(formatNumber(locale, drift))}
          </span>
          <span data-exact-time>{audit !== null && words.checked(props.time)}</span>
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
          <tbody data-audit-entries>
            {audit !== null && (
              <>
                <Entry locale={locale} name={words.whole_page} entry={audit} />
                <Entry locale={locale} name={words.views} entry={audit.views} />
                {audit.links.map((link) => (
                  <Entry
                    locale={locale}
                    name={nameOf(link.label, link.removed, words.gone)}
                    entry={link}
                  />
                ))}
              </>
            )}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Opposite drifts do not cancel out. */
function driftOf({ views, links }: Audited): number {
  return [views, ...links].reduce((sum, { drift }) => sum + Math.abs(drift), 0);
}

function nameOf(label: string | null, removed: boolean, gone: string): string {
  if (label === null) return gone;
  return removed ? `${label} (${gone})` : label;
}

function Entry(props: { locale: ReaderLocale; name: string; entry: AuditEntry }) {
  const { locale, name, entry } = props;
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      {COLUMNS.map((column) => (
        <td class={column === "drift" && entry.drift !== 0 ? "alarming" : undefined}>
          {formatNumber(locale, entry[column])}
        </td>
      ))}
    </tr>
  );
}
