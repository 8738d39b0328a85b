/** Each tile is the creator's own page in a preset's look, drawn by the page's own styles. */
import type { Child } from "hono/jsx";
import { memo, useEffect, useRef, useState } from "hono/jsx/dom";
import { defaultLocale } from "../../../pages/document/page-words.ts";
import type { ShownPage } from "../../../pages/render/shown.ts";
import type { Look } from "../../../views/look-values.ts";
import { PRESETS, type Preset } from "../../../views/presets.ts";
import { isSame } from "../draft.ts";
import { locale } from "../locale.ts";
import { PageFrame } from "../page-frame.tsx";
import { LOOK_TEXTS } from "./look-texts.ts";

const NEAR = "300px";

export function PresetTiles(props: {
  /** The same object while only the look changes: the tiles are not drawn again then. */
  page: ShownPage;
  look: Look;
  onChoose: (preset: Preset) => void;
}) {
  const { page, look, onChoose } = props;
  return (
    <fieldset class="axis">
      <legend>{LOOK_TEXTS.presets}</legend>
      <div class="tiles">
        {PRESETS.map((preset) => (
          <label class="tile">
            <input
              class="sr"
              type="radio"
              name="look-preset"
              checked={isSame(look, preset.look)}
              onChange={() => onChoose(preset)}
            />
            <Tile page={page} preset={preset} />
            <span>{preset.name[locale]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const Tile = memo((props: { page: ShownPage; preset: Preset }) => {
  const { page, preset } = props;
  const view = {
    page: { ...page, look: preset.look },
    locale: defaultLocale(page),
    scheme: null,
  };
  return (
    <Nearby class="tile-shot">
      <PageFrame is_still title={LOOK_TEXTS.preset_of(preset.name[locale])} view={view} />
    </Nearby>
  );
});

/** Room for a frame, which is made when the room comes near to the window. It takes no focus. */
export function Nearby(props: { class: string; children?: Child }) {
  const room = useRef<HTMLSpanElement>(null);
  const [is_near, setNear] = useState(false);
  useEffect(() => {
    const { current } = room;
    if (current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        setNear(true);
      },
      // The second one is for rows that scroll sideways; browsers that do not know it ignore it.
      { rootMargin: NEAR, scrollMargin: NEAR } as IntersectionObserverInit,
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <span ref={room} class={props.class} inert aria-hidden="true">
      {is_near && props.children}
    </span>
  );
}
