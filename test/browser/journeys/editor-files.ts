/** Downloads: a creator uploads a file and offers it, visitors download it as often as they may. */
import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { ERRORS } from "../../../src/http/api-error.ts";
import { blockOf } from "../../../src/pages/document/block-of.ts";
import type { Locale } from "../../../src/views/locale.ts";
import { formatBytes, formatNumber } from "../../../src/views/numbers.ts";
import { TEXTS } from "../../../src/views/texts.ts";
import { badNetwork } from "../bad-network.ts";
import { countsInD1, PHONE, visitor, type World } from "../browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  openEditor,
  pageOf,
  previewOf,
  savedPage,
} from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { clipboardOf } from "./clipboard.ts";
import { button, downloadBy } from "./editor-parts.ts";
import { eventually, LOOK_AGAIN } from "./eventually.ts";

/** Readers of Arabic who have chosen no digits see Arabic ones. */
const ARABIC = "ar-u-nu-arab";
/** Two whole parts and a short one. */
const LARGE_BYTES = 18_000_000;
const PART_BYTES = 8_388_608;
const GIFT = Buffer.from("شكرًا لكم جميعًا\n");

const dialog = (tab: Tab) => tab.locator(".files-dialog");
const form = (tab: Tab) => tab.locator(".download-form");

/** A file on the creator's device. Its time stays the same, whenever it is chosen. */
async function fileOf({ folder }: World, name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  await utimes(path, 1_700_000_000, 1_700_000_000);
  return path;
}

async function openFiles(tab: Tab, lang: Locale): Promise<void> {
  const { FILES_TEXTS, LINKS_TEXTS } = EDITOR[lang];
  await button(tab, LINKS_TEXTS.kinds.download).click();
  await button(form(tab), FILES_TEXTS.choose_file).click();
  await dialog(tab).locator(".files-space").waitFor();
}

const chooseOnDevice = (tab: Tab, path: string) =>
  dialog(tab).locator('input[type="file"]').setInputFiles(path);

async function offer(tab: Tab, lang: Locale, path: string): Promise<void> {
  await openFiles(tab, lang);
  await chooseOnDevice(tab, path);
  await dialog(tab).waitFor({ state: "detached" });
}

const download = (tab: Tab) => tab.locator(".link.download");

export function fileJourneys(world: World): void {
  test("an upload that was cut off goes on where it stopped, also after a reload; a file that a page uses is not deleted, and one that none uses is, after a question", async () => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    const { tab } = owner;
    const texts = EDITOR.en.FILES_TEXTS;
    const { page_id } = await pageOf(owner, world, { links: [] });
    const name = `film ${page_id}.bin`;
    const film = await fileOf(world, name, Buffer.alloc(LARGE_BYTES, "film"));
    const sent: number[] = [];
    tab.on("request", (request) => {
      const [, n] = /\/parts\/(\d+)$/.exec(request.url()) ?? [];
      if (n !== undefined) sent.push(Number(n));
    });
    network.break(({ path }) => path.endsWith("/parts/2"), { end: "block" });
    await openEditor(tab, page_id, { lang: "en" });
    await openFiles(tab, "en");
    await chooseOnDevice(tab, film);
    const line = dialog(tab).locator(".file-line", { hasText: name });
    await line.getByText(texts.waiting).waitFor();
    await button(line, texts.pause_name(name)).click();
    await line.getByText(`${texts.paused} ${texts.sending(PART_BYTES, LARGE_BYTES)}`).waitFor();
    expect(sent.slice(0, 2)).toEqual([1, 2]);
    network.mend();
    sent.length = 0;

    await tab.reload();
    await openFiles(tab, "en");
    await line.getByText(texts.unfinished).waitFor();
    await chooseOnDevice(tab, film);
    await dialog(tab).waitFor({ state: "detached" });
    expect(sent).toEqual([2, 3]);
    const links = async () => (await savedPage(tab, page_id)).links.map(({ kind }) => kind);
    await eventually(links, ["download"]);

    const used = () => dialog(tab).locator("progress").first().getAttribute("value");
    const remove = async () => {
      await button(line, texts.remove(name)).click();
      await button(line, texts.remove_yes).click();
    };
    await button(form(tab), texts.change_file).click();
    await eventually(used, String(LARGE_BYTES));
    await remove();
    await line.getByText(ERRORS.FILE_IN_USE.en).waitFor();
    await tab.keyboard.press("Escape");
    await button(tab, EDITOR.en.LINKS_TEXTS.remove).click();
    await eventually(links, []);
    await openFiles(tab, "en");
    await remove();
    await line.waitFor({ state: "detached" });
    await eventually(used, "0");
    // Without those of the parts that were cut off and of what was refused on purpose.
    await expectNoComplaints(owner, /ERR_| 409 /);
  });

  test("visitors download a file as often as it is offered, the next one is told so in the page's language, and the creator sees it live", async () => {
    await using owner = await creator(world);
    const texts = EDITOR.ar.FILES_TEXTS;
    const { page_id, slug } = await pageOf(owner, world, { links: [] });
    const name = `هدية ${page_id}.txt`;
    await openEditor(owner.tab, page_id);
    await offer(owner.tab, "ar", await fileOf(world, name, GIFT));
    await owner.tab.locator(".download-file .file-name", { hasText: name }).waitFor();
    await form(owner.tab).getByLabel(texts.uses).fill("١");
    const links = async () => (await savedPage(owner.tab, page_id)).links;
    const offered = { access: "free", uses_max: 1, file_id: expect.any(String) };
    const block = { kind: "download", url: null, block: offered };
    await eventually(links, [expect.objectContaining(block)]);
    const [{ link_id } = { link_id: "" }] = await links();
    await previewOf(owner.tab).locator(".download .note").waitFor();
    await owner.tab.locator(".row-open").first().click();
    await eventually(links, [expect.objectContaining({ ...block, enabled: true })]);

    // The owner looks on, and sees it without doing anything.
    await owner.tab.goto(`/dashboard/${page_id}?lang=ar`);
    const cells = () => owner.tab.locator("[data-downloads] tbody td").allTextContents();
    const shows = (uses: number, bytes: number) => [
      formatNumber(ARABIC, uses),
      formatBytes(ARABIC, bytes),
    ];
    expect(await cells()).toEqual(shows(0, 0));
    await owner.tab.locator('[data-live-state="live"]').waitFor();

    await using first = await visitor(world, PHONE);
    await first.tab.goto(`/${slug}`);
    const got = await downloadBy(first.tab, () => download(first.tab).click());
    expect(got).toEqual({ name, bytes: GIFT });
    expect(await first.complaints()).toEqual([]);

    // The page speaks Arabic, and this browser does not.
    await using second = await visitor(world);
    await second.tab.goto(`/${slug}`);
    await download(second.tab).click();
    await second.tab.waitForURL(/token=/);
    await second.tab.locator(".status", { hasText: "410" }).waitFor();
    await eventually(() => second.tab.locator("html").getAttribute("lang"), "ar");
    await second.tab.getByRole("link", { name: TEXTS.ar.back_to_page }).click();
    await download(second.tab).waitFor();

    await eventually(async () => (await countsInD1(world, page_id))[`click human ${link_id}`], 1);
    await eventually(cells, shows(1, GIFT.length));
    await expectNoComplaints(owner);
    await owner.tab.reload();
    expect(await cells()).toEqual(shows(1, GIFT.length));
  });

  test("a creator offers a file to those who tipped, or by a link alone; whoever has that gets it, although the page lets nobody", async () => {
    await using owner = await creator(world);
    const clipboard = await clipboardOf(owner.context);
    const { FILES_TEXTS } = EDITOR.en;
    const jar = { link_id: "jar", kind: "tip" as const, block: { amounts: [5] } };
    const { page_id, slug } = await pageOf(owner, world, { links: [jar] });
    const name = `gift ${page_id}.txt`;
    const access = async () => {
      const { links } = await savedPage(owner.tab, page_id);
      return links.flatMap((link) => blockOf(link, "download")?.access ?? []);
    };
    await openEditor(owner.tab, page_id, { lang: "en" });
    await offer(owner.tab, "en", await fileOf(world, name, GIFT));
    await button(form(owner.tab), FILES_TEXTS.accesses.tip).click();
    await eventually(access, ["tip"]);

    await button(form(owner.tab), FILES_TEXTS.accesses.link).click();
    await eventually(access, ["link"]);
    const part = owner.tab.locator(".download-link");
    await part.getByLabel(FILES_TEXTS.link_uses).fill("2");
    await button(part, FILES_TEXTS.make_link).click();
    await part.getByText(FILES_TEXTS.copied).waitFor();
    const link = clipboard.last() ?? "";
    expect(link).toBe(await part.locator("input[readonly]").inputValue());
    await using someone = await visitor(world);
    // A page shows an edit within two seconds. Browsers show nothing of an address that is a download.
    await eventually(
      async () => {
        await someone.tab.goto(`/${slug}`);
        // The link that was made has switched the new block on, which takes a save.
        const is_there = (await download(someone.tab).count()) > 0;
        return is_there ? download(someone.tab).getAttribute("href") : "not there";
      },
      null,
      LOOK_AGAIN,
    );
    const open = (address: string) => location.assign(address);
    const got = await downloadBy(someone.tab, () => someone.tab.evaluate(open, link));
    expect(got).toEqual({ name, bytes: GIFT });
  });
}
