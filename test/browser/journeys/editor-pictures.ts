/** The editor's picture dialog: what it makes of files, and what it says of others. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { bytesOf, sample } from "../../workers/authoring/pictures/picture-samples.ts";
import { badNetwork } from "../bad-network.ts";
import { PHONE, type World } from "../browser-kit.ts";
import { editing, expectNoComplaints, previewOf, savedPage } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { eventually } from "./eventually.ts";

const { PICTURE_TEXTS } = EDITOR.ar;

interface Upload {
  key: string;
  type: string;
  width: number;
  height: number;
  bytes: number;
}

/** Largest picture in bytes that is sent for an avatar. */
const AVATAR_BYTES_MAX = 200_000;

/** What is known by its first bytes (`test/workers/client/own-accent.test.ts` has all), and what cannot be decoded. */
const REFUSED = [
  ["heic", bytesOf([0, 0, 0, 24], "ftypheic", new Uint8Array(200))],
  ["broken", sample("jpeg").subarray(0, 150)],
] as const;

export const stage = (tab: Tab) => tab.locator(".crop-stage");
export const use = (tab: Tab) => tab.locator(".picture-actions .primary");
const dialog = (tab: Tab) => tab.locator(".picture-dialog");
const alert = (tab: Tab) => tab.locator(".picture-dialog [role=alert]");
const closed = (tab: Tab) => dialog(tab).waitFor({ state: "detached" });
const warnings = async (tab: Tab) =>
  (await alert(tab).allTextContents()).map((words) => words.trim());
const avatarOf = async (tab: Tab, page_id: string) => (await savedPage(tab, page_id)).avatar;
const isDisabled = (tab: Tab, name: string) =>
  dialog(tab).getByRole("button", { name, exact: true }).isDisabled();

async function openDialog(tab: Tab): Promise<void> {
  await tab.locator(".avatar-field button").click();
  await dialog(tab).waitFor();
  // It listens for what is pasted from its second frame on.
  await tab.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

function uploadsOf(tab: Tab): Upload[] {
  const uploads: Upload[] = [];
  tab.on("response", async (response) => {
    if (!response.url().endsWith("/pictures")) return;
    // An answer whose tab closes while it is read is nobody's.
    const answer: { picture?: Upload } = await response.json().catch(() => ({}));
    const { picture } = answer;
    if (picture !== undefined) uploads.push(picture);
  });
  return uploads;
}

export async function choose(tab: Tab, name: string, bytes: Uint8Array): Promise<void> {
  const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) };
  await tab.locator('.picture-dialog input[type="file"]').setInputFiles(file);
}

async function choosePhotograph(tab: Tab, width: number, height: number): Promise<void> {
  const input = tab.locator('.picture-dialog input[type="file"]');
  await input.evaluate(
    async (input: HTMLInputElement, { width, height }) => {
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
      input.files = files.files;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    },
    { width, height },
  );
  await stage(tab).waitFor();
}

/** Uses what the stage shows, and waits for the upload's answer, which may be read after the dialog is closed. */
async function send(tab: Tab, uploads: Upload[]): Promise<Upload | undefined> {
  const before = uploads.length;
  await use(tab).click();
  await closed(tab);
  await eventually(() => uploads.length, before + 1);
  return uploads.at(-1);
}

async function paste(tab: Tab, bytes: Uint8Array | null): Promise<void> {
  await tab.evaluate(
    (bytes) => {
      const clipboardData = new DataTransfer();
      if (bytes === null) clipboardData.setData("text/plain", "hello");
      else clipboardData.items.add(new File([new Uint8Array(bytes)], "a.png"));
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    },
    bytes && [...bytes],
  );
}

async function drop(tab: Tab, bytes: Uint8Array): Promise<void> {
  await tab.locator(".picture-drop").evaluate(
    (room, bytes) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(bytes)], "a.png"));
      for (const type of ["dragover", "drop"]) {
        room.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    [...bytes],
  );
}

function colourAt(tab: Tab, x: number, y: number): Promise<string> {
  return stage(tab)
    .locator("canvas")
    .evaluate(
      (canvas: HTMLCanvasElement, [x, y]) => {
        const at = [Math.floor(x * canvas.width), Math.floor(y * canvas.height)] as const;
        const [red = 0, , blue = 0] = canvas.getContext("2d")?.getImageData(...at, 1, 1).data ?? [];
        if (red > 140 && blue < 90) return "red";
        return blue > 140 && red < 90 ? "blue" : `${red} ${blue}`;
      },
      [x, y] as const,
    );
}

async function stageBox(tab: Tab) {
  const box = await stage(tab).boundingBox();
  if (box === null) throw new Error("no stage");
  return box;
}

async function press(tab: Tab, key: string, times = 1): Promise<void> {
  for (let i = 0; i < times; i += 1) await tab.keyboard.press(key);
}

async function inProfile(world: World, start: Parameters<typeof editing>[1] = {}) {
  const owner = await editing(world, { panel: "profile", ...start });
  return { owner, tab: owner.tab, page_id: owner.page_id, uploads: uploadsOf(owner.tab) };
}

export function pictureJourneys(world: World): void {
  test("S26: a picture of any size becomes a small, upright WebP in the browser, and is removed and put back", async () => {
    const { owner, tab, page_id, uploads } = await inProfile(world);
    await using _ = owner;
    // More than 4,096 pixels a side, and very few, are accepted.
    for (const [width, height, side] of [
      [1, 30, 1],
      [9_000, 400, 400],
      [2_000, 1_200, 640],
    ] as const) {
      await openDialog(tab);
      await choosePhotograph(tab, width, height);
      const sent = await send(tab, uploads);
      expect(sent).toMatchObject({ type: "image/webp", width: side, height: side });
      expect(sent?.bytes).toBeLessThan(AVATAR_BYTES_MAX);
    }
    const isPicture = expect.stringMatching(new RegExp(`^pictures/${page_id}/\\w+\\.webp$`));
    await eventually(() => avatarOf(tab, page_id), isPicture);
    // 40 × 24 in the file, and by its EXIF 24 wide and 40 high.
    await openDialog(tab);
    await choose(tab, "photo.jpg", sample("jpegPhoto"));
    await stage(tab).waitFor();
    const sent = await send(tab, uploads);
    expect(sent).toMatchObject({ width: 24, height: 24 });
    const avatar = sent?.key;
    await eventually(() => avatarOf(tab, page_id), avatar);
    const portrait = previewOf(tab).locator(`.portrait img[src="/media/${avatar}"]`);
    await portrait.waitFor();

    await openDialog(tab);
    await tab.getByRole("button", { name: PICTURE_TEXTS.remove }).click();
    await closed(tab);
    const undo = tab.locator(".notice-action");
    // It stays while it has the focus, however late the save is.
    await undo.focus();
    await previewOf(tab).locator(".portrait .initials").waitFor();
    await eventually(() => avatarOf(tab, page_id), null);
    await undo.click();
    await portrait.waitFor();
    await eventually(() => avatarOf(tab, page_id), avatar);
    await expectNoComplaints(owner);
  });
}

export function deepPictureJourneys(world: World): void {
  test("a picture is chosen, pasted or dropped, and what cannot be one is refused with what would do, and not sent", async () => {
    const { owner, tab, uploads } = await inProfile(world);
    await using _ = owner;
    await openDialog(tab);
    for (const [problem, bytes] of REFUSED) {
      await choose(tab, problem, bytes);
      await eventually(() => warnings(tab), [PICTURE_TEXTS.problems[problem]]);
    }
    await paste(tab, null);
    await eventually(() => warnings(tab), [PICTURE_TEXTS.no_paste]);
    expect(await stage(tab).count()).toBe(0);
    await paste(tab, sample("png"));
    await stage(tab).waitFor();
    expect(await warnings(tab)).toEqual([]);
    await tab.keyboard.press("Escape");
    await closed(tab);
    await openDialog(tab);
    await drop(tab, sample("png"));
    await stage(tab).waitFor();
    expect(uploads).toEqual([]);
    await expectNoComplaints(owner);
  });

  const cropByKeyboard = async () => {
    const { owner, tab, uploads } = await inProfile(world);
    await using _ = owner;
    await openDialog(tab);
    // A turn clockwise brings the left side to the top.
    await choosePhotograph(tab, 1_000, 1_000);
    await press(tab, "r");
    await eventually(() => colourAt(tab, 0.505, 0.1), "red");
    await eventually(() => colourAt(tab, 0.505, 0.9), "blue");
    await press(tab, "Escape");
    await closed(tab);
    await openDialog(tab);
    await choosePhotograph(tab, 3_000, 1_000);
    // The focus is on the stage already. The middle of the picture is between the two colours.
    await eventually(() => colourAt(tab, 0.2, 0.03), "red");
    await eventually(() => colourAt(tab, 0.8, 0.03), "blue");
    await press(tab, "ArrowRight", 40);
    await eventually(() => colourAt(tab, 0.8, 0.03), "red");
    await press(tab, "ArrowLeft", 60);
    await eventually(() => colourAt(tab, 0.2, 0.03), "blue");
    await press(tab, "+", 3);
    await eventually(() => isDisabled(tab, PICTURE_TEXTS.zoom_out), false);
    await press(tab, "-", 3);
    await eventually(() => isDisabled(tab, PICTURE_TEXTS.zoom_out), true);
    await tab.locator(".crop [role=status]").filter({ hasText: /[%٪]/ }).first().waitFor();
    await press(tab, "r");
    const focused = () => tab.evaluate(() => document.activeElement?.className);
    expect(await focused()).toContain("crop-stage");
    const isThere = () => use(tab).evaluate((button) => button === document.activeElement);
    for (let i = 0; i < 4 && !(await isThere()); i += 1) await press(tab, "Tab");
    await press(tab, "Enter");
    await closed(tab);
    await eventually(() => uploads, [expect.objectContaining({ width: 640, height: 640 })]);
  };

  const cropByMouse = async () => {
    const { owner, tab } = await inProfile(world);
    await using _ = owner;
    await openDialog(tab);
    await choosePhotograph(tab, 3_000, 1_000);
    const { x, y, width, height } = await stageBox(tab);
    await tab.mouse.move(x + width / 2, y + height / 2);
    await tab.mouse.down();
    await tab.mouse.move(x + width, y + height / 2, { steps: 4 });
    await tab.mouse.up();
    await eventually(() => colourAt(tab, 0.8, 0.03), "red");
    await eventually(() => isDisabled(tab, PICTURE_TEXTS.zoom_out), true);
    await tab.mouse.move(x + width / 2, y + height / 2);
    await tab.mouse.wheel(0, -400);
    await eventually(() => isDisabled(tab, PICTURE_TEXTS.zoom_out), false);
  };

  const cropByFingers = async () => {
    const { owner, tab } = await inProfile(world, { device: PHONE });
    await using _ = owner;
    await openDialog(tab);
    await choosePhotograph(tab, 3_000, 1_000);
    const box = await stageBox(tab);
    const at = (share: number) => ({ x: box.x + share * box.width, y: box.y + box.height / 2 });
    const hand = await owner.context.newCDPSession(tab);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", shares: number[]) =>
      hand.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: shares.map((share, id) => ({ ...at(share), id })),
      });
    await eventually(() => colourAt(tab, 0.6, 0.03), "blue");
    // Both on the left half, which is red: it is between them that the picture grows.
    await touch("touchStart", [0.2, 0.3]);
    for (const spread of [0.05, 0.1, 0.15]) await touch("touchMove", [0.2 - spread, 0.3 + spread]);
    await touch("touchEnd", []);
    await eventually(() => isDisabled(tab, PICTURE_TEXTS.zoom_out), false);
    await eventually(() => colourAt(tab, 0.6, 0.03), "red");
  };

  test("the part of a picture is chosen and turned by keyboard alone, by mouse and wheel, or by two fingers", async () => {
    await Promise.all([cropByKeyboard(), cropByMouse(), cropByFingers()]);
  });

  test("a crop outlives a cancelled upload, a lost connection and an ended session", async () => {
    using network = await badNetwork(world);
    const { owner, tab, page_id, uploads } = await inProfile(network.world);
    await using _ = owner;
    await openDialog(tab);
    await choosePhotograph(tab, 800, 800);
    network.break(({ path }) => path.endsWith("/pictures"), { end: "stall" });
    const asked = tab.waitForRequest("**/pictures");
    const stopped = tab.waitForEvent("requestfailed", (request) =>
      request.url().endsWith("/pictures"),
    );
    await use(tab).click();
    await tab.locator(".picture-progress").waitFor();
    await asked;
    await dialog(tab).getByRole("button", { name: PICTURE_TEXTS.cancel, exact: true }).click();
    await stopped;
    network.mend();
    await use(tab).waitFor();
    expect(await stage(tab).count()).toBe(1);
    expect(await avatarOf(tab, page_id)).toBeNull();

    await owner.context.setOffline(true);
    await use(tab).click();
    await eventually(() => warnings(tab), [PICTURE_TEXTS.lost]);
    await eventually(() => use(tab).textContent(), PICTURE_TEXTS.retry);
    expect(await stage(tab).count()).toBe(1);
    // It is sent by itself when there is a connection again.
    await owner.context.setOffline(false);
    await closed(tab);
    await eventually(() => uploads.length, 1);
    await eventually(() => avatarOf(tab, page_id), expect.stringContaining(page_id));

    await openDialog(tab);
    await choosePhotograph(tab, 800, 800);
    await owner.context.clearCookies();
    await use(tab).click();
    const way = alert(tab).getByRole("link", { name: PICTURE_TEXTS.sign_in });
    await way.waitFor();
    await eventually(() => way.getAttribute("target"), "_blank");
    await eventually(
      () => way.getAttribute("href"),
      expect.stringMatching(/^\/api\/auth\/login\?return_to=/),
    );
    expect(await stage(tab).count()).toBe(1);
  });
}
