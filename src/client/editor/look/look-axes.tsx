import type { Child } from "hono/jsx";
import { LOOK_VALUES, type Look, USUAL_LOOK } from "../../../views/look-values.ts";
import { locale } from "../locale.ts";
import { LookFrame } from "../page-frame.tsx";
import { Drawing, PaletteDrawing } from "./look-drawings.tsx";
import { LOOK_TEXTS } from "./look-texts.ts";
import { Nearby } from "./look-tiles.tsx";

type Axis = keyof typeof LOOK_VALUES;

export function AxisChoice<A extends Axis>(props: {
  axis: A;
  look: Look;
  onChoose: (value: Look[A]) => void;
}) {
  const { axis, look, onChoose } = props;
  const values = LOOK_VALUES[axis] as readonly unknown[] as readonly Look[A][];
  const words = LOOK_TEXTS.values[axis] as Readonly<Record<string, string>>;
  return (
    <fieldset class={`axis axis-${axis}`}>
      <legend>{LOOK_TEXTS.axes[axis]}</legend>
      <div class="options">
        {values.map((value) => (
          <label class="option">
            <input
              class="sr"
              type="radio"
              name={`look-${axis}`}
              checked={look[axis] === value}
              onChange={() => onChoose(value)}
            />
            <span class="option-face">
              {faceOf(axis, value, look)}
              <span>{words[value]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function faceOf(axis: Axis, value: string, look: Look): Child {
  if (axis === "palette") {
    return <PaletteDrawing palette={value as Look["palette"]} scheme={look.scheme} />;
  }
  if (axis === "type") return <TypeSample type={value as Look["type"]} />;
  return <Drawing axis={axis} value={value} />;
}

/** Both scripts and digits in the pair's own faces, which the editor does not load. */
function TypeSample(props: { type: Look["type"] }) {
  const { type } = props;
  const look: Look = { ...USUAL_LOOK, palette: "sea", background: "plain", type };
  const body = () => <h1>صلة Sila ١٢٣ 123</h1>;
  return (
    <Nearby class="type-sample">
      <LookFrame
        is_still
        title={LOOK_TEXTS.sample_of(LOOK_TEXTS.values.type[type])}
        content={{ look, locale, scheme: null, body }}
      />
    </Nearby>
  );
}
