import { type Bits, bitsIn, readBits, spareBytes, writeBits } from './bits.ts'
import { wordsOf } from '../../promql/reader.ts'
import { type Columns, reserve } from '../columns.ts'
import { readDoubles, writeDoubles } from './doubles.ts'
import { largestInteger, readIntegers, writeIntegers } from './integers.ts'

/** Maximum samples in a chunk. */
export const maxSamplesOfChunk = 360

const countBits = 16
const checksumFlag = 0x8000 // in the count; chunks of earlier versions have no checksum
const checksumBytes = 4
const formatBits = 4
const doublesFormat = 15 // format of values; a smaller one is the number of decimals of values as integers
const maxDecimals = 12
const maxBytesEach = 20 // a time and a value of the longest codes

/**
 * Packs samples, whose times are ascending integers within `largestInteger`: their number, the times, and the values as
 * integers if all are decimals of a few digits, or as bits, whichever is shorter. Every bit of a value is kept. A checksum
 * follows, because SQLite does not detect changes inside a row.
 */
export function packChunk({ timesMs, values, length }: Columns): Uint8Array {
  const bits = emptyBuffer(0, length)
  writeBits(bits, checksumFlag | length, countBits)
  writeIntegers(bits, timesMs.subarray(0, length))
  const scaled = asDecimals(values.subarray(0, length))
  const decimal = scaled && copyOf(bits, length)
  if (decimal) {
    writeBits(decimal, scaled.decimals, formatBits)
    writeIntegers(decimal, scaled.integers)
  }
  writeBits(bits, doublesFormat, formatBits)
  writeDoubles(bits, wordsOf(values.subarray(0, length)), decimal?.at)
  const shorter = decimal && decimal.at <= bits.at ? decimal : bits
  const end = Math.ceil(shorter.at / 8)
  const chunk = shorter.bytes.slice(0, end + checksumBytes)
  new DataView(chunk.buffer).setUint32(end, Bun.hash.crc32(chunk.subarray(0, end)))
  return chunk
}

/** Number of samples in a chunk. */
export function countIn(chunk: Uint8Array): number {
  return (((chunk[0] ?? 0) << 8) | (chunk[1] ?? 0)) & ~checksumFlag
}

const unpacking = bitsIn(new Uint8Array(maxBytes(maxSamplesOfChunk) + spareBytes)) // shared, because a query reads thousands

/** Adds the samples of a chunk to `into`. Throws if the chunk is damaged. */
export function unpackChunk(chunk: Uint8Array, into: Columns): void {
  assertWhole(chunk)
  const bits = unpacking
  bits.bytes.set(chunk)
  bits.at = countBits
  const count = countIn(chunk)
  reserve(into, count)
  readIntegers(bits, into.timesMs, into.length, count)
  const format = readBits(bits, formatBits)
  if (format === doublesFormat) {
    readDoubles(bits, wordsOf(into.values), into.length, count)
  } else {
    readIntegers(bits, into.values, into.length, count)
    const end = into.length + count
    const unit = 10 ** format
    if (format > 0) for (let at = into.length; at < end; at += 1) into.values[at] = (into.values[at] ?? 0) / unit
  }
  into.length += count
}

function assertWhole(chunk: Uint8Array): void {
  const end = chunk.length - checksumBytes
  const isWhole =
    ((chunk[0] ?? 0) & (checksumFlag >> 8)) === 0 ||
    (end > 0 && new DataView(chunk.buffer, chunk.byteOffset).getUint32(end) === Bun.hash.crc32(chunk.subarray(0, end)))
  if (!isWhole || countIn(chunk) > maxSamplesOfChunk) throw new Error('a chunk is not as it was written')
}

function maxBytes(samples: number): number {
  return samples * maxBytesEach + 64
}

const buffers: Bits[] = []

/** Empty buffer for so many samples; reused, because millions of chunks are packed. */
function emptyBuffer(which: 0 | 1, samples: number): Bits {
  const kept = buffers[which]
  const bits = kept && kept.bytes.length >= maxBytes(samples) ? kept : bitsIn(new Uint8Array(maxBytes(samples)))
  buffers[which] = bits
  bits.bytes.fill(0)
  bits.at = 0
  return bits
}

function copyOf({ bytes, at }: Bits, samples: number): Bits {
  const copy = emptyBuffer(1, samples)
  copy.bytes.set(bytes.subarray(0, Math.ceil(at / 8)))
  copy.at = at
  return copy
}

let integers = new Float64Array(maxSamplesOfChunk)

/**
 * Values as integers, scaled by the smallest number of decimals that gives each value back exactly; undefined if no number
 * does. Valid until the next call.
 */
function asDecimals(values: Float64Array): { decimals: number; integers: Float64Array } | undefined {
  if (integers.length < values.length) integers = new Float64Array(values.length)
  for (let decimals = 0; decimals <= maxDecimals; decimals += 1) {
    const unit = 10 ** decimals
    let fitting = 0
    for (; fitting < values.length; fitting += 1) {
      const value = values[fitting] ?? 0
      const integer = Math.round(value * unit)
      if (integer / unit !== value || Math.abs(integer) > largestInteger || Object.is(value, -0)) break
      integers[fitting] = integer
    }
    if (fitting === values.length) return { decimals, integers: integers.subarray(0, fitting) }
  }
  return undefined
}
