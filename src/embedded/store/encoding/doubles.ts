import { type Bits, readBits, writeBits } from './bits.ts'

const leadingBits = 5
const widthBits = 6

/**
 * Writes doubles, each as the bits that differ from the one before (Gorilla, VLDB 2015, section 4.1.2): one bit for the same value,
 * otherwise the bits of a window that contains all differing bits: that of the double before, or a new one. `words`: two per
 * double, the lower 32 bits first. `maxBit`: bit position beyond which writing stops, with the rest unwritten.
 */
export function writeDoubles(bits: Bits, words: Uint32Array, maxBit = Infinity): void {
  writeBits(bits, words[1] ?? 0, 32)
  writeBits(bits, words[0] ?? 0, 32)
  let leading = 32 // no window yet
  let trailing = 0
  for (let at = 2; at < words.length && bits.at <= maxBit; at += 2) {
    const low = ((words[at] ?? 0) ^ (words[at - 2] ?? 0)) >>> 0
    const high = ((words[at + 1] ?? 0) ^ (words[at - 1] ?? 0)) >>> 0
    if (low === 0 && high === 0) {
      writeBits(bits, 0, 1)
      continue
    }
    const leadingZeros = Math.min(31, high === 0 ? 32 + Math.clz32(low) : Math.clz32(high))
    const trailingZeros = low === 0 ? 32 + trailingZerosOf(high) : trailingZerosOf(low)
    // a new window must save more bits than describe it
    const fits = leadingZeros >= leading && trailingZeros >= trailing
    if (fits && leadingZeros + trailingZeros - leading - trailing <= leadingBits + widthBits) {
      writeBits(bits, 0b10, 2)
    } else {
      leading = leadingZeros
      trailing = trailingZeros
      writeBits(bits, 0b11, 2)
      writeBits(bits, leading, leadingBits)
      writeBits(bits, 63 - leading - trailing, widthBits)
    }
    const width = 64 - leading - trailing
    if (width > 32) writeBits(bits, high >>> trailing, width - 32)
    writeBits(bits, shiftedDown(high, low, trailing), Math.min(width, 32))
  }
}

/** Reads `count` doubles into `words`, two per double, from the double `index` on. */
export function readDoubles(bits: Bits, words: Uint32Array, index: number, count: number): void {
  let high = readBits(bits, 32)
  let low = readBits(bits, 32)
  let trailing = 0
  let width = 0
  for (let at = 2 * index; ; at += 2) {
    words[at] = low
    words[at + 1] = high
    if (at === 2 * (index + count - 1)) return
    if (readBits(bits, 1) === 0) continue
    if (readBits(bits, 1) === 1) {
      const leading = readBits(bits, leadingBits)
      width = readBits(bits, widthBits) + 1
      trailing = 64 - leading - width
    }
    const upper = width > 32 ? readBits(bits, width - 32) : 0
    const lower = readBits(bits, Math.min(width, 32))
    if (trailing >= 32) {
      high ^= lower << (trailing - 32)
    } else {
      high ^= (upper << trailing) | (trailing === 0 ? 0 : lower >>> (32 - trailing))
      low ^= lower << trailing
    }
  }
}

/** Lower word of 64 bits shifted right by 0 to 63. */
function shiftedDown(high: number, low: number, by: number): number {
  if (by >= 32) return high >>> (by - 32)
  return by === 0 ? low : (low >>> by) | (high << (32 - by))
}

function trailingZerosOf(word: number): number {
  return 31 - Math.clz32(word & -word)
}
