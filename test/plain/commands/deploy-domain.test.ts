/** The domain of a deployment: what is one, when it is asked for, and which is in use. */
import { describe, expect, test, vi } from "vitest";
import { atDomain, chooseDomain, domainIn } from "../../../src/commands/deploy/domain.ts";
import { hasAddress } from "../../../src/commands/deploy/domain-in-use.ts";

test("a domain is a name of DNS, in any script; an empty one is none", () => {
  expect(domainIn(" Links.Example.com ")).toBe("links.example.com");
  expect(domainIn("صلة.example")).toBe("xn--ogbx9b.example");
  expect(domainIn("")).toBe("");
  const wrong = ["localhost", "https://a.example", "a.example/", "a..example", "127.0.0.1"];
  for (const text of [...wrong, "a.example:443", "*.example.com", "my.account.workers.dev"]) {
    expect(() => domainIn(text), text).toThrow("--domain takes a domain");
  }
});

describe("somebody at a terminal", () => {
  const ask = (...answers: string[]) => {
    const asked = vi.fn(async () => answers.shift() ?? "");
    return Object.assign(asked, { count: () => asked.mock.calls.length });
  };

  test("is asked once, until the answer is a domain or empty", async () => {
    const question = ask("https://a.example/", "a.example");
    vi.spyOn(console, "log").mockImplementationOnce(() => {});
    expect(await chooseDomain(undefined, { vars: {} }, true, question)).toBe("a.example");
    expect(question.count()).toBe(2);
    expect(await chooseDomain(undefined, { vars: {} }, true, ask(""))).toBe("");
  });

  test("is not asked for what is known, for a service that is there, or where nobody is", async () => {
    const question = ask();
    const kept = { vars: {}, account: "a" };
    expect(await chooseDomain("a.example", { vars: {} }, true, question)).toBe("a.example");
    expect(await chooseDomain(undefined, { ...kept, domain: "" }, true, question)).toBe("");
    expect(await chooseDomain(undefined, kept, true, question)).toBeUndefined();
    expect(await chooseDomain(undefined, { vars: {} }, false, question)).toBeUndefined();
    expect(question.count()).toBe(0);
  });
});

test("routes of wrangler.toml stay beside the domain, and so does an origin that was set", () => {
  const service = { name: "sila", main: "a.ts", route: "old.example/*" };
  expect(atDomain({ ...service, vars: { SITE_ORIGIN: "" } }, "a.example")).toMatchObject({
    workers_dev: false,
    routes: ["old.example/*", { pattern: "a.example", custom_domain: true }],
    vars: { SITE_ORIGIN: "https://a.example" },
  });
  const set = { SITE_ORIGIN: "https://old.example" };
  expect(atDomain({ ...service, vars: set }, "a.example").vars).toEqual(set);
});

describe("whether a name leads somewhere", () => {
  /** Zones with their records; a name of a deeper zone is delegated. */
  const ZONES: Record<string, Record<string, string[]>> = {
    "example.com": { "example.com": ["A"], "www.example.com": ["CNAME"], "mail.example.com": [] },
    "co.uk": { "shop.co.uk": [] },
    "shop.co.uk": { "shop.co.uk": ["AAAA"] },
  };
  /** Names that this machine's resolver was asked for, and remembers. */
  const remembered: string[] = [];

  function at(servers?: string[]) {
    const zone = servers?.[0];
    const answer = (type: string) => async (name: string) => {
      if (zone === undefined) return [`${name}`];
      const types = ZONES[zone]?.[name];
      if (types?.includes(type)) return ["found"];
      throw Object.assign(new Error(), { code: types === undefined ? "ENOTFOUND" : "ENODATA" });
    };
    return {
      resolve4: answer("A"),
      resolve6: answer("AAAA"),
      resolveCname: answer("CNAME"),
      resolveNs: async (name: string) => {
        remembered.push(name);
        if (ZONES[name] === undefined) throw new Error("no zone");
        return [name];
      },
    };
  }

  test.each([
    ["example.com", true],
    ["www.example.com", true],
    ["links.example.com", false],
    ["mail.example.com", false],
    ["shop.co.uk", true],
    ["a.b.shop.co.uk", false],
    ["a.unknown.example", false],
  ])("%s: %s", async (name, leads) => {
    expect(await hasAddress(name, at as never)).toBe(leads);
  });

  test("this machine's resolver is not asked for a name that is not there, which it would remember", () => {
    expect(remembered).not.toContain("links.example.com");
    expect(remembered).not.toContain("b.shop.co.uk");
  });
});
