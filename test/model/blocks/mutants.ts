/** The code of the blocks' objects, broken on purpose in likely ways: their model must notice each of them. */
import { type Break, inFile, loadBroken } from "../../mutants/breaks.ts";
import type { BlocksCode } from "./run.ts";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are code
export const BLOCK_MUTANTS: Record<string, readonly Break[]> = {
  ...inFile("objects/blocks/tips/tips.ts", {
    "a hub that is asked before the tip is on disk": [
      `    await storage.sync();
    const order = { to`,
      "    const order = { to",
    ],
    "a tip whose outcome is unknown and that is never closed": [
      "const id = await hub.close(tip.from_id, hubKey(tip));\n        await this.#settle(",
      "const id = null;\n        await this.#settle(",
    ],
    "a page that is told of a tip in memory alone": [
      "this.#outbox.add({ id: tip.tip_id, body: conversionOf(tip) }, tip.page_id, now);",
      "void this.#ports.convert(tip.page_id, [conversionOf(tip)]).catch(() => {});",
    ],
  }),
  ...inFile("objects/blocks/tips/tip-book.ts", {
    "a void tip that is asked again with the same key": [
      "return attempt === 1 ? tip_id : `${tip_id}.${attempt}`;",
      "return `${tip_id}.${Math.random()}`;",
    ],
  }),
  ...inFile("objects/page/known-page.ts", {
    "conversions of a page that D1 lacks, which are taken and dropped": [
      `if (this.targets === null && !this.#ended) throw new Error("D1 does not have the page");`,
      "if (this.targets === null) this.#ended = true;",
    ],
  }),
  ...inFile("objects/page/page-counter.ts", {
    "numbers that are dropped while D1 lacks the page": [
      "    if (this.#page.hasEnded) return;\n    if (!takeAnnounced",
      "    if (this.#page.targets === null) return;\n    if (!takeAnnounced",
    ],
  }),
  ...inFile("objects/page/tables/conversions.ts", {
    "a conversion that is counted each time it arrives": [
      "    if (known.length > 0) return false;\n",
      "    if (known.length > 0) return true;\n",
    ],
  }),
  ...inFile("objects/blocks/downloads/flush-downloads.ts", {
    "uses of a page that D1 lacks, which count as flushed": [
      `  if (found?.results.length !== 1) throw new Error("D1 does not have the page");\n`,
      "  void found;\n",
    ],
  }),
  ...inFile("objects/blocks/downloads/page-downloads.ts", {
    "a use for each range of a download": [`if (known.length > 0) return "admitted";`, ""],
    "one use more than the block allows": ["used >= use.uses_max", "used > use.uses_max"],
    "numbers of downloads that count as announced when the call failed": [
      "    await storage.sync();\n    await withTimeout(announce(",
      "    storage.kv.put(ANNOUNCED, version);\n    await withTimeout(announce(",
    ],
  }),
  ...inFile("objects/blocks/newsletter/newsletter-book.ts", {
    "a confirmation that is counted in memory alone": [
      "        this.#tables.confirm(id, now);\n",
      "",
    ],
    "addresses that stay unconfirmed": [
      "for (const id of this.#tables.unconfirmedSince(now - PENDING_MS)) this.#tables.delete(id);",
      "",
    ],
  }),
  ...inFile("objects/blocks/newsletter/intake.ts", {
    "a confirmation for each request": [
      "if (this.#mails.mayMailAt(address, now) > now || this.#tables.mail(known.id) !== null) return;",
      "",
    ],
  }),
  ...inFile("objects/blocks/newsletter/mail-queue.ts", {
    "mails that are deleted before they are sent": [
      "      await inTime(sendMail(composeMail(parts)), this.#ports);\n",
      "      this.#tables.deleteMail(mail_id);\n      await inTime(sendMail(composeMail(parts)), this.#ports);\n",
    ],
  }),
  ...inFile("objects/limiter/reservations.ts", {
    "a reservation that nobody settles and that stays": [
      "(is_settled ? QUOTA_MS : RESERVATION_MS)",
      "(is_settled ? QUOTA_MS : QUOTA_MS)",
    ],
    "a settled unit that comes back": [
      "this.#put(key, { ...unit, is_settled: true });",
      "void key;",
    ],
    "one unit more than the quota": [
      "this.#left(call, now).remaining > 0;",
      "this.#leftIn(QUOTA_MS, call.limit + 1, now).remaining > 0;",
    ],
  }),
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are code

export async function loadBlockMutant(name: string): Promise<BlocksCode> {
  const load = loadBroken(BLOCK_MUTANTS[name] ?? []);
  const modules = await Promise.all(
    [
      "objects/page/page-counter.ts",
      "objects/blocks/downloads/page-downloads.ts",
      "objects/blocks/newsletter/newsletter-book.ts",
      "objects/limiter/sender-windows.ts",
      "objects/blocks/tips/tips.ts",
    ].map(load),
  );
  return Object.assign({}, ...modules);
}
