/** Black on white in both colour schemes, for scanners. */

/** A square of so many modules a side, and an SVG path of the dark ones, by `src/workshop`. */
export interface QrDrawing {
  side: number;
  path: string;
}

/** An SVG, as a document or inside a page. `title` is for screen readers. */
export function QrCode({ drawing, title }: { drawing: QrDrawing; title: string }) {
  const { side, path } = drawing;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${side} ${side}`}
      width={side * 8}
      height={side * 8}
      shape-rendering="crispEdges"
      role="img"
    >
      <title>{title}</title>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
