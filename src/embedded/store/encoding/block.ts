import { wordsOf } from '../../promql/reader.ts'
import { columns, reserve, type Columns } from '../columns.ts'

/**
 * Samples in order of arrival, in blocks. Each sample is stored as its difference from the one before in its block, which is
 * cheap to write and to read; for samples in memory only. `first`, `last`: blocks of the chain. The other fields are of the
 * last sample: its time, the step to it, and its value as two words, because a number may lose the bits of a stale marker.
 */
export type Chain = { first: number; last: number; lastMs: number; stepMs: number; low: number; high: number }

/**
 * Memory of many blocks, because an object for each costs as much as its contents. `used`: number of blocks in use; `allocated`:
 * number of blocks ever used; `free`: first block of the free list.
 */
type Slab = { bytes: Uint8Array; words: Int32Array; times: Float64Array; used: number; allocated: number; free: number }

const blockBytes = 256
const blocksOfSlab = 256
const maxBytesEach = 17 // of a sample: its first byte, time and value
const sameStep = 128
const none = -1

/**
 * Head of a block: indexes in `times` of its earliest and latest time; indexes in `words` of the next block, the number of samples and
 * the number of bytes used; and the length of the head in bytes.
 */
const [fromPlace, toPlace, nextPlace, countPlace, usedPlace, headBytes] = [0, 1, 4, 5, 6, 28]

/** Blocks of many chains. Releases a slab without blocks in use. */
export class Blocks {
  private readonly slabs: (Slab | undefined)[] = []
  private lowest = 0 // no slab before this one has room

  begin(): Chain {
    const first = this.take()
    return { first, last: first, lastMs: 0, stepMs: 0, low: 0, high: 0 }
  }

  /**
   * Adds a sample. Its first byte contains a flag for an unchanged time step, the number of bytes of the value that differ from the
   * previous value, and the number of trailing bytes that do not. The change of the step, if any, follows, then the bytes that
   * differ.
   */
  add(chain: Chain, timeMs: number, low: number, high: number): void {
    let { bytes, words, times } = this.slabOf(chain.last)
    let base = baseOf(chain.last)
    let at = words[base / 4 + usedPlace] ?? 0
    if (at + maxBytesEach > blockBytes) {
      const next = this.take()
      words[base / 4 + nextPlace] = next
      Object.assign(chain, { last: next, lastMs: 0, stepMs: 0, low: 0, high: 0 })
      ;({ bytes, words, times } = this.slabOf(next))
      base = baseOf(next)
      at = headBytes
    }
    const stepMs = timeMs - chain.lastMs
    const change = stepMs - chain.stepMs
    const lower = low ^ chain.low
    const upper = high ^ chain.high
    const differs = (lower | upper) !== 0
    const trailing = differs ? (lower !== 0 ? trailingZeros(lower) : 32 + trailingZeros(upper)) >>> 3 : 0
    const leading = (upper !== 0 ? Math.clz32(upper) : 32 + Math.clz32(lower)) >>> 3
    const count = differs ? 8 - leading - trailing : 0
    bytes[base + at] = (change === 0 ? sameStep : 0) | (count << 3) | trailing
    at += 1
    if (change !== 0) at = writeInteger(bytes, base + at, change) - base
    for (let place = trailing; place < trailing + count; place += 1) {
      bytes[base + at] = place < 4 ? lower >>> (8 * place) : upper >>> (8 * place - 32)
      at += 1
    }
    words[base / 4 + usedPlace] = at
    words[base / 4 + countPlace] = (words[base / 4 + countPlace] ?? 0) + 1
    if (timeMs < (times[base / 8 + fromPlace] ?? 0)) times[base / 8 + fromPlace] = timeMs
    if (timeMs > (times[base / 8 + toPlace] ?? 0)) times[base / 8 + toPlace] = timeMs
    chain.lastMs = timeMs
    chain.stepMs = stepMs
    chain.low = low | 0
    chain.high = high | 0
  }

  /**
   * Adds to `into` the samples of each block that has one in [fromMs, toMs]; stops after the block with which these are at least
   * `enough`.
   */
  read({ first }: Pick<Chain, 'first'>, into: Columns, fromMs: number, toMs: number, enough = Infinity): void {
    let count = 0
    let end = first
    for (; end !== none && count < enough; end = this.after(end)) count += this.within(end, fromMs, toMs)
    reserve(into, count)
    for (let block = first; block !== end; block = this.after(block)) {
      const part = this.within(block, fromMs, toMs)
      if (part > 0) readBlock(this.slabOf(block).bytes, baseOf(block) + headBytes, part, into)
    }
  }

  /** Removes the first `count` samples, but not all. */
  removeFirst(chain: Chain, count: number): void {
    let remaining = count
    for (; remaining >= this.countOf(chain.first); chain.first = this.freed(chain.first))
      remaining -= this.countOf(chain.first)
    const block = chain.first
    const samples = columns(this.countOf(block))
    readBlock(this.slabOf(block).bytes, baseOf(block) + headBytes, this.countOf(block), samples)
    const words = wordsOf(samples.values)
    const rewritten = this.begin()
    for (let at = remaining; at < samples.length; at += 1) {
      this.add(rewritten, samples.timesMs[at] ?? 0, words[2 * at] ?? 0, words[2 * at + 1] ?? 0)
    }
    const next = this.freed(block)
    this.slabOf(rewritten.last).words[baseOf(rewritten.last) / 4 + nextPlace] = next
    Object.assign(chain, next === none ? rewritten : { first: rewritten.first })
  }

  /** Earliest and latest time of a chain. */
  span({ first }: Pick<Chain, 'first'>): { fromMs: number; toMs: number } {
    const span = { fromMs: Infinity, toMs: -Infinity }
    for (let block = first; block !== none; block = this.after(block)) {
      span.fromMs = Math.min(span.fromMs, this.slabOf(block).times[baseOf(block) / 8 + fromPlace] ?? 0)
      span.toMs = Math.max(span.toMs, this.lastMs(block))
    }
    return span
  }

  /** Latest time in a block. */
  lastMs(block: number): number {
    return this.slabOf(block).times[baseOf(block) / 8 + toPlace] ?? 0
  }

  /** Frees the blocks of a chain, which must not be read any more. */
  free({ first }: Pick<Chain, 'first'>): void {
    for (let block = first; block !== none;) block = this.freed(block)
  }

  /** Bytes of all slabs. */
  bytes(): number {
    return this.slabs.reduce((sum, slab) => sum + (slab?.bytes.length ?? 0), 0)
  }

  /** Frees a block, and gives the next one of its chain. */
  private freed(block: number): number {
    const next = this.after(block)
    const place = (block / blocksOfSlab) | 0
    const slab = this.slabOf(block)
    slab.words[baseOf(block) / 4 + nextPlace] = slab.free
    slab.free = block
    slab.used -= 1
    if (slab.used === 0) this.slabs[place] = undefined
    this.lowest = Math.min(this.lowest, place)
    return next
  }

  private take(): number {
    for (let place = this.lowest; ; place += 1) {
      const slab = (this.slabs[place] ??= newSlab())
      if (slab.used === blocksOfSlab) continue
      const isNew = slab.free === none
      const block = isNew ? place * blocksOfSlab + slab.allocated : slab.free
      const base = baseOf(block)
      if (isNew) slab.allocated += 1
      else slab.free = slab.words[base / 4 + nextPlace] ?? none
      slab.used += 1
      slab.times[base / 8 + fromPlace] = Infinity
      slab.times[base / 8 + toPlace] = -Infinity
      slab.words[base / 4 + nextPlace] = none
      slab.words[base / 4 + countPlace] = 0
      slab.words[base / 4 + usedPlace] = headBytes
      this.lowest = place
      return block
    }
  }

  private slabOf(block: number): Slab {
    const slab = this.slabs[(block / blocksOfSlab) | 0]
    if (!slab) throw new Error('a block that is not in use')
    return slab
  }

  private after(block: number): number {
    return this.slabOf(block).words[baseOf(block) / 4 + nextPlace] ?? none
  }

  /** Number of samples in a block; 0 if its times do not overlap [fromMs, toMs]. */
  private within(block: number, fromMs: number, toMs: number): number {
    const { times } = this.slabOf(block)
    const base = baseOf(block)
    const isWithin = (times[base / 8 + toPlace] ?? 0) >= fromMs && (times[base / 8 + fromPlace] ?? 0) <= toMs
    return isWithin ? this.countOf(block) : 0
  }

  private countOf(block: number): number {
    return this.slabOf(block).words[baseOf(block) / 4 + countPlace] ?? 0
  }
}

const baseOf = (block: number) => (block % blocksOfSlab) * blockBytes

function newSlab(): Slab {
  const room = new ArrayBuffer(blockBytes * blocksOfSlab)
  const [bytes, words, times] = [new Uint8Array(room), new Int32Array(room), new Float64Array(room)]
  return { bytes, words, times, used: 0, allocated: 0, free: none }
}

/** Reads `count` samples from a position on, and adds them to `into`, which has room for them. */
function readBlock(bytes: Uint8Array, from: number, count: number, into: Columns): void {
  const { timesMs } = into
  const words = wordsOf(into.values)
  let at = from
  let timeMs = 0
  let stepMs = 0
  let low = 0
  let high = 0
  for (let index = into.length; index < into.length + count; index += 1) {
    const firstByte = bytes[at] ?? 0
    at += 1
    if (firstByte < sameStep) {
      let code = 0
      let unit = 1
      let byte = sameStep
      for (; byte >= sameStep; at += 1) {
        byte = bytes[at] ?? 0
        code += (byte & 127) * unit
        unit *= 128
      }
      stepMs += code % 2 === 0 ? code / 2 : -(code + 1) / 2
    }
    timeMs += stepMs
    const trailing = firstByte & 7
    const end = trailing + ((firstByte >>> 3) & 15)
    for (let place = trailing; place < end; place += 1) {
      const byte = bytes[at] ?? 0
      at += 1
      if (place < 4) low ^= byte << (8 * place)
      else high ^= byte << (8 * place - 32)
    }
    timesMs[index] = timeMs
    words[2 * index] = low
    words[2 * index + 1] = high
  }
  into.length += count
}

/** Writes an integer as its zigzag code (0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 …), seven bits a byte; gives the end. */
function writeInteger(bytes: Uint8Array, from: number, integer: number): number {
  let code = integer >= 0 ? 2 * integer : -2 * integer - 1
  let at = from
  for (; code >= 2 ** 31; at += 1) {
    bytes[at] = (code % 128) + 128
    code = Math.floor(code / 128)
  }
  let word = code | 0 // integer arithmetic is quicker
  for (; word >= 128; at += 1) {
    bytes[at] = word | 128
    word >>>= 7
  }
  bytes[at] = word
  return at + 1
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word)
}
