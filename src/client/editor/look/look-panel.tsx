/** Each choice is one step to undo. */
import { useLayoutEffect, useRef, useState } from "hono/jsx/dom";
import { defaultLocale } from "../../../pages/document/page-words.ts";
import type { ShownPage } from "../../../pages/render/shown.ts";
import { LOOK_VALUES, type Look } from "../../../views/look-values.ts";
import type { Preset } from "../../../views/presets.ts";
import type { Draft } from "../draft.ts";
import type { Editing } from "../editing.ts";
import { EDITOR_TEXTS } from "../editor-texts.ts";
import { locale } from "../locale.ts";
import { PageFrame } from "../page-frame.tsx";
import { notify, useEditing } from "../ui.tsx";
import { AccentField } from "./accent-field.tsx";
import { AxisChoice } from "./look-axes.tsx";
import { LOOK_TEXTS } from "./look-texts.ts";
import { PresetTiles } from "./look-tiles.tsx";

/** A tile has room for so many links. */
const TILE_LINKS = 6;

/** The preview covers the panels on narrower windows (editor.css). */
const NARROW = "(max-width: 63.99rem)";
const HAS_LOOK_NOW = "has-look-now";

const AXES = Object.keys(LOOK_VALUES) as (keyof typeof LOOK_VALUES)[];

/** A new page needs no more than the finished looks. */
export function LookPanel(props: { editing: Editing; has_only_presets?: boolean }) {
  const { editing } = props;
  const look = useEditing(editing, ({ draft }) => draft.look);
  const page = usePageWithoutLook(editing);
  const change = (members: Partial<Look>, step: string | null = null) =>
    editing.edit((draft) => ({ ...draft, look: { ...draft.look, ...members } }), step);
  const choose = (preset: Preset) => {
    const { accent } = editing.state.draft.look;
    change(preset.look);
    if (accent === null) return;
    notify({
      text: LOOK_TEXTS.accent_lost(preset.name[locale]),
      action: { label: LOOK_TEXTS.keep_accent, run: () => change({ accent }) },
    });
  };
  const tiles = <PresetTiles page={page} look={look} onChoose={choose} />;
  if (props.has_only_presets) return tiles;
  return (
    <>
      <h2>{EDITOR_TEXTS.panels.look}</h2>
      {tiles}
      {AXES.map((axis) => (
        <>
          <AxisChoice axis={axis} look={look} onChoose={(value) => change({ [axis]: value })} />
          {axis === "palette" && (
            <AccentField
              look={look}
              onAccent={(accent) => change({ accent }, accent === null ? null : "look.accent")}
            />
          )}
        </>
      ))}
      <LookNow page={page} look={look} />
    </>
  );
}

/**
 * A small preview in the corner, where none is beside the panel, so that each choice is seen. It
 * opens the large one, as the button in the bar does.
 */
function LookNow(props: { page: ShownPage; look: Look }) {
  const { page, look } = props;
  const [is_narrow] = useState(() => matchMedia(NARROW).matches);
  useLayoutEffect(() => {
    if (!is_narrow) return;
    const { classList } = document.documentElement;
    classList.add(HAS_LOOK_NOW);
    return () => classList.remove(HAS_LOOK_NOW);
  }, [is_narrow]);
  if (!is_narrow) return null;
  const view = { page: { ...page, look }, locale: defaultLocale(page), scheme: null };
  return (
    <button
      type="button"
      class="look-now tile-shot"
      aria-label={EDITOR_TEXTS.preview}
      onClick={() => document.querySelector<HTMLElement>(".preview-toggle")?.click()}
    >
      <span inert aria-hidden="true">
        <PageFrame is_still title={EDITOR_TEXTS.preview} view={view} />
      </span>
    </button>
  );
}

/** The top of the page; the same object until something other than the look changes. */
function usePageWithoutLook(editing: Editing): ShownPage {
  const draft = useEditing(editing, (state) => state.draft);
  const kept = useRef<{ draft: Draft; page: ShownPage } | null>(null);
  if (kept.current === null || !isSameButLook(kept.current.draft, draft)) {
    const { page_id } = editing.state.saved;
    const links = draft.links.slice(0, TILE_LINKS);
    kept.current = { draft, page: { ...draft, page_id, links } };
  }
  return kept.current.page;
}

function isSameButLook(a: Draft, b: Draft): boolean {
  const names = Object.keys({ ...a, ...b }) as (keyof Draft)[];
  return names.every((name) => name === "look" || a[name] === b[name]);
}
