/** A run of bits, highest bit of a byte first; `at` is the next bit to write or read. */
export type Bits = { bytes: Uint8Array; view: DataView; at: number }

export function bitsIn(bytes: Uint8Array): Bits {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 }
}

/** Spare bytes that `bits` needs after its end, because it is read in whole words. */
export const spareBytes = 5

/** Writes the lowest `count` bits of a word, at most 32, into bytes that are still zero. */
export function writeBits(bits: Bits, word: number, count: number): void {
  for (let remaining = count; remaining > 0;) {
    const room = 8 - (bits.at & 7)
    const takenBits = Math.min(room, remaining)
    remaining -= takenBits
    const byte = bits.at >>> 3
    const piece = ((word >>> remaining) & ((1 << takenBits) - 1)) << (room - takenBits)
    bits.bytes[byte] = (bits.bytes[byte] ?? 0) | piece
    bits.at += takenBits
  }
}

/** The 32 bits from a position on, as a signed word. */
function wordAt({ bytes, view }: Bits, at: number): number {
  const byte = at >>> 3
  const shift = at & 7
  return (view.getInt32(byte) << shift) | ((bytes[byte + 4] ?? 0) >>> (8 - shift))
}

/** Reads `count` bits, at most 32. */
export function readBits(bits: Bits, count: number): number {
  if (count === 0) return 0
  const word = wordAt(bits, bits.at)
  bits.at = (bits.at + count) | 0 // kept as an integer, which makes all reads twice as fast
  return word >>> (32 - count)
}

/** Writes an integer in [0, 2^54) as its bit length and its bits. */
export function writeNumber(bits: Bits, number: number): void {
  const size = sizeOf(number)
  writeBits(bits, size, 6)
  if (size > 32) writeBits(bits, Math.floor(number / 2 ** 32), size - 32)
  writeBits(bits, number % 2 ** 32, Math.min(size, 32))
}

export function readNumber(bits: Bits): number {
  const size = readBits(bits, 6)
  const high = size > 32 ? readBits(bits, size - 32) : 0
  return high * 2 ** 32 + readBits(bits, Math.min(size, 32))
}

/** Bit length of an integer in [0, 2^54). */
export function sizeOf(number: number): number {
  return number < 2 ** 32 ? 32 - Math.clz32(number) : 64 - Math.clz32(number / 2 ** 32)
}
