import { type Bits, readBits, readNumber, sizeOf, writeBits, writeNumber } from './bits.ts'

/** Integers up to this, either side of zero, can be packed: the differences of their differences are exact. */
export const largestInteger = 2 ** 50

const maxUnary = 12
const sizeBits = 5
const maxSize = 30
const allUsual = 31 // in place of a size: no step differs from the median, and there are no codes

/**
 * Writes integers as what each step differs from the median step, in Rice codes of the size that is shortest for them all:
 * a clock with jitter costs its size, a counter the noise in its rate, what is regular or constant nothing. Steps far from
 * the rest are written whole.
 */
export function writeIntegers(bits: Bits, integers: Float64Array): void {
  writeNumber(bits, folded(integers[0] ?? 0))
  if (integers.length < 2) return
  const steps = integers.subarray(1).map((integer, index) => integer - (integers[index] ?? 0))
  const usual = median(steps)
  writeNumber(bits, folded(usual))
  const codes = steps.map((step) => folded(step - usual))
  if (codes.every((code) => code === 0)) return writeBits(bits, allUsual, sizeBits)
  const size = shortestSize(codes)
  writeBits(bits, size, sizeBits)
  for (const code of codes) writeCode(bits, code, size)
}

/** Reads `count` of them into `into`, from a place on. */
export function readIntegers(bits: Bits, into: Float64Array, place: number, count: number): void {
  let integer = unfolded(readNumber(bits))
  into[place] = integer
  if (count < 2) return
  const usual = unfolded(readNumber(bits))
  const size = readBits(bits, sizeBits) | 0 // an integer too, for the same reason
  const end = place + count
  if (size === allUsual) {
    for (let index = place + 1; index < end; index += 1) into[index] = integer += usual
    return
  }
  const { view } = bits
  let { at } = bits // read by hand, because this loop is what a long query waits for
  for (let index = place + 1; index < end; index += 1) {
    const word = view.getInt32(at >>> 3) << (at & 7)
    const unary = Math.clz32(~word)
    const length = unary + 1 + size
    if (unary < maxUnary && length <= readAtOnce) {
      at += length
      const code = (unary << size) | (((word << (unary + 1)) >>> (31 - size)) >>> 1)
      integer += usual + ((code >>> 1) ^ -(code & 1))
    } else {
      bits.at = at
      integer += usual + unfolded(readCode(bits, unary, size))
      at = bits.at
    }
    into[index] = integer
  }
  bits.at = at
}

const readAtOnce = 25 // what is left of a word that begins within a byte

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
  } else {
    writeBits(bits, 2 ** (unary + 1) - 2, unary + 1)
    writeBits(bits, code % 2 ** 32, size)
  }
}

function shortestSize(codes: Float64Array): number {
  const near = sizeOf(median(codes))
  let best = { size: 0, cost: Infinity }
  for (let size = Math.max(0, near - 3); size <= Math.min(maxSize, near + 1); size += 1) {
    let cost = 0
    for (const code of codes) {
      const unary = Math.floor(code / 2 ** size)
      cost += unary >= maxUnary ? maxUnary + 6 + sizeOf(code) : unary + 1 + size
    }
    if (cost < best.cost) best = { size, cost }
  }
  return best.size
}

function median(numbers: Float64Array): number {
  return numbers.toSorted()[numbers.length >>> 1] ?? 0
}

/** 0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 … */
function folded(integer: number): number {
  return integer >= 0 ? 2 * integer : -2 * integer - 1
}

function unfolded(code: number): number {
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2
}
