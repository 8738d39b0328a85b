/** The page of webhooks in a real browser, without a script: endpoints, deliveries, and what a receiver answers. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { breaches } from "../browser/axe.ts";
import { PHONE, type World } from "../browser/browser-kit.ts";
import { complaintsOf, creator, ownPage } from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";

const WORDS = {
  ar: {
    add: "أضف عنوان استقبال",
    address: "عنوان خادمك",
    wrong: "لا يمكن استعمال هذا العنوان",
    choose: "اختر حدثًا واحدًا على الأقل",
    test: "أرسل حدثًا تجريبيًّا",
    arrived: "وصل",
    details: "التفاصيل",
    again: "أعد الإرسال",
    answer: "أول الجواب",
    secret: "المفتاح السري",
    rotate: "أنشئ مفتاحًا جديدًا",
    remove: "احذف",
    sure: "احذفه نهائيًّا",
    none: "لا عناوين استقبال بعد",
    link: "الأحداث إلى خادمك",
  },
  en: {
    add: "Add an endpoint",
    address: "Address of your server",
    wrong: "This address cannot be used",
    choose: "Choose one event at least",
    test: "Send a test event",
    arrived: "Arrived",
    details: "Details",
    again: "Send again",
    answer: "The beginning of the answer",
    secret: "Secret",
    rotate: "Make a new secret",
    remove: "Delete",
    sure: "Delete for good",
    none: "No endpoint yet",
    link: "Webhooks",
  },
} as const;

/** What is sent arrives within this time. */
const SOON = { timeout: 15_000 };

const WIDTH_PX = 360;
const SMALL_PHONE = { ...PHONE, viewport: { width: WIDTH_PX, height: 800 } };

/** Reads the page again until it shows this. */
async function shows(tab: Tab, look: () => Promise<boolean>): Promise<void> {
  await expect
    .poll(async () => {
      await tab.reload();
      return look();
    }, SOON)
    .toBe(true);
}

async function openAll(tab: Tab): Promise<void> {
  for (const details of await tab.locator("details").all()) {
    await details.evaluate((element) => element.setAttribute("open", ""));
  }
}

inBrowser("webhooks", (world: World) => {
  test.each(["ar", "en"] as const)(
    "an owner adds an endpoint, tests it, looks at what arrived and deletes it, without a script, in %s",
    async (lang) => {
      const words = WORDS[lang];
      await using someone = await creator(world, { ...SMALL_PHONE, javaScriptEnabled: false });
      const { tab } = someone;
      const { page_id } = await ownPage(world, { locales: [lang] });
      await tab.goto(`/dashboard/${page_id}?lang=${lang}`);
      await tab.getByRole("link", { name: words.link, exact: true }).click();
      await tab.getByRole("heading", { name: words.none }).waitFor();
      const form = tab.locator("form.webhooks-form");
      await form.getByLabel(words.address).fill("https://10.0.0.1/");
      await form.getByRole("button", { name: words.add }).click();
      await tab.getByText(words.wrong).waitFor();
      expect(await form.getByLabel(words.address).inputValue()).toBe("https://10.0.0.1/");
      await form.getByLabel(words.address).fill(new URL("/hooks", world.hub.url).href);
      for (const box of await form.getByRole("checkbox").all()) await box.uncheck();
      await form.getByRole("button", { name: words.add }).click();
      await tab.getByText(words.choose).waitFor();
      await form.getByRole("checkbox").first().check();
      await form.getByRole("button", { name: words.add }).click();
      // The form of another one is below it.
      await tab.locator(".webhooks-secret").waitFor({ state: "attached" });
      const secret = (await tab.locator(".webhooks-secret").textContent())?.trim() ?? "";
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      await tab.getByRole("button", { name: words.test }).click();
      const rows = tab.locator("ul.webhooks-list > li");
      await shows(tab, async () =>
        (await rows.first().locator(".badge").allTextContents()).includes(words.arrived),
      );
      await rows.first().getByRole("button", { name: words.again }).click();
      await rows.first().getByRole("link", { name: words.details }).click();
      const attempts = tab.locator("ol.webhooks-list > li");
      await shows(tab, async () => (await attempts.count()) === 2);
      expect(await tab.locator("pre.webhooks-text").first().textContent()).toContain(
        "webhook.test",
      );
      await tab.locator("summary", { hasText: words.secret }).first().click();
      await tab.getByRole("button", { name: words.rotate }).click();
      const after = (await tab.locator(".webhooks-secret").textContent())?.trim();
      expect(after).not.toBe(secret);
      await tab.locator("summary", { hasText: words.remove }).first().click();
      await tab.getByRole("button", { name: words.sure }).click();
      await tab.getByRole("heading", { name: words.none }).waitFor();
      // What was refused on purpose.
      const others = (await complaintsOf(someone)).filter((text) => !text.includes("400"));
      expect(others).toEqual([]);
    },
  );

  test.each([
    ["ar", "light"],
    ["ar", "dark"],
    ["en", "light"],
    ["en", "dark"],
  ] as const)(
    "a hostile answer is text, on a page that breaks no rule of axe-core and fits a small phone: %s, %s",
    async (lang, colorScheme) => {
      await using someone = await creator(world, { ...SMALL_PHONE, colorScheme, bypassCSP: true });
      const { tab } = someone;
      const { page_id } = await ownPage(world, { locales: [lang] });
      await tab.goto(`/dashboard/pages/${page_id}/webhooks?lang=${lang}`);
      expect(await breaches(tab)).toEqual([]);
      const form = tab.locator("form.webhooks-form");
      await form.getByLabel(WORDS[lang].address).fill(new URL("/hostile", world.hub.url).href);
      await form.getByRole("button", { name: WORDS[lang].add }).click();
      await tab.getByRole("button", { name: WORDS[lang].test }).click();
      const rows = tab.locator("ul.webhooks-list > li");
      await shows(
        tab,
        async () => !((await rows.first().textContent()) ?? "").match(/لم يُرسل بعد|0 attempts/),
      );
      await rows.first().getByRole("link", { name: WORDS[lang].details }).click();
      await openAll(tab);
      const answer = (await tab.locator("ol pre.webhooks-text").first().textContent()) ?? "";
      expect(answer).toContain("<script>document.title = 'owned'</script>");
      expect(answer).not.toContain("\u202e");
      expect(answer.length).toBeLessThanOrEqual(1_001);
      expect(await tab.title()).not.toBe("owned");
      expect(await tab.locator("html").evaluate((html) => html.scrollWidth)).toBe(WIDTH_PX);
      expect(await breaches(tab)).toEqual([]);
      const heights = await tab
        .locator("main :is(.quiet, button, summary)")
        .evaluateAll((elements) => elements.map((element) => element.clientHeight));
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    },
  );
});
