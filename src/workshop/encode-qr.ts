/** An address as a QR code (ISO/IEC 18004). */
import encodeQR from "qr";
import type { QrDrawing } from "../dashboard/qr-code.tsx";

/** Modules of white around the code, required by the standard. */
const QUIET_ZONE = 4;

/** With error correction "medium" about 15% of the code may be damaged. */
export function qrCode(address: string): QrDrawing {
  const rows = encodeQR(address, "raw", { ecc: "medium", border: QUIET_ZONE });
  const dark = rows.flatMap((row, y) => runsOf(row).map(([x, n]) => `M${x} ${y}h${n}v1h-${n}z`));
  return { side: rows.length, path: dark.join("") };
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
