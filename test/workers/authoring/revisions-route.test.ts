/** The totals of a page's revisions, as its owner reads them (docs/contract.md section 10). */
import { describe, expect, test } from "vitest";
import { beacon, pageObject } from "../kit/kit.ts";
import { creator } from "./authoring-kit.ts";

interface Revisions {
  revisions: {
    version: number;
    what: string[];
    totals: { views: number; clicks: number; links: Record<string, number> } | null;
  }[];
  now: { views: number; clicks: number; links: Record<string, number> };
}

describe("the revisions of a page", () => {
  test("have totals that tell the click rate with each version, a page of the list at a time", async () => {
    const someone = await creator();
    const link = { label: { ar: "متجر" }, url: "https://shop.example/" };
    let page = await someone.make({ status: "published", links: [link] });
    const { page_id } = page;
    const link_id = page.links[0]?.link_id ?? "";
    /** Views and clicks that people make with each version, the first first. */
    const made = [
      [1, 0],
      [0, 0],
      [2, 1],
    ] as const;
    for (const [i, [views, clicks]] of made.entries()) {
      if (i > 0) {
        page = await someone.patch(page, { bio: { ar: `${i}` } });
        await pageObject(page_id).changed();
      }
      for (let n = 0; n < views; n += 1) await beacon({ page_id });
      for (let n = 0; n < clicks; n += 1) await beacon({ page_id, link_id });
    }
    const read = async (query = "") => {
      const response = await someone.send("GET", `/api/me/pages/${page_id}/revisions${query}`);
      return response.json<Revisions>();
    };
    const { revisions, now } = await read();
    // Not flushed yet: the object knows it all the same.
    expect(now).toEqual({ views: 3, clicks: 1, links: { [link_id]: 1 } });
    const totals = [now, ...revisions.map((revision) => revision.totals ?? now)];
    const between = revisions.map((_, i) => {
      const [after = now, before = now] = totals.slice(i);
      return [after.views - before.views, after.clicks - before.clicks];
    });
    expect(between).toEqual(made.toReversed());
    // An older part of the list begins where the part before it ended.
    const older = await read("?before=2");
    expect(older.revisions).toEqual(revisions.slice(2));
    expect(older.now).toEqual(now);
  });
});
