/** It needs no script. */
import { assetUrl } from "../views/assets.ts";
import { dateFormat, TIME_OPTIONS } from "../views/dates.ts";
import { Document } from "../views/document.tsx";
import { Mark } from "../views/icons.tsx";
import type { Locale } from "../views/locale.ts";
import { USUAL_LOOK } from "../views/look-values.ts";
import { readerLocale } from "../views/numbering.ts";
import { formatNumber } from "../views/numbers.ts";
import { TEXTS } from "../views/texts.ts";
import { Bars } from "./bars.tsx";
import type { ServiceStatus } from "./status.ts";
import { STATUS_TEXTS } from "./status-texts.ts";

/** A day with a smaller part of answered probes is bad: about a quarter of an hour. */
const GOOD_DAY = 0.99;

export function StatusPage({ status, locale }: { status: ServiceStatus; locale: Locale }) {
  const texts = STATUS_TEXTS[locale];
  const reader = readerLocale(locale, "arab");
  const other = locale === "ar" ? "en" : "ar";
  const format = dateFormat(reader, "UTC", {
    day: "numeric",
    month: "short",
    year: "numeric",
    ...TIME_OPTIONS,
  });
  const time = (iso: string) => <time datetime={iso}>{format.format(Date.parse(iso))}</time>;
  const percent = new Intl.NumberFormat(reader, { style: "percent", maximumFractionDigits: 2 });
  return (
    <Document
      locale={locale}
      look={{ ...USUAL_LOOK, palette: "sea" }}
      title={`${texts.title} · ${TEXTS[locale].product}`}
      preview={null}
      head={
        <>
          <link rel="stylesheet" href={assetUrl("frame.css")} />
          <link rel="stylesheet" href={assetUrl("admin.css")} />
        </>
      }
    >
      <header class="bar">
        <a class="home-link" href={`/${locale}`}>
          <Mark />
          <span>{TEXTS[locale].product}</span>
        </a>
        <div class="bar-end">
          <a class="quiet" href={`/status/${other}`} hreflang={other}>
            <bdi lang={other}>{texts.other}</bdi>
          </a>
        </div>
      </header>
      <main class="dashboard narrow">
        <div class="title">
          <h1>{texts.title}</h1>
        </div>
        <section class={`card whole is-${status.state}`}>
          <h2>{texts.whole[status.state]}</h2>
          <p class="why">
            {status.measured_at === null ? (
              texts.never
            ) : (
              <>
                {texts.as_of} {time(status.measured_at)}. {texts.times}
              </>
            )}
          </p>
        </section>
        <section class="card">
          <h2>{texts.days}</h2>
          {status.components.map(({ id, state, days }) => {
            const known = days.filter((part) => part !== null);
            const share = known.reduce((sum, part) => sum + part, 0) / known.length;
            const said =
              known.length === 0
                ? texts.no_days
                : `${texts.up(percent.format(share))} · ${texts.measured_days(formatNumber(reader, known.length))}`;
            return (
              <div class="component">
                <h3>
                  <span>{texts.components[id]}</span>{" "}
                  <span class={`badge is-${state}`}>{texts.states[state]}</span>
                </h3>
                <Bars
                  bars={days.map((part) => ({
                    part: part === null ? null : 1,
                    is_bad: part !== null && part < GOOD_DAY,
                  }))}
                  is_rtl={locale === "ar"}
                  label={`${texts.components[id]}, ${texts.days}: ${said}`}
                />
                <p class="why">{said}</p>
              </div>
            );
          })}
        </section>
        <section class="card">
          <h2>{texts.incidents}</h2>
          {status.incidents.length === 0 ? (
            <p>{texts.none}</p>
          ) : (
            <ul class="plain">
              {status.incidents.map(({ components, began_at, ended_at }) => (
                <li>
                  {components.map((id) => texts.components[id]).join(locale === "ar" ? "، " : ", ")}
                  <p class="why">
                    {time(began_at)} – {ended_at === null ? texts.ongoing : time(ended_at)}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </section>
      </main>
    </Document>
  );
}
