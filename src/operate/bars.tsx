/**
 * A small bar chart over time. An SVG with attributes, because the pages' policy allows no styles in
 * the markup. Time runs in the reader's direction.
 */
const HEIGHT = 36;
const STEP = 4;

/** `part` of the highest bar; null where nothing was measured. */
export interface BarOf {
  part: number | null;
  is_bad?: boolean;
}

export function Bars(props: { bars: readonly BarOf[]; is_rtl: boolean; label: string }) {
  const { bars, is_rtl, label } = props;
  const shown = is_rtl ? bars.toReversed() : bars;
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {shown.map(({ part, is_bad = false }, i) => {
        const height = part === null ? HEIGHT : Math.max(1, Math.round(part * HEIGHT));
        return (
          <rect
            class={part === null ? "unmeasured" : is_bad ? "bad" : undefined}
            x={i * STEP}
            y={HEIGHT - height}
            width={STEP - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}
