/** A share of the largest entry. An SVG, because the page's CSP forbids inline styles. */
export function Bar(props: { part: number; whole: number }) {
  const { part, whole } = props;
  const percent = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
  return (
    <svg class="measure" width="100%" height="6" aria-hidden="true">
      <rect width={`${percent}%`} height="6" rx="3" />
    </svg>
  );
}
