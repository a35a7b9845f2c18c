import { type Bits, readBits, readNumber, sizeOf, writeBits, writeNumber } from './bits.ts'

/** Maximum absolute value of packed integers: the differences of their differences are exact. */
export const largestInteger = 2 ** 50

const maxUnary = 12
const sizeBits = 5
const maxSize = 30
const allMedian = 31 // instead of a size: all steps are the median, and no codes follow

/**
 * Writes integers as the difference of each step from the median step, in Rice codes. Their size, the number of bits after the unary
 * part, is the one that makes all of them shortest. A clock with jitter costs the size of the jitter, a counter the noise in its rate,
 * anything regular or constant nothing. Steps far from the rest are written whole.
 */
export function writeIntegers(bits: Bits, integers: Float64Array): void {
  writeNumber(bits, zigzag(integers[0] ?? 0))
  const count = integers.length - 1
  if (count < 1) return
  const codes = bufferOf(0, count) // first the steps, then their codes
  for (let at = 0; at < count; at += 1) codes[at] = (integers[at + 1] ?? 0) - (integers[at] ?? 0)
  const medianStep = median(codes)
  writeNumber(bits, zigzag(medianStep))
  let isRegular = true
  for (let at = 0; at < count; at += 1) {
    const code = zigzag((codes[at] ?? 0) - medianStep)
    codes[at] = code
    if (code !== 0) isRegular = false
  }
  if (isRegular) return writeBits(bits, allMedian, sizeBits)
  const size = shortestSize(codes)
  writeBits(bits, size, sizeBits)
  for (let at = 0; at < count; at += 1) writeCode(bits, codes[at] ?? 0, size)
}

const buffers = [new Float64Array(512), new Float64Array(512)]

/** Buffer for `count` numbers; reused, because millions of chunks are packed. */
function bufferOf(which: 0 | 1, count: number): Float64Array {
  if ((buffers[which]?.length ?? 0) < count) buffers[which] = new Float64Array(2 * count)
  return buffers[which]?.subarray(0, count) ?? new Float64Array(count)
}

/** Reads `count` integers into `into`, from index `place` on. */
export function readIntegers(bits: Bits, into: Float64Array, place: number, count: number): void {
  let integer = unzigzag(readNumber(bits))
  into[place] = integer
  if (count < 2) return
  const medianStep = unzigzag(readNumber(bits))
  const size = readBits(bits, sizeBits) | 0 // kept as an integer, as in `readBits`
  const end = place + count
  if (size === allMedian) {
    for (let index = place + 1; index < end; index += 1) into[index] = integer += medianStep
    return
  }
  const { view } = bits
  let { at } = bits // inlined, because a long query waits for this loop
  for (let index = place + 1; index < end; index += 1) {
    const word = view.getInt32(at >>> 3) << (at & 7)
    const unary = Math.clz32(~word) // number of leading ones
    const length = unary + 1 + size
    if (unary < maxUnary && length <= maxBitsPerRead) {
      at += length
      // two shifts to the right, because one by 32 would shift nothing
      const code = (unary << size) | (((word << (unary + 1)) >>> (31 - size)) >>> 1)
      integer += medianStep + ((code >>> 1) ^ -(code & 1))
    } else {
      bits.at = at
      integer += medianStep + unzigzag(readCode(bits, unary, size))
      at = bits.at
    }
    into[index] = integer
  }
  bits.at = at
}

const maxBitsPerRead = 25 // valid bits of a word that begins within a byte

function readCode(bits: Bits, unary: number, size: number): number {
  if (unary < maxUnary) {
    bits.at += unary + 1
    return unary * 2 ** size + readBits(bits, size)
  }
  bits.at += maxUnary
  return readNumber(bits)
}

function writeCode(bits: Bits, code: number, size: number): void {
  const unary = Math.floor(code / 2 ** size)
  if (unary >= maxUnary) {
    writeBits(bits, 2 ** maxUnary - 1, maxUnary)
    writeNumber(bits, code)
  } else if (unary + size < 31) {
    writeBits(bits, (((2 << unary) - 2) << size) | (code & ((1 << size) - 1)), unary + 1 + size)
  } else {
    writeBits(bits, 2 ** (unary + 1) - 2, unary + 1)
    writeBits(bits, code, size)
  }
}

/** Size of Rice codes with the fewest bits in all; it is near the bit length of the median code. */
function shortestSize(codes: Float64Array): number {
  const near = sizeOf(median(codes))
  let best = 0
  let bestCost = Infinity
  for (let size = Math.max(0, near - 3); size <= Math.min(maxSize, near + 1); size += 1) {
    const unit = 2 ** size
    let cost = 0
    for (let at = 0; at < codes.length && cost < bestCost; at += 1) {
      const code = codes[at] ?? 0
      const unary = Math.floor(code / unit)
      cost += unary >= maxUnary ? maxUnary + 6 + sizeOf(code) : unary + 1 + size
    }
    if (cost >= bestCost) continue
    best = size
    bestCost = cost
  }
  return best
}

/** Number that would be in the middle after sorting, found by Hoare's selection. */
function median(numbers: Float64Array): number {
  const copy = bufferOf(1, numbers.length)
  copy.set(numbers)
  const middle = copy.length >>> 1
  let low = 0
  let high = copy.length - 1
  while (low < high) {
    const pivot = copy[(low + high) >>> 1] ?? 0
    let left = low
    let right = high
    while (left <= right) {
      while ((copy[left] ?? 0) < pivot) left += 1
      while ((copy[right] ?? 0) > pivot) right -= 1
      if (left > right) break
      const moved = copy[left] ?? 0
      copy[left] = copy[right] ?? 0
      copy[right] = moved
      left += 1
      right -= 1
    }
    if (middle <= right) high = right
    else if (middle >= left) low = left
    else break
  }
  return copy[middle] ?? 0
}

/** Zigzag code of an integer: 0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 … */
function zigzag(integer: number): number {
  return integer >= 0 ? 2 * integer : -2 * integer - 1
}

function unzigzag(code: number): number {
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2
}
