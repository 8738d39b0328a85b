import encodeQR from "qr";
import type { QrDrawing } from "../dashboard/qr-code.tsx";

/** White modules around the code, required by ISO/IEC 18004. */
const QUIET_ZONE = 4;

/** Error correction "medium" repairs about 15% of the code. */
export function qrCode(address: string): QrDrawing {
  const rows = encodeQR(address, "raw", { ecc: "medium", border: QUIET_ZONE });
  const dark = rows.flatMap((row, y) => runsOf(row).map(([x, n]) => `M${x} ${y}h${n}v1h-${n}z`));
  return { side: rows.length, path: dark.join("") };
}

/** Runs of dark modules in a row, each one rectangle. */
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
