import { ImportRefused, REASONS } from "./import-reasons.ts";

/** Decodes UTF-8, or UTF-16 by its mark, as spreadsheets save it; else throws `ImportRefused`. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const is_little = first === 0xff && second === 0xfe;
  const is_big = first === 0xfe && second === 0xff;
  const encoding = is_little ? "utf-16le" : is_big ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new ImportRefused(REASONS.not_text);
  }
}

/** Yields lines one by one: a list would take many times the text's memory. */
export function* linesOf(text: string): Generator<string> {
  const end = /\r\n|\n|\r/g;
  let at = 0;
  for (let found = end.exec(text); found !== null; found = end.exec(text)) {
    yield text.slice(at, found.index);
    at = end.lastIndex;
  }
  yield text.slice(at);
}

/** Lines of a UTF-8 text in pieces. Throws `ImportRefused` for other bytes and too long lines. */
export async function* linesIn(
  pieces: AsyncIterable<Uint8Array>,
  max_chars: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let rest = "";
  for await (const piece of pieces) {
    const text = rest + decoded(decoder, piece);
    let at = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", at)) {
      yield text.slice(at, end);
      at = end + 1;
    }
    rest = text.slice(at);
    if (rest.length > max_chars) throw new ImportRefused(REASONS.long_line);
  }
  rest += decoded(decoder, null);
  if (rest !== "") yield rest;
}

/** @param piece null at the end, for what is left of the last character */
function decoded(decoder: TextDecoder, piece: Uint8Array | null): string {
  try {
    return piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    throw new ImportRefused(REASONS.not_text);
  }
}
