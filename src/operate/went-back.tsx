/** What D1 lacks after a restore, as far as the objects of pages know (`operate/lacking.ts`). */
import { adminAddress } from "../dashboard/addresses.ts";
import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { formatNumber } from "../views/numbers.ts";
import { Moment } from "./admin-frame.tsx";
import type { WentBack } from "./lacking.ts";
import { OPERATE_TEXTS } from "./texts.ts";

const LISTED_MAX = 100;

interface WentBackProps {
  frame: Frame;
  went_back: WentBack | undefined;
}

export function WentBackCard({ frame, went_back }: WentBackProps) {
  const { locale } = frame;
  const texts = OPERATE_TEXTS[locale];
  if (went_back === undefined) {
    return (
      <section class="card">
        <h2>{texts.went_back}</h2>
        <p>{texts.went_back_unknown}</p>
      </section>
    );
  }
  const { noticed_at, minutes_back, is_complete, asked, unanswered, pages, more } = went_back;
  const n = (value: number) => formatNumber(locale, value);
  const listed = pages.slice(0, LISTED_MAX);
  const left_out = pages.length - listed.length + more;
  return (
    <section class="card">
      <h2>{texts.went_back}</h2>
      <p>
        {texts.noticed} <Moment frame={frame} at_ms={noticed_at} /> ·{" "}
        {texts.lost_minutes(texts.minutes(minutes_back))}
      </p>
      <p class="why">
        {texts.asked_pages(n(asked))} · {texts.unanswered_pages(n(unanswered))} ·{" "}
        {is_complete ? texts.all_asked : texts.still_asking}
      </p>
      <p>{texts.lacking_pages(n(pages.length + more))}</p>
      {listed.length > 0 && (
        <table class="listed">
          <thead>
            <tr>
              <th scope="col">{texts.page}</th>
              <th scope="col">{texts.version}</th>
              <th scope="col">{texts.tips}</th>
              <th scope="col">{texts.subscribers}</th>
            </tr>
          </thead>
          <tbody>
            {listed.map(({ page_id, kept, version, tips, subscribers }) => (
              <tr>
                <td>
                  {kept === 0 ? (
                    <bdi>{page_id}</bdi>
                  ) : (
                    <a href={adminAddress(frame, `/admin/pages/${encodeURIComponent(page_id)}`)}>
                      <bdi>{page_id}</bdi>
                    </a>
                  )}
                </td>
                <td class="number">{kept === 0 ? texts.no_row : texts.of(n(kept), n(version))}</td>
                <td class="number">{n(tips)}</td>
                <td class="number">{n(subscribers)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {left_out > 0 && <p class="why">{texts.not_listed(n(left_out))}</p>}
    </section>
  );
}
