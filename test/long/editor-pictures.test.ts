/** The editor's picture dialog in a real browser: what it makes of files, and what it says of others. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, PHONE, poll } from "../browser/browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  isSaved,
  openEditor,
  ownPage,
  previewOf,
  savedPage,
} from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { bytesOf, sample } from "../workers/picture-samples.ts";

interface Upload {
  type: string;
  width: number;
  height: number;
  bytes: number;
}

/** Largest picture in bytes that is sent for an avatar. */
const AVATAR_BYTES_MAX = 200_000;

/** The first answers of uploads: one may be read after the dialog is closed. */
const first = (uploads: Upload[], n: number) =>
  poll(
    () => uploads,
    ({ length }) => length >= n,
  );

const stage = (tab: Tab) => tab.locator(".crop-stage");
const use = (tab: Tab) => tab.locator(".picture-actions .primary");
const closed = (tab: Tab) => tab.locator(".picture-dialog").waitFor({ state: "detached" });

/** Opens the dialog for the avatar of a new page. Returns its answers of uploads, as they come. */
async function openDialog(tab: Tab, page_id: string, lang: "ar" | "en" = "ar"): Promise<Upload[]> {
  const uploads: Upload[] = [];
  tab.on("response", async (response) => {
    if (!response.url().endsWith(`/${page_id}/pictures`)) return;
    const { picture } = (await response.json()) as { picture?: Upload };
    if (picture !== undefined) uploads.push(picture);
  });
  await openEditor(tab, page_id, { panel: "profile", lang });
  await tab.locator(".avatar-field button").click();
  await tab.locator(".picture-dialog").waitFor();
  // It listens for what is pasted from its second frame on.
  await tab.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  return uploads;
}

/** A file as a creator would choose it. */
async function choose(tab: Tab, name: string, bytes: Uint8Array): Promise<void> {
  const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) };
  await tab.locator('.picture-dialog input[type="file"]').setInputFiles(file);
}

/** A photograph that the browser makes itself: red at the left, blue at the right, with some noise. */
async function choosePhotograph(tab: Tab, width: number, height: number): Promise<void> {
  await tab.locator('.picture-dialog input[type="file"]').waitFor({ state: "attached" });
  await tab.evaluate(
    async ({ width, height }) => {
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = height;
      const context = canvas.getContext("2d");
      if (context === null) throw new Error("no canvas");
      context.fillStyle = "#c0392b";
      context.fillRect(0, 0, width / 2, height);
      context.fillStyle = "#2255cc";
      context.fillRect(width / 2, 0, width / 2, height);
      for (let i = 0; i < 4_000; i += 1) {
        context.fillStyle = `hsl(${i % 360} 50% 50%)`;
        context.fillRect((i * 97) % width, (i * 61) % height, 9, 9);
      }
      const blob = await new Promise<Blob | null>((resolve) =>
        canvas.toBlob(resolve, "image/jpeg", 0.95),
      );
      const files = new DataTransfer();
      files.items.add(new File([blob ?? ""], "photo.jpg", { type: "image/jpeg" }));
      const input = document.querySelector<HTMLInputElement>('.picture-dialog input[type="file"]');
      if (input === null) throw new Error("no field");
      input.files = files.files;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    },
    { width, height },
  );
  await stage(tab).waitFor();
}

/** What is under a point of the stage, from 0 to 1: red, green, blue. */
function pixel(tab: Tab, x: number, y: number): Promise<number[]> {
  return stage(tab)
    .locator("canvas")
    .evaluate(
      (canvas: HTMLCanvasElement, [x, y]) =>
        [
          ...(canvas
            .getContext("2d")
            ?.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1)
            .data ?? []),
        ].slice(0, 3),
      [x, y] as const,
    );
}

const isRed = ([red = 0, , blue = 0]: number[]) => red > 140 && blue < 90;
const isBlue = ([red = 0, , blue = 0]: number[]) => blue > 140 && red < 90;

inBrowser("the picture dialog", (world) => {
  test("S26: a photograph of 5,000 × 3,000 pixels becomes a small WebP in the browser", async () => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    const uploads = await openDialog(tab, page_id);
    await choosePhotograph(tab, 5_000, 3_000);
    await use(tab).click();
    await closed(tab);
    await isSaved(tab);
    expect(await first(uploads, 1)).toMatchObject([
      { type: "image/webp", width: 640, height: 640 },
    ]);
    expect(uploads[0]?.bytes).toBeLessThan(AVATAR_BYTES_MAX);
    const { avatar } = await savedPage(tab, page_id);
    expect(avatar).toMatch(new RegExp(`^pictures/${page_id}/\\w+\\.webp$`));
    const src = await previewOf(tab).locator(".portrait img").getAttribute("src");
    expect(src).toBe(`/media/${avatar}`);
    await expectNoComplaints(owner);
  });

  test("more than 4,096 pixels a side, and very few, are accepted", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    const uploads = await openDialog(tab, page_id);
    await choosePhotograph(tab, 9_000, 400);
    await use(tab).click();
    await closed(tab);
    await tab.locator(".avatar-field button").click();
    await choosePhotograph(tab, 1, 30);
    await use(tab).click();
    await closed(tab);
    expect(await first(uploads, 2)).toMatchObject([
      { width: 400, height: 400 },
      { width: 1, height: 1 },
    ]);
    await expectNoComplaints(owner);
  });

  test("a picture stands upright, as its EXIF says, and is sent upright", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    const uploads = await openDialog(tab, page_id);
    // 40 × 24 in the file, with orientation 6: 24 wide and 40 high as shown.
    await choose(tab, "photo.jpg", sample("jpegPhoto"));
    await stage(tab).waitFor();
    await use(tab).click();
    await closed(tab);
    expect(await first(uploads, 1)).toMatchObject([{ width: 24, height: 24 }]);
  });

  test("every format that the service accepts is opened", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openDialog(tab, page_id);
    for (const name of ["jpeg", "progressive", "png", "webp", "transparent", "avif"] as const) {
      await choose(tab, name, sample(name));
      await stage(tab).waitFor();
      await expect
        .poll(() => tab.locator(".picture-dialog [role=alert]").count(), { message: name })
        .toBe(0);
      await tab.keyboard.press("Escape");
      await closed(tab);
      await tab.locator(".avatar-field button").click();
    }
    await expectNoComplaints(owner);
  });

  test("a picture reaches its card although the new link was saved, and got its id, during the upload", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { links: [] });
    await openEditor(tab, page_id);
    const save = Promise.withResolvers<void>();
    const upload = Promise.withResolvers<void>();
    await tab.route(`**/api/me/pages/${page_id}`, async (route) => {
      if (route.request().method() === "PUT") await save.promise;
      await route.continue();
    });
    await tab.route("**/pictures", async (route) => {
      await upload.promise;
      await route.continue();
    });
    await tab.locator("#add-links").fill("كتابي https://books.example.com/");
    await tab.keyboard.press("Enter");
    await tab.locator(".row-open").click();
    await tab.locator(".row-form").getByRole("button", { name: "بطاقة بصورة" }).click();
    await tab.getByRole("button", { name: "أضف صورة" }).click();
    await choosePhotograph(tab, 800, 450);
    await tab.locator('[data-saving="sending"]').waitFor({ state: "attached" });
    await use(tab).click();
    save.resolve();
    await expect.poll(async () => (await savedPage(tab, page_id)).links.length).toBe(1);
    await tab.locator('[data-saving="saved"]').waitFor({ state: "attached" });
    upload.resolve();
    await closed(tab);
    await tab.locator(".card-picture").waitFor();
    await isSaved(tab);
    await expect.poll(async () => (await savedPage(tab, page_id)).links[0]?.image).toMatch(/./);
  });

  test("what cannot be a picture is refused with what would do, and nothing is sent", async () => {
    const REFUSED = [
      ["heic", bytesOf([0, 0, 0, 24], "ftypheic", new Uint8Array(200)), /HEIC.*JPEG/],
      ["svg", bytesOf('<svg xmlns="http://www.w3.org/2000/svg"></svg>'), /SVG.*PNG/],
      ["svg 2", bytesOf('<?xml version="1.0"?><!-- by hand --><svg/>'), /SVG.*PNG/],
      ["gif", bytesOf("GIF89a", new Uint8Array(40)), /GIF.*PNG/],
      ["text", bytesOf("just some words"), /JPEG/],
      ["html", bytesOf("<!DOCTYPE html><title>a</title>"), /JPEG/],
      ["empty", bytesOf(), /JPEG/],
      ["broken", sample("jpeg").subarray(0, 150), null],
    ] as const;
    for (const lang of ["ar", "en"] as const) {
      await using owner = await creator(world);
      const { tab } = owner;
      const { page_id } = await ownPage(world);
      const uploads = await openDialog(tab, page_id, lang);
      const said = new Set<string>();
      for (const [name, bytes, words] of REFUSED) {
        await choose(tab, name, bytes);
        const alert = tab.locator(".picture-dialog [role=alert]");
        // The sentence before this one may still stand there.
        const text = await poll(
          async () => (await alert.textContent({ timeout: 1_000 }).catch(() => "")) ?? "",
          (text) =>
            words === null ? text !== "" && !/HEIC|SVG|GIF|AVIF/.test(text) : words.test(text),
        );
        expect(text, name).toMatch(words ?? /./);
        said.add(text);
      }
      expect(said.size).toBe(5);
      await expect.poll(() => stage(tab).count()).toBe(0);
      expect(uploads).toEqual([]);
      await expectNoComplaints(owner);
    }
  });

  test("the keyboard alone chooses the part, turns it, and sends it", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    const uploads = await openDialog(tab, page_id);
    await choosePhotograph(tab, 3_000, 1_000);
    // The focus is on the stage already. The middle of the picture is between the two colours.
    expect(isRed(await pixel(tab, 0.2, 0.03))).toBe(true);
    expect(isBlue(await pixel(tab, 0.8, 0.03))).toBe(true);
    for (let i = 0; i < 40; i += 1) await tab.keyboard.press("ArrowRight");
    expect(isRed(await pixel(tab, 0.8, 0.03))).toBe(true);
    for (let i = 0; i < 60; i += 1) await tab.keyboard.press("ArrowLeft");
    expect(isBlue(await pixel(tab, 0.2, 0.03))).toBe(true);
    for (let i = 0; i < 30; i += 1) await tab.keyboard.press("ArrowRight");
    for (let i = 0; i < 3; i += 1) await tab.keyboard.press("+");
    for (let i = 0; i < 3; i += 1) await tab.keyboard.press("-");
    await expect
      .poll(() => tab.locator(".crop [role=status]").first().textContent())
      .toMatch(/[%٪]/);
    await tab.keyboard.press("r");
    const focused = await tab.evaluate(() => document.activeElement?.className);
    expect(focused).toContain("crop-stage");
    // Past the three buttons.
    for (let i = 0; i < 4; i += 1) {
      const is_there = await use(tab).evaluate((button) => button === document.activeElement);
      if (!is_there) await tab.keyboard.press("Tab");
    }
    await tab.keyboard.press("Enter");
    await closed(tab);
    expect(await first(uploads, 1)).toMatchObject([{ width: 640, height: 640 }]);
  });

  test("a turn clockwise brings the left side to the top", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openDialog(tab, page_id);
    await choosePhotograph(tab, 1_000, 1_000);
    await tab.keyboard.press("r");
    expect(isRed(await pixel(tab, 0.505, 0.1))).toBe(true);
    expect(isBlue(await pixel(tab, 0.505, 0.9))).toBe(true);
  });

  test("dragging and the wheel move and enlarge", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openDialog(tab, page_id);
    await choosePhotograph(tab, 3_000, 1_000);
    const box = await stage(tab).boundingBox();
    if (box === null) throw new Error("no stage");
    await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await tab.mouse.down();
    await tab.mouse.move(box.x + box.width, box.y + box.height / 2, { steps: 4 });
    await tab.mouse.up();
    expect(isRed(await pixel(tab, 0.8, 0.03))).toBe(true);
    const zoom_out = tab.locator(".crop-tools button").first();
    await expect.poll(() => zoom_out.isDisabled()).toBe(true);
    await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await tab.mouse.wheel(0, -400);
    await poll(
      () => zoom_out.isDisabled(),
      (is_disabled) => !is_disabled,
    );
    await expect.poll(() => zoom_out.isDisabled()).toBe(false);
  });

  test("two fingers enlarge what is between them", async () => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openDialog(tab, page_id);
    await choosePhotograph(tab, 3_000, 1_000);
    const box = await stage(tab).boundingBox();
    if (box === null) throw new Error("no stage");
    const y = box.y + box.height / 2;
    // Both on the left half, which is red in the middle of the picture.
    const at = (share: number) => ({ x: box.x + share * box.width, y });
    const hand = await owner.context.newCDPSession(tab);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", shares: number[]) =>
      hand.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: shares.map((share, id) => ({ ...at(share), id })),
      });
    expect(isBlue(await pixel(tab, 0.6, 0.03))).toBe(true);
    await touch("touchStart", [0.2, 0.3]);
    for (const spread of [0.05, 0.1, 0.15]) await touch("touchMove", [0.2 - spread, 0.3 + spread]);
    await touch("touchEnd", []);
    await expect.poll(() => tab.locator(".crop-tools button").first().isDisabled()).toBe(false);
    expect(isRed(await pixel(tab, 0.6, 0.03))).toBe(true);
  });

  test("a picture is pasted, and a text that is pasted is refused with words", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openDialog(tab, page_id);
    const paste = (bytes: number[] | null) =>
      tab.evaluate((bytes) => {
        const clipboardData = new DataTransfer();
        if (bytes === null) clipboardData.setData("text/plain", "hello");
        else clipboardData.items.add(new File([new Uint8Array(bytes)], "a.png"));
        document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
      }, bytes);
    await paste(null);
    await tab.locator(".picture-dialog [role=alert]").waitFor();
    await paste([...sample("png")]);
    await stage(tab).waitFor();
    await expect.poll(() => tab.locator(".picture-dialog [role=alert]").count()).toBe(0);
  });

  test("a picture is dropped", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openDialog(tab, page_id);
    await tab.evaluate(
      (bytes) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(bytes)], "a.png"));
        const room = document.querySelector(".picture-drop");
        for (const type of ["dragover", "drop"]) {
          room?.dispatchEvent(
            new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
          );
        }
      },
      [...sample("png")],
    );
    await stage(tab).waitFor();
  });

  test("a lost connection is said, and the picture is sent by itself when there is one again", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    const uploads = await openDialog(tab, page_id);
    await choosePhotograph(tab, 800, 800);
    await owner.context.setOffline(true);
    await use(tab).click();
    await tab.locator(".picture-dialog [role=alert]").waitFor();
    await expect.poll(() => use(tab).textContent()).toBe("أعد المحاولة");
    await expect.poll(() => stage(tab).count()).toBe(1);
    await owner.context.setOffline(false);
    await closed(tab);
    expect(await first(uploads, 1)).toHaveLength(1);
  });

  test("an upload is cancelled: the crop stays, and nothing is changed", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openDialog(tab, page_id);
    await tab.route("**/pictures", () => {
      // Never answered.
    });
    await choosePhotograph(tab, 800, 800);
    const asked = tab.waitForRequest("**/pictures");
    await use(tab).click();
    await tab.locator(".picture-progress").waitFor();
    await asked;
    const stopped = tab.waitForEvent("requestfailed", {
      predicate: (request) => request.url().endsWith("/pictures"),
      // Long before a request that nobody cancels is given up.
      timeout: 20_000,
    });
    await tab.getByRole("button", { name: "ألغِ", exact: true }).click();
    await stopped;
    await use(tab).waitFor();
    await expect.poll(() => stage(tab).count()).toBe(1);
    expect((await savedPage(tab, page_id)).avatar).toBeNull();
  });

  test("a session that ended is said with the way to sign in, and the crop stays", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openDialog(tab, page_id);
    await choosePhotograph(tab, 800, 800);
    await owner.context.clearCookies();
    await use(tab).click();
    const way = tab.locator('.picture-dialog [role=alert] a[target="_blank"]');
    await way.waitFor();
    await expect.poll(() => way.getAttribute("href")).toMatch(/^\/api\/auth\/login\?return_to=/);
    await expect.poll(() => stage(tab).count()).toBe(1);
  });

  test("removing the picture is undone from the notice", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const avatar = "avatars/demo-3d60ad76.webp";
    const { page_id } = await ownPage(world, { avatar });
    await openDialog(tab, page_id);
    await tab.getByRole("button", { name: "احذف الصورة" }).click();
    await closed(tab);
    await previewOf(tab).locator(".portrait .initials").waitFor();
    await tab.locator(".notice-action").click();
    await previewOf(tab).locator(".portrait img").waitFor();
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).avatar).toBe(avatar);
  });

  test("axe finds nothing in the dialog, before and after a picture is chosen", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await using owner = await creator(world, { ...DESKTOP, bypassCSP: true, colorScheme });
      const { tab } = owner;
      const { page_id } = await ownPage(world);
      await openDialog(tab, page_id);
      await choose(tab, "a.txt", bytesOf("words"));
      await tab.locator(".picture-dialog [role=alert]").waitFor();
      expect(await breaches(tab)).toEqual([]);
      await choosePhotograph(tab, 800, 800);
      expect(await breaches(tab)).toEqual([]);
    }
  });
});
