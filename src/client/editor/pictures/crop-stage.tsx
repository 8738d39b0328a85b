import { useLayoutEffect, useRef, useState } from "hono/jsx/dom";
import { IconButton, isTouch } from "../ui.tsx";
import {
  type Aspect,
  type Crop,
  moved,
  OUTPUT_MAX,
  type Point,
  rectOf,
  turned,
  zoomed,
  zoomMax,
} from "./crop.ts";
import { draw } from "./picture-file.ts";
import { PICTURE_TEXTS } from "./picture-texts.ts";

const ZOOM_STEP = 1.2;
const MOVE_STEP = 0.05;
/** Each pixel that a wheel turns zooms by it. */
const WHEEL_RATE = 0.002;
/** A picture with a smaller share of the shown pixels looks blurred. */
const SHARP_SHARE = 0.4;

/** Arrows move the picture, as dragging does. */
const KEYS: Readonly<Record<string, (crop: Crop) => Crop>> = {
  ArrowLeft: (crop) => moved(crop, { x: MOVE_STEP, y: 0 }),
  ArrowRight: (crop) => moved(crop, { x: -MOVE_STEP, y: 0 }),
  ArrowUp: (crop) => moved(crop, { x: 0, y: MOVE_STEP }),
  ArrowDown: (crop) => moved(crop, { x: 0, y: -MOVE_STEP }),
  "+": (crop) => zoomed(crop, ZOOM_STEP),
  "=": (crop) => zoomed(crop, ZOOM_STEP),
  "-": (crop) => zoomed(crop, 1 / ZOOM_STEP),
  r: turned,
};

export function CropStage(props: {
  bitmap: ImageBitmap;
  crop: Crop;
  aspect: Aspect;
  onCrop: (change: (crop: Crop) => Crop) => void;
}) {
  const { bitmap, crop, aspect, onCrop } = props;
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const fingers = useRef(new Map<number, Point>());
  useLayoutEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    const width = Math.max(1, Math.round(current.clientWidth * devicePixelRatio));
    draw(current, bitmap, crop, { width, height: Math.round(width / crop.aspect) });
  }, [bitmap, crop]);
  // Its keys work at once, and screen readers say what they are.
  useLayoutEffect(() => stage.current?.focus(), [bitmap]);

  // Not by `announce`: what lies behind a modal dialog is hidden from screen readers.
  const [place, setPlace] = useState("");
  const change = (next: (crop: Crop) => Crop) => {
    onCrop(next);
    setPlace(placeText(next(crop)));
  };
  const onKey = (event: KeyboardEvent) => {
    const key = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (key === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    change(key);
  };
  const onMove = (event: PointerEvent) => {
    const before = fingers.current.get(event.pointerId);
    const { current } = stage;
    if (before === undefined || current === null) return;
    const others = [...fingers.current].filter(([id]) => id !== event.pointerId);
    const [, other] = others[0] ?? [];
    const after = { x: event.clientX, y: event.clientY };
    fingers.current.set(event.pointerId, after);
    onCrop(gesture(current.getBoundingClientRect(), before, after, other ?? null));
  };
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const at = pointIn(box, { x: event.clientX, y: event.clientY });
    onCrop((now) => zoomed(now, Math.exp(-event.deltaY * WHEEL_RATE), at));
  };
  const lift = (event: PointerEvent) => fingers.current.delete(event.pointerId);
  return (
    <div class="crop">
      <div
        ref={stage}
        class={`crop-stage ${aspect}`}
        tabindex={0}
        role="application"
        aria-label={PICTURE_TEXTS.crop}
        aria-describedby="crop-keys"
        onKeyDown={onKey}
        onWheel={onWheel}
        onPointerDown={(event: PointerEvent) => {
          fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
          stage.current?.setPointerCapture(event.pointerId);
        }}
        onPointerMove={onMove}
        onPointerUp={lift}
        onPointerCancel={lift}
      >
        <canvas ref={canvas} />
      </div>
      <div class="crop-tools">
        <IconButton
          icon="minus"
          label={PICTURE_TEXTS.zoom_out}
          is_disabled={crop.zoom <= 1}
          onClick={() => change((now) => zoomed(now, 1 / ZOOM_STEP))}
        />
        <IconButton
          icon="plus"
          label={PICTURE_TEXTS.zoom_in}
          is_disabled={crop.zoom >= zoomMax(crop)}
          onClick={() => change((now) => zoomed(now, ZOOM_STEP))}
        />
        <IconButton icon="turn" label={PICTURE_TEXTS.turn} onClick={() => change(turned)} />
      </div>
      <p class="sr" role="status">
        {place}
      </p>
      <p class="hint" id="crop-keys">
        {isTouch() ? PICTURE_TEXTS.crop_fingers : PICTURE_TEXTS.crop_keys}
      </p>
      {rectOf(crop).width < OUTPUT_MAX[aspect].width * SHARP_SHARE && (
        <p class="hint" role="status">
          {PICTURE_TEXTS.small}
        </p>
      )}
    </div>
  );
}

function gesture(
  box: DOMRect,
  before: Point,
  after: Point,
  other: Point | null,
): (crop: Crop) => Crop {
  const by = { x: (before.x - after.x) / box.width, y: (before.y - after.y) / box.height };
  if (other === null) return (crop) => moved(crop, by);
  const distance = (from: Point) => Math.hypot(from.x - other.x, from.y - other.y) || 1;
  const middle = pointIn(box, { x: (after.x + other.x) / 2, y: (after.y + other.y) / 2 });
  const factor = distance(after) / distance(before);
  return (crop) => zoomed(moved(crop, { x: by.x / 2, y: by.y / 2 }), factor, middle);
}

function pointIn(box: DOMRect, { x, y }: Point): Point {
  return { x: (x - box.left) / box.width, y: (y - box.top) / box.height };
}

function placeText({ zoom, centre }: Crop): string {
  return PICTURE_TEXTS.at(zoom, centre.x, centre.y);
}
