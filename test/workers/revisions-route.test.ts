/** The totals of a page's revisions, as its owner reads them (docs/contract.md section 10). */
import { describe, expect, test } from "vitest";
import { creator } from "./authoring-kit.ts";
import { beacon, pageObject } from "./kit.ts";

interface Revisions {
  revisions: {
    version: number;
    what: string[];
    totals: { views: number; clicks: number; links: Record<string, number> } | null;
  }[];
}

describe("the revisions of a page", () => {
  test("have the exact totals at the moment from which they count", async () => {
    const someone = await creator();
    const link = { label: { ar: "متجر" }, url: "https://shop.example/" };
    let page = await someone.make({ status: "published", links: [link] });
    const { page_id } = page;
    const link_id = page.links[0]?.link_id ?? "";
    await beacon({ page_id });
    await beacon({ page_id, link_id });
    page = await someone.patch(page, { bio: { ar: "خزّافة" } });
    await pageObject(page_id).changed();
    await beacon({ page_id, link_id });
    await beacon({ page_id, link_id });
    page = await someone.patch(page, { links: [] });
    await pageObject(page_id).changed();
    const answer = await someone.send("GET", `/api/me/pages/${page_id}/revisions`);
    const { revisions } = await answer.json<Revisions>();
    expect(revisions.map(({ version, what, totals }) => ({ version, what, totals }))).toEqual([
      { version: 3, what: ["links"], totals: { views: 1, clicks: 3, links: { [link_id]: 3 } } },
      { version: 2, what: ["bio"], totals: { views: 1, clicks: 1, links: { [link_id]: 1 } } },
      { version: 1, what: ["created"], totals: { views: 0, clicks: 0, links: {} } },
    ]);
  });
});
