/** The file of the English demo page: three seconds of invented curlews above the sea, as WAV. Pure. */
import { generator } from "../random.ts";

const SAMPLES_PER_S = 16_000;
const SECONDS = 3;
const BYTES_PER_SAMPLE = 2;
const HEADER_BYTES = 44;
/** The format "PCM" of a WAV file. */
const PCM = 1;
const LOUDEST = 32_767;

/** Calls of a bird: a tone that rises and falls. Seconds and hertz. */
const CALLS = [
  { at: 0.25, length: 0.38, from: 1_250, to: 2_100, volume: 0.32 },
  { at: 0.68, length: 0.3, from: 1_400, to: 2_350, volume: 0.26 },
  { at: 1.55, length: 0.4, from: 1_150, to: 1_950, volume: 0.14 },
  { at: 2.1, length: 0.34, from: 1_350, to: 2_250, volume: 0.1 },
] as const;

/** Waves of noise: share of the new sample in each, which makes it dull as the sea is. */
const DULLNESS = 0.06;
const SEA_VOLUME = 0.35;

export function tapeLoop(): Uint8Array {
  const samples = SAMPLES_PER_S * SECONDS;
  const bytes = new DataView(new ArrayBuffer(HEADER_BYTES + samples * BYTES_PER_SAMPLE));
  writeHeader(bytes, samples * BYTES_PER_SAMPLE);
  const random = generator(1);
  let noise = 0;
  for (let i = 0; i < samples; i += 1) {
    const t = i / SAMPLES_PER_S;
    noise += DULLNESS * (2 * random() - 1 - noise);
    // One wave in the whole loop, silent where its end meets its beginning.
    const wave = Math.sin((Math.PI * t) / SECONDS) ** 2;
    const sample = noise * wave * SEA_VOLUME + CALLS.reduce((sum, call) => sum + sing(call, t), 0);
    bytes.setInt16(HEADER_BYTES + i * BYTES_PER_SAMPLE, Math.round(sample * LOUDEST), true);
  }
  return new Uint8Array(bytes.buffer);
}

function sing({ at, length, from, to, volume }: (typeof CALLS)[number], t: number): number {
  const share = (t - at) / length;
  if (share < 0 || share > 1) return 0;
  // The integral of a frequency that grows evenly.
  const turns = length * share * (from + ((to - from) * share) / 2);
  return volume * Math.sin(Math.PI * share) * Math.sin(2 * Math.PI * turns);
}

/** RIFF's header of one channel of PCM. */
function writeHeader(bytes: DataView, content_bytes: number): void {
  const write = (at: number, text: string) =>
    [...text].forEach((letter, i) => {
      bytes.setUint8(at + i, letter.charCodeAt(0));
    });
  write(0, "RIFF");
  bytes.setUint32(4, HEADER_BYTES - 8 + content_bytes, true);
  write(8, "WAVEfmt ");
  bytes.setUint32(16, 16, true);
  bytes.setUint16(20, PCM, true);
  bytes.setUint16(22, 1, true);
  bytes.setUint32(24, SAMPLES_PER_S, true);
  bytes.setUint32(28, SAMPLES_PER_S * BYTES_PER_SAMPLE, true);
  bytes.setUint16(32, BYTES_PER_SAMPLE, true);
  bytes.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  write(36, "data");
  bytes.setUint32(40, content_bytes, true);
}
