/** A page's address as a QR code (ISO/IEC 18004), black on white in both colour schemes. */
import encodeQR from "qr";

/** Modules of white around the code, required by the standard. */
const QUIET_ZONE = 4;

/**
 * An SVG, as a document or inside a page. With error correction "medium" about 15% of the code may
 * be damaged. `title` is for screen readers; without it the address.
 */
export function QrCode(props: { address: string; title?: string }) {
  const rows = encodeQR(props.address, "raw", { ecc: "medium", border: QUIET_ZONE });
  const dark = rows.flatMap((row, y) => runsOf(row).map(([x, n]) => `M${x} ${y}h${n}v1h-${n}z`));
  const side = rows.length;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${side} ${side}`}
      width={side * 8}
      height={side * 8}
      shape-rendering="crispEdges"
      role="img"
    >
      <title>{props.title ?? props.address}</title>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
}

/** Where dark modules begin in a row, and how many they are: one rectangle for each run. */
function runsOf(row: readonly boolean[]): [x: number, n: number][] {
  const runs: [number, number][] = [];
  for (const [x, is_dark] of row.entries()) {
    const last = runs.at(-1);
    if (!is_dark) continue;
    if (last !== undefined && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}
