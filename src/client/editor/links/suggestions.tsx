/** Most pages begin with one of these. */
import { destinationOf } from "../../../pages/document/destination.ts";
import { Icon } from "../../../views/icons.tsx";
import { locale } from "../locale.ts";
import { LINKS_TEXTS } from "./links-texts.ts";

const SUGGESTIONS = [
  ["https://www.instagram.com/", "instagram @"],
  ["https://wa.me/", "whatsapp +"],
  ["https://www.tiktok.com/", "tiktok @"],
  ["https://www.snapchat.com/", "snapchat @"],
  ["https://www.youtube.com/", "youtube @"],
  [null, "https://"],
] as const;

export function isBegun(text: string): boolean {
  return SUGGESTIONS.some(([, beginning]) => beginning === text.trim());
}

export function Suggestions(props: { onChoose: (beginning: string) => void }) {
  return (
    <div class="first-links">
      <h3>{LINKS_TEXTS.first}</h3>
      <p class="hint">{LINKS_TEXTS.first_hint}</p>
      <div class="chips">
        {SUGGESTIONS.map(([site, beginning]) => {
          const known = site === null ? null : destinationOf(site);
          return (
            <button type="button" class="chip-button" onClick={() => props.onChoose(beginning)}>
              <Icon name={known?.icon ?? "web"} />
              {known?.name[locale] ?? LINKS_TEXTS.website}
            </button>
          );
        })}
      </div>
    </div>
  );
}
