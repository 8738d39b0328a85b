/** What a page takes from its visitors: tips, addresses for a newsletter; and the webhooks that tell a server of them. */
import type { Locator, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { NEWSLETTER_TEXTS } from "../../../src/blocks/newsletter/newsletter-texts.ts";
import { TIP_TEXTS } from "../../../src/blocks/tips/tip-texts.ts";
import { WEBHOOKS_TEXTS } from "../../../src/blocks/webhooks/webhooks-texts.ts";
import { PART_TEXTS } from "../../../src/dashboard/stats/part-texts.ts";
import { SUBSCRIBERS_SCRIPT_TEXTS } from "../../../src/dashboard/subscribers-script-texts.ts";
import { TIPS_TEXTS } from "../../../src/dashboard/tips-texts.ts";
import { tipsTotal } from "../../../src/dashboard/tips-total.ts";
import { TIP_AMOUNTS_MAX, TIP_POINTS_MAX } from "../../../src/pages/document/limits.ts";
import { counted } from "../../../src/views/numbers.ts";
import { type BadNetwork, badNetwork } from "../bad-network.ts";
import { PHONE, visitor, type World } from "../browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  isSaved,
  openEditor,
  pageOf,
  previewOf,
  savedPage,
  signIn,
} from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { FOREIGN } from "../network-faults.ts";
import { eventually, LOOK_AGAIN } from "./eventually.ts";

/** Readers of Arabic who have chosen no digits see Arabic ones. */
const ARABIC = "ar-u-nu-arab";

const PAGE_NAME = "ليان الحوراني";

/** Long, in both directions, with what HTML has to escape. */
const MESSAGE = `شكرًا 🌸 for the & "tile" ${"😀".repeat(120)}`;

export function blockJourneys(world: World): void {
  test("a visitor signs in on the way to a tip and loses nothing, and the creator of the tip jar sees it live", async () => {
    await using owner = await creator(world, PHONE);
    const { page_id } = await pageOf(owner, world, { links: [] });
    await addTipJar(owner.tab, page_id);
    await expectNoComplaints(owner);

    await using sender = await creator(world, PHONE, { is_signed_in: false });
    const { tab } = sender;
    const texts = TIP_TEXTS.ar;
    const points = counted(ARABIC, "point", 12);
    await tab.goto(`/${page_id}`);
    const block = tab.locator("form.block");
    await block.locator("label.amount").last().click();
    // With the digits of an Arabic keyboard.
    await block.locator("[name=own]").fill("١٢");
    await block.locator("[name=message]").fill(MESSAGE);
    await block.locator("[type=submit]").click();
    const title = tab.getByRole("heading", {
      level: 1,
      name: texts.send_to(points, `\u2068${PAGE_NAME}\u2069`),
    });
    await title.waitFor();
    await eventually(() => tab.locator(".tip-message").textContent(), MESSAGE);
    await tab.getByRole("link", { name: texts.sign_in }).click();
    await tab.getByRole("button", { name: sender.name }).click();
    await tab.locator('[data-step="confirm"]').waitFor();
    await title.waitFor();
    await eventually(() => tab.locator(".tip-message").textContent(), MESSAGE);

    // Its owner looks on, and sees it without doing anything.
    await owner.tab.goto(`/dashboard/${page_id}?lang=ar`);
    const total = owner.tab.locator("[data-tips-total]");
    await eventually(() => total.textContent(), tipsTotal(ARABIC, 0, 0));
    await owner.tab.locator('[data-live-state="live"]').waitFor();
    await tab.getByRole("button", { name: texts.send }).click();
    await tab.locator('[data-step="sent"]').waitFor();
    // Sent again by a reload, it is the same tip.
    await tab.reload();
    await tab.locator('[data-step="sent"]').waitFor();
    await eventually(() => total.textContent(), tipsTotal(ARABIC, 1, 12));
    const listed = owner.tab.locator("[data-tips] li");
    await eventually(() => listed.count(), 1);
    await eventually(() => listed.textContent(), expect.stringContaining(sender.name));
    await eventually(() => listed.locator(".tip-message").textContent(), MESSAGE);
    await owner.tab.getByRole("link", { name: TIPS_TEXTS.ar.all }).click();
    await owner.tab.waitForURL("**/tips?**");
    await eventually(() => listed.count(), 1);

    await tab.goto("/dashboard/wallet?lang=ar");
    const sent = await tab.locator(".tips li").allTextContents();
    expect(sent).toEqual([expect.stringContaining(points)]);
    expect(sent[0]).toContain(PAGE_NAME);
  });
}

export function deepBlockJourneys(world: World): void {
  test("a reader subscribes and confirms without a script, and the creator sees it live, finds the address and deletes it by keyboard", async () => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    const { page_id } = await newsletterPage(world, owner);
    const subscribers = (n: number) => owner.tab.locator(`[data-subscribers="${n}"]`).waitFor();
    await owner.tab.goto(`/dashboard/${page_id}/subscribers?lang=ar`);
    await subscribers(0);

    await using reader = await visitor(world, { ...PHONE, javaScriptEnabled: false });
    const email = `Reader-${page_id}@Example.com`;
    await reader.tab.goto(`/${page_id}/en`);
    await reader.tab.getByRole("textbox").fill(email);
    await reader.tab.locator("form.block [type=submit]").click();
    await hasTitle(reader.tab, "asked");
    await followMail(world, reader.tab, email);
    await reader.tab.getByRole("button", { name: NEWSLETTER_TEXTS.en.confirm_button }).click();
    await hasTitle(reader.tab, "confirmed");
    await subscribers(1);
    await owner.tab.locator("[data-fresh]").click();
    await owner.tab.getByRole("rowheader", { name: /^reader-/i }).waitFor();

    const rows = owner.tab.locator("tbody tr");
    await owner.tab.getByRole("searchbox").fill("reader");
    await owner.tab.keyboard.press("Enter");
    await owner.tab.waitForURL("**q=reader**");
    await eventually(() => rows.allTextContents(), [expect.stringMatching(/reader-/i)]);
    await removeByKeyboard(owner.tab, rows, network);
    await subscribers(0);
    await expectNoComplaints(owner, /status of 40[134]/);
  });

  test("a creator adds an endpoint, tests it, looks at what arrived and deletes it without a script, and a hostile answer is text", async () => {
    await using owner = await creator(world, { ...PHONE, javaScriptEnabled: false });
    const { page_id } = await pageOf(owner, world);
    const { tab } = owner;
    const texts = WEBHOOKS_TEXTS[ARABIC];
    await tab.goto(`/dashboard/${page_id}?lang=ar`);
    await tab.getByRole("link", { name: PART_TEXTS[ARABIC].webhooks, exact: true }).click();
    await tab.getByRole("heading", { name: texts.none }).waitFor();
    const secret = await addEndpoint(tab, new URL("/hooks", world.hub.url).href);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

    await tab.getByRole("button", { name: texts.test }).click();
    const row = tab.locator("ul.webhooks-list > li").first();
    await shows(tab, row.locator(".badge.is-delivered"), 1);
    await row.getByRole("button", { name: texts.again }).click();
    await row.getByRole("link", { name: texts.details }).click();
    await shows(tab, tab.locator("ol.webhooks-list > li"), 2);
    await eventually(
      () => tab.locator("pre.webhooks-text").first().textContent(),
      expect.stringContaining("webhook.test"),
    );

    await tab.locator("summary", { hasText: texts.secret }).first().click();
    await tab.getByRole("button", { name: texts.rotate }).click();
    await eventually(() => secretOn(tab), expect.not.stringContaining(secret));
    await tab.locator("summary", { hasText: texts.remove }).first().click();
    await tab.getByRole("button", { name: texts.remove_yes }).click();
    await tab.getByRole("heading", { name: texts.none }).waitFor();
    // Without those of what was refused on purpose.
    await expectNoComplaints(owner, / 400 /);

    // With scripts, which a page could let the answer run.
    await using scripted = await visitor(world, PHONE);
    await signIn(world, scripted, owner.user_id);
    await readHostileAnswer(world, scripted.tab, page_id);
    await expectNoComplaints(scripted);
  });
}

async function addTipJar(tab: Tab, page_id: string): Promise<void> {
  const { BLOCK_TEXTS, LINKS_TEXTS } = EDITOR.ar;
  await openEditor(tab, page_id);
  await tab.getByRole("button", { name: LINKS_TEXTS.kinds.tip }).click();
  const form = tab.locator(".row-form");
  const field = form.getByLabel(BLOCK_TEXTS.amounts);
  // What is not right is not saved: the page keeps the amounts before it.
  await field.fill("5 5");
  await field.blur();
  await form.getByText(BLOCK_TEXTS.amounts_wrong(TIP_AMOUNTS_MAX, TIP_POINTS_MAX)).waitFor();
  await field.fill("٥، 20 ٣٠");
  await field.blur();
  await isSaved(tab);
  const savedAs = (enabled: boolean) =>
    eventually(
      async () => (await savedPage(tab, page_id)).links,
      [
        expect.objectContaining({
          kind: "tip",
          url: null,
          block: { amounts: [5, 20, 30] },
          enabled,
        }),
      ],
    );
  // Nobody but its creator sees it before its row is closed.
  await savedAs(false);
  const state = tab.locator(".row-state", { hasText: LINKS_TEXTS.not_yet });
  await state.waitFor();
  // The amounts, and the choice of another one.
  await eventually(() => previewOf(tab).locator(".block .amount").count(), 4);
  await tab.locator(".row-open").first().click();
  await state.waitFor({ state: "detached" });
  await savedAs(true);
}

/** A page in both languages with a newsletter's block. */
function newsletterPage(world: World, owner: { user_id: string }) {
  return pageOf(owner, world, {
    locales: ["ar", "en"],
    name: { ar: PAGE_NAME, en: "Layan" },
    links: [
      {
        link_id: "news",
        kind: "newsletter",
        label: { ar: "رسالة كل خميس", en: "A letter each Thursday" },
        block: {},
      },
    ],
  });
}

/** The page says this, in English. */
async function hasTitle(tab: Tab, state: "asked" | "confirmed"): Promise<void> {
  const { title } = NEWSLETTER_TEXTS.en[state];
  await tab.locator('html[lang="en"]').waitFor();
  await tab.getByRole("heading", { level: 1, name: title("Layan"), exact: true }).waitFor();
}

/** Opens the mail to this address in the mailbox, and follows its link. */
async function followMail({ hub }: World, tab: Tab, email: string): Promise<void> {
  const listed = tab.locator(".mails a");
  await tab.goto(new URL(`/mailbox?to=${encodeURIComponent(email)}`, hub.url).href);
  await shows(tab, listed, 1);
  await listed.first().click();
  await tab.locator('.mail a[href*="/newsletter/confirm?"]').first().click();
}

async function removeByKeyboard(tab: Tab, rows: Locator, network: BadNetwork): Promise<void> {
  const remove = rows.getByRole("button");
  const sure = tab.locator("[data-sure]");
  await remove.press("Enter");
  await sure.waitFor();
  await tab.keyboard.press("Escape");
  await sure.waitFor({ state: "hidden" });
  expect(await rows.count()).toBe(1);
  await eventually(() => remove.evaluate((button) => button === document.activeElement), true);
  const says = (words: string) =>
    eventually(() => tab.locator("[data-announcer]").textContent(), words);
  const confirm = async () => {
    await remove.press("Enter");
    await sure.locator("button[value=yes]").press("Enter");
  };
  network.break(({ method }) => method === "DELETE", { foreign: FOREIGN["an empty 404"] });
  await confirm();
  await says(SUBSCRIBERS_SCRIPT_TEXTS.ar.failed);
  network.mend();
  await confirm();
  await rows.waitFor({ state: "detached" });
  await says(SUBSCRIBERS_SCRIPT_TEXTS.ar.removed);
}

async function shows(tab: Tab, what: Locator, n: number): Promise<void> {
  await eventually(
    async () => {
      await tab.reload();
      return what.count();
    },
    n,
    LOOK_AGAIN,
  );
}

const secretOn = async (tab: Tab) =>
  (await tab.locator(".webhooks-secret").textContent())?.trim() ?? "";

async function addEndpoint(tab: Tab, address: string): Promise<string> {
  const texts = WEBHOOKS_TEXTS[ARABIC];
  const form = tab.locator("form.webhooks-form");
  const field = form.getByLabel(texts.address);
  const add = form.getByRole("button", { name: texts.add });
  await field.fill("https://10.0.0.1/");
  await add.click();
  await tab.getByText(texts.address_wrong).waitFor();
  await eventually(() => field.inputValue(), "https://10.0.0.1/");
  await field.fill(address);
  for (const box of await form.getByRole("checkbox").all()) await box.uncheck();
  await add.click();
  await tab.getByText(texts.events_missing).waitFor();
  await form.getByRole("checkbox").first().check();
  await add.click();
  await tab.locator(".webhooks-secret").waitFor({ state: "attached" });
  return secretOn(tab);
}

async function readHostileAnswer({ hub }: World, tab: Tab, page_id: string): Promise<void> {
  const texts = WEBHOOKS_TEXTS.en;
  await tab.goto(`/dashboard/pages/${page_id}/webhooks?lang=en`);
  const form = tab.locator("form.webhooks-form");
  await form.getByLabel(texts.address).fill(new URL("/hostile", hub.url).href);
  await form.getByRole("button", { name: texts.add }).click();
  await tab.getByRole("button", { name: texts.test }).click();
  await tab
    .locator("ul.webhooks-list > li")
    .first()
    .getByRole("link", { name: texts.details })
    .click();
  const answers = tab.locator("ol pre.webhooks-text");
  await shows(tab, answers, 1);
  await tab.locator("ol summary", { hasText: texts.answer }).click();
  await answers.waitFor();
  const answer = (await answers.textContent()) ?? "";
  expect(answer).toContain("<script>document.title = 'owned'</script>");
  expect(answer).not.toContain("\u202e");
  // The first kilobyte and the end of its line.
  expect(answer.length).toBeLessThanOrEqual(1_001);
  expect(await tab.title()).not.toBe("owned");
}
