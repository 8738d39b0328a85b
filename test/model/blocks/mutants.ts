/** The code of the blocks' objects, broken on purpose in likely ways: their model must notice each of them. */
import { type Break, loadBroken } from "../../mutants/breaks.ts";
import type { BlocksCode } from "./run.ts";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are code
/** By name, which says how the rule is broken. */
export const BLOCK_MUTANTS: Record<string, readonly Break[]> = {
  "a hub that is asked before the tip is on disk": [
    {
      file: "objects/tips/tips.ts",
      from: `    await storage.sync();
    const order = { to`,
      to: "    const order = { to",
    },
  ],
  "a tip whose outcome is unknown and that is never closed": [
    {
      file: "objects/tips/tips.ts",
      from: "const id = await hub.close(tip.from_id, hubKey(tip));\n        await this.#settle(",
      to: "const id = null;\n        await this.#settle(",
    },
  ],
  "a void tip that is asked again with the same key": [
    {
      file: "objects/tips/tip-book.ts",
      from: "return attempt === 1 ? tip_id : `${tip_id}.${attempt}`;",
      to: "return `${tip_id}.${Math.random()}`;",
    },
  ],
  "a page that is told of a tip in memory alone": [
    {
      file: "objects/tips/tips.ts",
      from: `if (state === "sent") this.#outbox.add(tip.page_id, conversionOf(tip));`,
      to: `if (state === "sent") void this.#ports.convert(tip.page_id, [conversionOf(tip)]).catch(() => {});`,
    },
  ],
  "a conversion that is counted each time it arrives": [
    {
      file: "objects/tables/conversions.ts",
      from: "    if (known.length > 0) return false;\n",
      to: "    if (known.length > 0) return true;\n",
    },
  ],
  "a use for each range of a download": [
    {
      file: "objects/downloads/page-downloads.ts",
      from: `if (known.length > 0) return "admitted";`,
      to: "",
    },
  ],
  "one use more than the block allows": [
    {
      file: "objects/downloads/page-downloads.ts",
      from: "used >= use.uses_max",
      to: "used > use.uses_max",
    },
  ],
  "numbers of downloads that count as announced when the call failed": [
    {
      file: "objects/downloads/page-downloads.ts",
      from: "    await storage.sync();\n    await withTimeout(announce(",
      to: "    storage.kv.put(ANNOUNCED, version);\n    await withTimeout(announce(",
    },
  ],
  "a confirmation that is counted in memory alone": [
    {
      file: "objects/newsletter/newsletter-book.ts",
      from: "        this.#tables.confirm(id, now);\n",
      to: "",
    },
  ],
  "a confirmation for each request": [
    {
      file: "objects/newsletter/intake.ts",
      from: "if (may_mail_at > now || this.#tables.mail(known.id) !== null) return;",
      to: "",
    },
  ],
  "mails that are deleted before they are sent": [
    {
      file: "objects/newsletter/mail-queue.ts",
      from: "      await inTime(sendMail(composeMail(parts)), this.#ports);\n",
      to: "      this.#tables.deleteMail(mail_id);\n      await inTime(sendMail(composeMail(parts)), this.#ports);\n",
    },
  ],
  "addresses that stay unconfirmed": [
    {
      file: "objects/newsletter/newsletter-book.ts",
      from: "for (const id of this.#tables.unconfirmedSince(now - PENDING_MS)) this.#tables.delete(id);",
      to: "",
    },
  ],
  "a reservation that nobody settles and that stays": [
    {
      file: "objects/limiter/reservations.ts",
      from: "(is_settled ? QUOTA_MS : RESERVATION_MS)",
      to: "(is_settled ? QUOTA_MS : QUOTA_MS)",
    },
  ],
  "a settled unit that comes back": [
    {
      file: "objects/limiter/reservations.ts",
      from: "this.#put(key, { ...unit, is_settled: true });",
      to: "void key;",
    },
  ],
  "one unit more than the quota": [
    {
      file: "objects/limiter/reservations.ts",
      from: "this.#used(now).length < limit",
      to: "this.#used(now).length <= limit",
    },
  ],
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are code

export async function loadBlockMutant(name: string): Promise<BlocksCode> {
  const load = loadBroken(BLOCK_MUTANTS[name] ?? []);
  const modules = await Promise.all(
    [
      "objects/page/page-counter.ts",
      "objects/downloads/page-downloads.ts",
      "objects/newsletter/newsletter-book.ts",
      "objects/limiter/sender-windows.ts",
      "objects/tips/tips.ts",
    ].map(load),
  );
  return Object.assign({}, ...modules);
}
