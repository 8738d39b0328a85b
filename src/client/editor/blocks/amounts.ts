import { TIP_AMOUNTS_MAX, TIP_POINTS_MAX } from "../../../pages/document/limits.ts";
import { latinDigits } from "../../../views/digits.ts";

/**
 * Whole numbers as a creator types them, between spaces or commas: `10 50 100`, `١٠، ٥٠`. Null
 * unless all of the text is numbers that a tip jar may offer, each once.
 */
export function amountsIn(text: string): number[] | null {
  const parts = latinDigits(text)
    .split(/[\s,،;؛]+/)
    .filter((part) => part !== "");
  const amounts = parts.map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : 0));
  const are_right =
    amounts.length > 0 &&
    amounts.length <= TIP_AMOUNTS_MAX &&
    new Set(amounts).size === amounts.length &&
    amounts.every((amount) => amount >= 1 && amount <= TIP_POINTS_MAX);
  return are_right ? amounts : null;
}
