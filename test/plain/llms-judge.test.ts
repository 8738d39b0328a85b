import { describe, expect, test } from "vitest";
import { judgeLlmsTxt } from "./llms-judge.ts";

describe("the judge of llms.txt", () => {
  const SOUND = "# T\n\n> S\n\nText.\n\n- a list\n\n## A\n\n- [a](https://a.example/): notes\n";

  test("finds nothing wrong with a sound text", () => {
    expect(judgeLlmsTxt(SOUND)).toEqual({
      links: [{ section: "A", name: "a", url: "https://a.example/" }],
      faults: [],
    });
  });

  test.for([
    ["T\n\n> S\n\n## A\n- [a](https://a.example/)", "the first line is no title"],
    ["# T\n\nS\n\n## A\n- [a](https://a.example/)", "no summary follows the title"],
    [`${SOUND}### B\n- [b](https://b.example/)`, "a heading of another level: ### B"],
    [`${SOUND}# B\n- [b](https://b.example/)`, "a heading of another level: # B"],
    [`${SOUND}Text.\n`, "no link to an address in A: Text."],
    [`${SOUND}- [b](/b)\n`, "no link to an address in A: - [b](/b)"],
    [`${SOUND}- [b](https://b.example/) notes\n`, "no link to an address in A"],
    [`${SOUND}## A\n- [b](https://b.example/)`, "two sections are called A"],
    [`${SOUND}## B\n`, "B is empty"],
    ["# T\n\n> S\n\nText.\n", "there is no section of links"],
    [SOUND.replace("## A", "## Optional\n- [o](https://o.example/)\n## A"), "Optional is not"],
  ])("refuses %j", ([text = "", fault = ""]) => {
    expect(judgeLlmsTxt(text).faults).toEqual([expect.stringContaining(fault)]);
  });
});
