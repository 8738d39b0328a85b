/**
 * The workshop: a second Worker for what is rare and heavy, so that the first, which counts, starts without it. It
 * is called by RPC and has no bindings, secrets or address. Its results follow from the arguments, and of `readPage`
 * from what the Internet answers; it changes nothing, so a lost call can be repeated.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { Outside } from "../authoring/transfer/fetch-page.ts";
import type { ImportType } from "../authoring/transfer/import-query.ts";
import {
  type OutsidePicture,
  type ReadOutside,
  readOutside,
  readOutsidePicture,
} from "../authoring/transfer/read-outside.ts";
import { type ReadUpload, readUpload } from "../authoring/transfer/read-upload.ts";
import type { QrDrawing } from "../dashboard/qr-code.tsx";
import type { ShareFont } from "../pages/cards/share-fonts.ts";
import type { Shared } from "../pages/cards/share-picture.ts";
import { type Drawing, drawPage, type SentFrame } from "./draw-page.tsx";
import { drawSharePicture } from "./draw-share-picture.ts";
import { qrCode } from "./encode-qr.ts";

type Limits = Pick<Outside, "own_hosts" | "allows_loopback">;

function outside(limits: Limits, time_ms: number): Outside {
  const signal = AbortSignal.timeout(time_ms);
  return { ...limits, signal, fetch: (url, init) => fetch(url, init) };
}

export default class Workshop extends WorkerEntrypoint {
  /** Fonts come with the call: they are files of the first Worker. */
  drawSharePicture(
    shared: Shared,
    fonts: readonly ShareFont[],
    avatar: Uint8Array<ArrayBuffer> | null,
    format?: "png" | "raw",
  ): Promise<Uint8Array<ArrayBuffer>> {
    return drawSharePicture(shared, fonts, avatar, format);
  }

  qrCode(address: string): QrDrawing {
    return qrCode(address);
  }

  /** A stranger's file is read here, where there is nothing to take. */
  readUpload(type: ImportType, file: Uint8Array<ArrayBuffer>, now_s: number): Promise<ReadUpload> {
    return readUpload(type, file, now_s);
  }

  /** What a stranger's server answers is read here too. Ends within `time_ms`. */
  readPage(address: string, limits: Limits, time_ms: number): Promise<ReadOutside> {
    return readOutside(address, outside(limits, time_ms));
  }

  readPagePicture(
    address: string,
    limits: Limits,
    time_ms: number,
  ): Promise<OutsidePicture | null> {
    return readOutsidePicture(address, outside(limits, time_ms));
  }

  drawPage(build: string, frame: SentFrame, drawing: Drawing): string {
    return drawPage(build, frame, drawing);
  }
}
