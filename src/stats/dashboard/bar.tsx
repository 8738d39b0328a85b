/** How large one entry of a list is beside its largest, as a line under its name. */

/** The page's CSP has no inline styles; an attribute of SVG may say a width all the same. */
export function Bar(props: { part: number; whole: number }) {
  const { part, whole } = props;
  const percent = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
  return (
    <svg class="measure" width="100%" height="6" aria-hidden="true">
      <rect width={`${percent}%`} height="6" rx="3" />
    </svg>
  );
}
