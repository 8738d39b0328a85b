/** A bar under an entry of a list: its size relative to the largest entry. */

/** An SVG, because its `width` is an attribute: the page's CSP forbids inline styles. */
export function Bar(props: { part: number; whole: number }) {
  const { part, whole } = props;
  const percent = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
  return (
    <svg class="measure" width="100%" height="6" aria-hidden="true">
      <rect width={`${percent}%`} height="6" rx="3" />
    </svg>
  );
}
