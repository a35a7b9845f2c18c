import { type Bits, bitsIn, readBits, slack, writeBits } from './bits.ts'
import { type Columns, reserve, wordsOf } from '../columns.ts'
import { readDoubles, writeDoubles } from './doubles.ts'
import { largestInteger, readIntegers, writeIntegers } from './integers.ts'

/** No chunk holds more samples. */
export const largestChunk = 360

const countBits = 16
const hasChecksum = 0x8000 // in the count; chunks of earlier versions have none
const checksumBytes = 4
const formBits = 4
const asDoubles = 15 // any smaller form is a number of decimals
const maxDecimals = 12
const maxBytesEach = 20 // a time and a value of the longest codes

/**
 * Packs samples, whose times are ascending integers within `largestInteger`: how many, the times, and the values as
 * integers where all are decimals of a few digits, or by their bits, whichever is shorter. Every bit of a value is kept. A
 * checksum follows, because SQLite does not see what is changed inside of a row.
 */
export function packChunk({ timesMs, values, length }: Columns): Uint8Array {
  const bits = bitsIn(new Uint8Array(maxBytes(length)))
  writeBits(bits, hasChecksum | length, countBits)
  writeIntegers(bits, timesMs.subarray(0, length))
  const scaled = asDecimals(values.subarray(0, length))
  const decimal = scaled && continued(bits)
  if (decimal) {
    writeBits(decimal, scaled.decimals, formBits)
    writeIntegers(decimal, scaled.integers)
  }
  writeBits(bits, asDoubles, formBits)
  writeDoubles(bits, wordsOf(values.subarray(0, length)))
  const shorter = decimal && decimal.at <= bits.at ? decimal : bits
  const end = Math.ceil(shorter.at / 8)
  const chunk = shorter.bytes.slice(0, end + checksumBytes)
  new DataView(chunk.buffer).setUint32(end, Bun.hash.crc32(chunk.subarray(0, end)))
  return chunk
}

/** How many samples a chunk holds. */
export function countIn(chunk: Uint8Array): number {
  return (((chunk[0] ?? 0) << 8) | (chunk[1] ?? 0)) & ~hasChecksum
}

const unpacking = bitsIn(new Uint8Array(maxBytes(largestChunk) + slack)) // the same for all, because a query reads thousands

/** Adds the samples of a chunk. Throws where it is not as it was written. */
export function unpackChunk(chunk: Uint8Array, into: Columns): void {
  assertWhole(chunk)
  const bits = unpacking
  bits.bytes.set(chunk)
  bits.at = countBits
  const count = countIn(chunk)
  reserve(into, count)
  readIntegers(bits, into.timesMs, into.length, count)
  const form = readBits(bits, formBits)
  if (form === asDoubles) {
    readDoubles(bits, wordsOf(into.values), into.length, count)
  } else {
    readIntegers(bits, into.values, into.length, count)
    const end = into.length + count
    const unit = 10 ** form
    if (form > 0) for (let at = into.length; at < end; at += 1) into.values[at] = (into.values[at] ?? 0) / unit
  }
  into.length += count
}

function assertWhole(chunk: Uint8Array): void {
  const end = chunk.length - checksumBytes
  const isWhole =
    ((chunk[0] ?? 0) & (hasChecksum >> 8)) === 0 ||
    (end > 0 && new DataView(chunk.buffer, chunk.byteOffset).getUint32(end) === Bun.hash.crc32(chunk.subarray(0, end)))
  if (!isWhole || countIn(chunk) > largestChunk) throw new Error('a chunk is not as it was written')
}

function maxBytes(samples: number): number {
  return samples * maxBytesEach + 64
}

function continued({ bytes, at }: Bits): Bits {
  return { ...bitsIn(bytes.slice()), at }
}

/** The values as integers of the fewest decimals that give each back exactly; undefined where there are none. */
function asDecimals(values: Float64Array): { decimals: number; integers: Float64Array } | undefined {
  for (let decimals = 0; decimals <= maxDecimals; decimals += 1) {
    const unit = 10 ** decimals
    const fits = (value: number) => {
      const integer = Math.round(value * unit)
      return integer / unit === value && Math.abs(integer) <= largestInteger && !Object.is(value, -0)
    }
    if (values.every(fits)) return { decimals, integers: values.map((value) => Math.round(value * unit)) }
  }
  return undefined
}
