/**
 * The workshop: a second Worker for what is rare and heavy, so that the first, which counts, starts without it. It
 * is called by RPC and has no bindings, secrets or address. Its results follow from the arguments, so a lost call
 * can be repeated.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { ImportType } from "../authoring/transfer/import-query.ts";
import { type ReadUpload, readUpload } from "../authoring/transfer/read-upload.ts";
import type { QrDrawing } from "../dashboard/qr-code.tsx";
import type { ShareFont } from "../pages/cards/share-fonts.ts";
import type { Shared } from "../pages/cards/share-picture.ts";
import { type Drawing, drawPage, type SentFrame } from "./draw-page.tsx";
import { drawSharePicture } from "./draw-share-picture.ts";
import { qrCode } from "./encode-qr.ts";

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

  drawPage(build: string, frame: SentFrame, drawing: Drawing): string {
    return drawPage(build, frame, drawing);
  }
}
