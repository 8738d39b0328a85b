/** `node test/scale/measure.ts` writes `page-days.json` beside this file, from which `npm run scale` reads. */
import { writeFileSync } from "node:fs";
import { KINDS, measurePageDays } from "./page-day.ts";

const days = await measurePageDays(KINDS);
const measured = { date: new Date().toISOString().slice(0, 10), days };
writeFileSync(new URL("page-days.json", import.meta.url), `${JSON.stringify(measured, null, 2)}\n`);
