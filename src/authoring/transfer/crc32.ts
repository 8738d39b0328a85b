/** The checksum of zip files (ISO 3309, CRC-32). */

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** The checksum of what came before, followed by these bytes; 0 is that of nothing. */
export function crc32(before: number, bytes: Uint8Array): number {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i += 1) {
    crc = (TABLE[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
