import { useState } from "hono/jsx/dom";
import type { Link } from "../draft.ts";
import { reader } from "../locale.ts";
import { Switch } from "../ui.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import type { Problem, RowProps } from "./row-props.ts";
import { scheduleWords } from "./schedule-words.ts";
import { clockAt, secondOf, secondsOf, zoneName } from "./zone-time.ts";

export function Schedule(props: RowProps) {
  const { link, time_zone, from_problem, until_problem } = props;
  const device_zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [zone, setZone] = useState(time_zone);
  const now_s = Math.floor(Date.now() / 1_000);
  const is_bad = from_problem !== null || until_problem !== null;
  const has_times = link.from !== null || link.until !== null;
  const [is_open, setOpen] = useState(has_times);
  return (
    <details
      class="schedule"
      open={is_open}
      onToggle={(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}
    >
      <summary>
        <span class="label">{LINKS_TEXTS.schedule}</span>
        <span class="hint">
          {is_bad
            ? LINKS_TEXTS.bad_times
            : (scheduleWords(link, now_s, zone) ?? LINKS_TEXTS.always)}
        </span>
      </summary>
      {is_open && (
        <>
          <Clocks zone={zone} zones={[time_zone, device_zone]} now_s={now_s} onChoose={setZone} />
          <div class="schedule-times">
            <TimeField {...props} member="from" zone={zone} problem={from_problem} />
            <TimeField {...props} member="until" zone={zone} problem={until_problem} />
          </div>
        </>
      )}
    </details>
  );
}

/** The creator may be elsewhere than the page. Zones of other names may have the same time. */
function Clocks(props: {
  zone: string;
  zones: readonly [page: string, device: string];
  now_s: number;
  onChoose: (zone: string) => void;
}) {
  const { zone, zones, now_s, onChoose } = props;
  const [page_zone, device_zone] = zones;
  const is_same = clockAt(now_s, page_zone) === clockAt(now_s, device_zone);
  return (
    <>
      {!is_same && (
        <fieldset class="choices">
          <legend class="sr">{LINKS_TEXTS.clock_choice}</legend>
          {zones.map((each, i) => (
            <button
              type="button"
              class="choice"
              aria-pressed={each === zone ? "true" : "false"}
              onClick={() => onChoose(each)}
            >
              {i === 0 ? LINKS_TEXTS.page_clock : LINKS_TEXTS.device_clock}
            </button>
          ))}
        </fieldset>
      )}
      <p class="hint">{LINKS_TEXTS.clock(zoneName(zone, now_s, reader))}</p>
    </>
  );
}

/** The last time that the service accepts; without it, browsers let a year have six digits. */
const LATEST = "2999-12-31T23:59";

function TimeField(props: RowProps & { member: "from" | "until"; zone: string; problem: Problem }) {
  const { link, desk, row_key, member, zone, problem } = props;
  const second = link[member];
  const clock = second === null ? "" : clockAt(second, zone);
  const [typed, setTyped] = useState("");
  /** A year that is typed digit by digit is no time yet, and no mistake. */
  const [is_typing, setTyping] = useState(false);
  const id = `${member}-${row_key}`;
  const set = (value: number | null) => {
    const times: Pick<Link, "from"> | Pick<Link, "until"> =
      member === "from" ? { from: value } : { until: value };
    desk.change(link, times, member);
  };
  const error =
    problem === null || (is_typing && problem === "not_a_time")
      ? undefined
      : problem === "not_a_time"
        ? LINKS_TEXTS.not_a_time
        : LINKS_TEXTS.ends_before;
  const candidates = second === null ? null : secondsOf(clock, zone);
  // The browser may be asked for a time that the clock skips; the field then shows what is taken.
  const is_skipped = typed !== "" && typed !== clock && secondsOf(typed, zone)?.length === 0;
  const notes = error ?? (is_skipped ? LINKS_TEXTS.skipped(clock.slice(11)) : undefined);
  return (
    <div class="field">
      <label class="label" for={id}>
        {LINKS_TEXTS[member]}
      </label>
      <div class="time-line">
        <input
          class="input"
          id={id}
          type="datetime-local"
          value={clock}
          max={LATEST}
          aria-invalid={error === undefined ? undefined : "true"}
          aria-describedby={notes === undefined ? undefined : `${id}-note`}
          onInput={(event: Event) => {
            const { value } = event.target as HTMLInputElement;
            setTyping(true);
            setTyped(value);
            set(secondOf(value, zone));
          }}
          onBlur={() => setTyping(false)}
        />
        {second !== null && (
          <button
            type="button"
            class="quiet"
            aria-label={`${LINKS_TEXTS.clear}: ${LINKS_TEXTS[member]}`}
            onClick={() => {
              set(null);
              document.getElementById(id)?.focus();
            }}
          >
            {LINKS_TEXTS.clear}
          </button>
        )}
      </div>
      {notes !== undefined && (
        <p class={error === undefined ? "hint" : "error"} id={`${id}-note`}>
          {notes}
        </p>
      )}
      {candidates?.length === 2 && (
        <Switch
          label={LINKS_TEXTS.twice}
          is_on={second === candidates[1]}
          onChange={(is_second) => set(candidates[is_second ? 1 : 0] ?? second)}
        />
      )}
    </div>
  );
}
