/** A page's address as a QR code (ISO/IEC 18004), black on white in both colour schemes. */
import encodeQR from "qr";

/** Modules of white around the code, required by the standard. */
const QUIET_ZONE = 4;

/** An SVG document. With error correction "medium" about 15% of the code may be damaged. */
export function QrCode(props: { address: string }) {
  const rows = encodeQR(props.address, "raw", { ecc: "medium", border: QUIET_ZONE });
  const dark = rows.flatMap((row, y) =>
    row.flatMap((is_dark, x) => (is_dark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  const side = rows.length;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${side} ${side}`}
      width={side * 8}
      height={side * 8}
      shape-rendering="crispEdges"
    >
      <title>{props.address}</title>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
}
